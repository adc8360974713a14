/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { labRoot } from '../process/paths';

/** The folder whose lockfile pins what installs and runs every n8n of the lab. */
const root = path.join(labRoot, 'tools');
const modules = path.join(root, 'node_modules');

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
	optionalDependencies: Record<string, string>;
};

const isWindows = process.platform === 'win32';
const system = isWindows ? 'win' : process.platform;
const nodePackage = `node-${system}-${process.arch}`;

/** Whether a package brings Node for this system. There is none for macOS: its own has to be new enough. */
export const bringsNode = nodePackage in manifest.optionalDependencies;

/** What installs and runs an n8n. The paths are there once {@link tools.root} is installed. */
export const tools = {
	root,
	modules,
	lockfile: path.join(root, 'package-lock.json'),
	/** The Node that runs n8n, because the machine's own may be older than n8n asks for. */
	node: bringsNode
		? path.join(modules, nodePackage, 'bin', isWindows ? 'node.exe' : 'node')
		: process.execPath,
	/** SQLite's driver for this system, compiled for Node-API, which is the same in every Node. */
	driver: path.join(
		path.join(modules, '@appthreat', 'sqlite3', 'prebuilds'),
		`${process.platform}-${process.arch}`,
		'@appthreat+sqlite3.glibc.node',
	),
};

/** The fast installer, if there is one for this system: its package holds a program for each. */
export function fastInstaller(): string | undefined {
	const names: Partial<Record<NodeJS.Architecture, string>> = { x64: 'x64', arm64: 'aarch64' };
	const folder = `bun-${isWindows ? 'windows' : process.platform}-${names[process.arch]}`;
	const program = path.join(modules, '@oven', folder, 'bin', isWindows ? 'bun.exe' : 'bun');
	return existsSync(program) ? program : undefined;
}
