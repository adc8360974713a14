/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stateRoot } from '../process/paths';
import { silent, withProgress, type Log } from '../process/progress';
import { ensureLab, hasLab } from './install';
import { newest, type Release } from './release';
import { Rest, type Owner } from './rest';
import {
	removeUserFolder,
	startN8n,
	temporaryUserFolder,
	type N8n,
	type N8nOptions,
} from './start';
import { fillFromTemplate } from './template';
import { buildProject, installPackage, packageFingerprint } from './package';

/** The account of every n8n that the lab makes: they listen on this machine only. */
export const demoOwner: Owner = {
	email: 'demo@example.com',
	firstName: 'Demo',
	lastName: 'Owner',
	password: 'MediaGen1',
};

/** The nodes, installed as n8n does it, for the user folder of every n8n. */
const installed = path.join(stateRoot, 'package');

/** A running n8n with our packed package in it, signed in as its owner. */
export interface Instance {
	n8n: N8n;
	rest: Rest;
}

interface InstanceOptions extends Partial<N8nOptions> {
	log?: Log;
	/** For tests: with the tables that `ensureTemplate` has made. */
	fromTemplate?: boolean;
}

/**
 * From a checkout to a running n8n: installs n8n where it is missing, builds and installs the nodes
 * where they have changed, starts n8n and signs in.
 *
 * @throws LabError with one line when any of that fails; nothing is left running then
 */
export async function startInstance(options: InstanceOptions = {}): Promise<Instance> {
	const { log = silent, userFolder = temporaryUserFolder(), release } = options;
	await preparePackage(userFolder, log, release);
	if (options.fromTemplate) fillFromTemplate(userFolder, release ?? newest);
	const start = async () => await startN8n({ ...options, userFolder });
	const n8n = await withProgress(log, 'Starting n8n', start);
	const stop = async () => {
		await n8n.stop();
		if (!options.userFolder) removeUserFolder(userFolder);
	};
	try {
		return { n8n: { ...n8n, stop }, rest: await Rest.signIn(n8n.baseUrl, demoOwner, release) };
	} catch (error) {
		await n8n.kill();
		throw error;
	}
}

/** Installs n8n where it is missing, and the nodes as a user gets them. */
export async function preparePackage(
	userFolder: string,
	log: Log = silent,
	release?: Release,
): Promise<void> {
	// The build takes as long as a part of the install, and mostly another processor.
	const building = ensurePackage(hasLab(release) ? log : silent);
	building.catch(() => undefined);
	await ensureLab(log, release);
	await building;
	const nodes = path.join(userFolder, '.n8n', 'nodes');
	rmSync(nodes, { recursive: true, force: true });
	cpSync(installed, nodes, { recursive: true, verbatimSymlinks: true });
}

/** Builds and installs the nodes, only when a source has changed: the last build is kept beside the state. */
export async function ensurePackage(log: Log = silent): Promise<void> {
	const stamp = path.join(installed, '.mediagen-sources');
	const wanted = packageFingerprint();
	if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
		await withProgress(log, 'Building the nodes', buildProject);
		const install = async () => await installPackage(installed);
		await withProgress(log, 'Installing the nodes into n8n', install);
		writeFileSync(stamp, wanted);
	}
}
