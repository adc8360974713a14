/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { npm } from '../process/command';
import { LabError } from '../process/failure';
import { projectRoot, shown, stateRoot } from '../process/paths';

const logFile = path.join(stateRoot, 'package.log');

/** Builds the project as it is published. @throws LabError when it does not compile */
export async function buildProject(root = projectRoot): Promise<void> {
	const { code } = await npm(['run', 'build'], { cwd: root, logFile });
	if (code !== 0) throw new LabError('Building the nodes failed', shown(logFile));
}

/**
 * Packs a built project into a tarball, which holds exactly what a user gets from the registry.
 *
 * @returns path of the tarball, in a temporary folder that {@link installPackage} removes
 */
export async function packProject(root = projectRoot): Promise<string> {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'mediagen-pack-'));
	const { code, output } = await npm(
		['pack', '--ignore-scripts', '--json', '--silent', '--pack-destination', folder],
		{ cwd: root, logFile },
	);
	if (code !== 0) throw new LabError('Packing the nodes failed', shown(logFile));
	const [packed] = JSON.parse(output) as Array<{ filename: string }>;
	if (!packed) throw new LabError('Packing the nodes made no tarball', shown(logFile));
	return path.join(folder, packed.filename);
}

/**
 * Installs a tarball into a user folder as n8n itself installs a community package. What an earlier
 * or interrupted install left there is replaced.
 */
export async function installPackage(tarball: string, userFolder: string): Promise<void> {
	const nodes = path.join(userFolder, '.n8n', 'nodes');
	if (existsSync(nodes)) rmSync(nodes, { recursive: true });
	mkdirSync(nodes, { recursive: true });
	writeFileSync(
		path.join(nodes, 'package.json'),
		JSON.stringify({ name: 'installed-nodes', private: true, dependencies: {} }),
	);
	const { code } = await npm(
		['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', tarball],
		{ cwd: nodes, logFile },
	);
	rmSync(path.dirname(tarball), { recursive: true, force: true });
	if (code !== 0) throw new LabError('Installing the nodes into n8n failed', shown(logFile));
}
