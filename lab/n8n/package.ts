/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LabError } from '../process/failure';
import { projectRoot, shown, stateRoot } from '../process/paths';
import { run } from '../process/process';
import { npmFlags } from './install';

const logFile = path.join(stateRoot, 'package.log');

async function npm(cwd: string, failure: string, ...args: string[]): Promise<void> {
	const { code } = await run('npm', args, { cwd, logFile });
	if (code !== 0) throw new LabError(failure, shown(logFile));
}

/** A hash of everything that the packed package is made from: while it is the same, so is the build. */
export function packageFingerprint(root = projectRoot): string {
	const build = 'scripts/tsconfig.build.json';
	const { include } = JSON.parse(readFileSync(path.join(root, build), 'utf8')) as {
		include: string[];
	};
	const settings = ['package.json', 'package-lock.json', 'tsconfig.json', build, 'gulpfile.js'];
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
 * Installs the built project into a folder as n8n itself installs a community package: exactly the files
 * that a user gets from the registry. What an earlier or interrupted install left there is replaced.
 */
export async function installPackage(folder: string): Promise<void> {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const manifest = { name: 'installed-nodes', private: true, dependencies: {} };
	writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
	// A packed copy instead of a link.
	const published = path.join(projectRoot, 'dist', 'package');
	const args = ['install', '--install-links', ...npmFlags, published];
	await npm(folder, 'Installing the nodes into n8n failed', ...args);
}
