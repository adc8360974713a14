/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { silent, withProgress, type Log } from '../process/progress';
import { ensureLab } from './install';
import type { Release } from './release';
import { Rest, type Owner } from './rest';
import { startN8n, temporaryUserFolder, type N8n, type N8nOptions } from './start';
import { buildProject, installPackage, packProject, packageFingerprint } from './tarball';

/** The account of every n8n that the lab makes: they listen on this machine only. */
export const demoOwner: Owner = {
	email: 'demo@example.com',
	firstName: 'Demo',
	lastName: 'Owner',
	password: 'MediaGen1',
};

/** A running n8n with our packed package in it, signed in as its owner. */
export interface Instance {
	n8n: N8n;
	rest: Rest;
}

/**
 * From a checkout to a running n8n: installs n8n where it is missing, builds, packs and installs
 * the nodes where they have changed, starts n8n and signs in.
 *
 * @throws LabError with one line when any of that fails; nothing is left running then
 */
export async function startInstance(options: N8nOptions & { log?: Log } = {}): Promise<Instance> {
	const { log = silent, userFolder = temporaryUserFolder(), release } = options;
	await preparePackage(userFolder, log, release);
	const start = async () =>
		await startN8n({ temporary: !options.userFolder, ...options, userFolder });
	const n8n = await withProgress(log, 'Starting n8n', start);
	try {
		return { n8n, rest: await Rest.signIn(n8n.baseUrl, demoOwner) };
	} catch (error) {
		await n8n.kill();
		throw error;
	}
}

/**
 * Where nodes are that were installed already: set by who starts several instances, because two
 * builds in one checkout would come in each other's way, and each takes half a minute.
 */
export const NODES_FROM = 'MEDIAGEN_NODES_FROM';

/**
 * Installs n8n where it is missing, and the nodes as a user gets them, unless a stamp says that
 * just these are there already.
 */
export async function preparePackage(
	userFolder: string,
	log: Log = silent,
	release?: Release,
): Promise<void> {
	await ensureLab(log, release);
	const nodesIn = (folder: string) => path.join(folder, '.n8n', 'nodes');
	// Inside the folder that the install empties first: an interrupted one leaves no stamp.
	const stampIn = (folder: string) => path.join(nodesIn(folder), '.mediagen-sources');
	const wanted = packageFingerprint();
	const isIn = (folder: string) =>
		existsSync(stampIn(folder)) && readFileSync(stampIn(folder), 'utf8') === wanted;
	if (isIn(userFolder)) return;
	const from = process.env[NODES_FROM];
	if (from && isIn(from)) {
		rmSync(nodesIn(userFolder), { recursive: true, force: true });
		cpSync(nodesIn(from), nodesIn(userFolder), { recursive: true, verbatimSymlinks: true });
		return;
	}
	const tarball = await withProgress(log, 'Building and packing the nodes', async () => {
		await buildProject();
		return await packProject();
	});
	await withProgress(log, 'Installing the nodes into n8n', async () => {
		await installPackage(tarball, userFolder);
	});
	writeFileSync(stampIn(userFolder), wanted);
}
