/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageFingerprint } from '../process/fingerprint';
import { ensureLab } from './install';
import { startN8n, temporaryUserFolder, type N8n } from './start';
import { buildProject, installPackage, packProject } from './tarball';
import { silent, withProgress, type Log } from '../process/progress';
import { Rest, type Owner } from './rest';

/** The account of every n8n that the lab makes: they listen on this machine only. */
export const demoOwner: Owner = {
	email: 'demo@example.com',
	firstName: 'Demo',
	lastName: 'Owner',
	password: 'MediaGen1',
};

/** A running n8n with our packed package in it, signed in as its owner. */
export interface Stage {
	n8n: N8n;
	rest: Rest;
}

export interface StageOptions {
	/** Kept over starts when given; otherwise temporary. */
	userFolder?: string;
	port?: number;
	env?: Record<string, string>;
	tell?: Log;
}

/**
 * From a checkout to a running n8n: installs n8n where it is missing, builds, packs and installs the
 * nodes where they have changed, starts n8n and signs in.
 *
 * @throws LabError with one line when any of that fails; nothing is left running then
 */
export async function setStage(options: StageOptions = {}): Promise<Stage> {
	const { tell: log = silent, port, env } = options;
	const userFolder = options.userFolder ?? temporaryUserFolder();
	await preparePackage(userFolder, log);
	const n8n = await withProgress(
		log,
		'Starting n8n',
		async () => await startN8n({ userFolder, temporary: !options.userFolder, port, env }),
	);
	try {
		return { n8n, rest: await Rest.signIn(n8n.baseUrl, demoOwner) };
	} catch (error) {
		await n8n.kill();
		throw error;
	}
}

/** Installs n8n where it is missing, and the nodes as a user gets them, unless a stamp says that just these are there already. */
export async function preparePackage(userFolder: string, log: Log = silent): Promise<void> {
	await ensureLab(log);
	// Inside the folder that the install empties first: an interrupted one leaves no stamp.
	const stamp = path.join(userFolder, '.n8n', 'nodes', '.mediagen-sources');
	const wanted = packageFingerprint();
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
	const tarball = await withProgress(log, 'Building and packing the nodes', async () => {
		await buildProject();
		return await packProject();
	});
	await withProgress(log, 'Installing the nodes into n8n', async () => {
		await installPackage(tarball, userFolder);
	});
	writeFileSync(stamp, wanted);
}
