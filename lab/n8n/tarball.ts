/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { createHash } from 'node:crypto';
import {
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LabError } from '../process/failure';
import { projectRoot, shown, stateRoot } from '../process/paths';
import { run } from '../process/process';

const logFile = path.join(stateRoot, 'package.log');

async function npm(cwd: string, failure: string, ...args: string[]): Promise<string> {
	const { code, output } = await run('npm', args, { cwd, logFile });
	if (code !== 0) throw new LabError(failure, shown(logFile));
	return output;
}

/** A hash of everything that the packed package is made from: while it is the same, so is the build. */
export function packageFingerprint(root = projectRoot): string {
	const build = 'scripts/tsconfig.build.json';
	const { include } = JSON.parse(readFileSync(path.join(root, build), 'utf8')) as {
		include: string[];
	};
	const settings = [
		'package.json',
		'package-lock.json',
		'tsconfig.json',
		build,
		'scripts/build.cjs',
	];
	const folders = include.map((folder) => path.join('scripts', folder));
	const within = (folder: string) =>
		readdirSync(path.join(root, folder), { recursive: true }).map((file) => `${folder}/${file}`);
	const files = [...settings, ...folders.flatMap(within).sort()];
	const hash = createHash('sha256');
	for (const file of files) {
		hash.update(`${file}\n`);
		const found = statSync(path.join(root, file), { throwIfNoEntry: false });
		if (found?.isFile()) hash.update(readFileSync(path.join(root, file)));
	}
	return hash.digest('hex');
}

/** Builds the project as it is published. @throws LabError when it does not compile */
export async function buildProject(): Promise<void> {
	await npm(projectRoot, 'Building the nodes failed', 'run', 'build');
}

/**
 * Packs a built project into a tarball, which holds exactly what a user gets from the registry.
 *
 * @returns path of the tarball, in a temporary folder that {@link installPackage} removes
 */
export async function packProject(): Promise<string> {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'mediagen-pack-'));
	const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
	await npm(projectRoot, 'Packing the nodes failed', ...args);
	return path.join(folder, readdirSync(folder)[0] ?? '');
}

/**
 * Installs a tarball into a folder as n8n itself installs a community package. What an earlier
 * or interrupted install left there is replaced.
 */
export async function installPackage(tarball: string, folder: string): Promise<void> {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const manifest = { name: 'installed-nodes', private: true, dependencies: {} };
	writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
	const flags = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
	await npm(folder, 'Installing the nodes into n8n failed', 'install', ...flags, tarball);
	rmSync(path.dirname(tarball), { recursive: true, force: true });
}
