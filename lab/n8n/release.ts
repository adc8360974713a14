/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LabError } from '../process/failure';
import { labRoot } from '../process/paths';

/**
 * An n8n that the lab pins: a folder whose lockfile names it with all that it needs and the Node
 * that runs it, because the machine's own may be older than n8n asks for.
 */
export interface Release {
	/** The folder with manifest and lockfile; n8n is installed beside them. */
	root: string;
	/** The exact version, such as `2.41.1`. */
	version: string;
	/** How it is asked for, such as `2.41`. */
	name: string;
	lockfile: string;
	modules: string;
	/** Executables of its install; first on n8n's PATH, so that `node` is the pinned one. */
	bin: string;
	entry: string;
	node: string;
}

function releaseIn(root: string): Release {
	const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
		dependencies: { n8n: string };
	};
	const version = manifest.dependencies.n8n;
	const modules = path.join(root, 'node_modules');
	const windows = path.join(modules, 'node', 'bin', 'node.exe');
	return {
		root,
		version,
		name: version.split('.').slice(0, 2).join('.'),
		lockfile: path.join(root, 'package-lock.json'),
		modules,
		bin: path.join(modules, '.bin'),
		entry: path.join(modules, 'n8n', 'bin', 'n8n'),
		node: existsSync(windows) ? windows : path.join(modules, 'node', 'bin', 'node'),
	};
}

/** The n8n that everything runs in unless another one is asked for. */
export const newest = releaseIn(labRoot);

/** All that the lab pins, oldest first: the range that the nodes are tested in. */
export function releases(): Release[] {
	const folder = path.join(labRoot, 'versions');
	const older = readdirSync(folder).map((name) => releaseIn(path.join(folder, name)));
	return [...older, newest].sort((left, right) =>
		left.version.localeCompare(right.version, 'en', { numeric: true }),
	);
}

/** @throws LabError with the names that there are */
export function releaseNamed(name: string): Release {
	const found = releases().find((release) => release.name === name);
	if (found) return found;
	const names = releases().map((release) => release.name);
	throw new LabError(`There is no n8n ${name} in the lab: ${names.join(', ')}`);
}
