/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { createHash } from 'node:crypto';
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
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
	const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
	const { include } = JSON.parse(readFileSync(path.join(root, 'tsconfig.build.json'), 'utf8')) as {
		include: string[];
	};
	const sources = include.flatMap((folder) =>
		readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)))
			.sort(),
	);
	const hash = createHash('sha256');
	for (const file of [...settings, 'gulpfile.js', ...sources]) {
		const whole = path.join(root, file);
		const content = existsSync(whole) ? readFileSync(whole) : Buffer.alloc(0);
		// With its length, so that no two trees run into the same bytes.
		hash.update(`${file} ${content.length}\n`).update(content);
	}
	return hash.digest('hex');
}

/** Builds the project as it is published. @throws LabError when it does not compile */
export async function buildProject(root = projectRoot): Promise<void> {
	await npm(root, 'Building the nodes failed', 'run', 'build');
}

/**
 * Packs a built project into a tarball, which holds exactly what a user gets from the registry.
 *
 * @returns path of the tarball, in a temporary folder that {@link installPackage} removes
 */
export async function packProject(root = projectRoot): Promise<string> {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'mediagen-pack-'));
	const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
	await npm(root, 'Packing the nodes failed', ...args);
	return path.join(folder, readdirSync(folder)[0] ?? '');
}

/**
 * Installs a tarball into a user folder as n8n itself installs a community package. What an earlier
 * or interrupted install left there is replaced.
 */
export async function installPackage(tarball: string, userFolder: string): Promise<void> {
	const nodes = path.join(userFolder, '.n8n', 'nodes');
	rmSync(nodes, { recursive: true, force: true });
	mkdirSync(nodes, { recursive: true });
	const manifest = { name: 'installed-nodes', private: true, dependencies: {} };
	writeFileSync(path.join(nodes, 'package.json'), JSON.stringify(manifest));
	const flags = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
	await npm(nodes, 'Installing the nodes into n8n failed', 'install', ...flags, tarball);
	rmSync(path.dirname(tarball), { recursive: true, force: true });
}
