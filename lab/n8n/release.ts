/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LabError } from '../process/failure';
import { labRoot } from '../process/paths';
import { tools } from './tools';

/** An n8n that the lab pins: a folder whose lockfile names it with all that it needs. */
export interface Release {
	/** The folder with manifest and lockfile; n8n is installed beside them. */
	root: string;
	/** The exact version, such as `2.41.1`. */
	version: string;
	/** How it is asked for, such as `2.41`. */
	name: string;
	lockfile: string;
	modules: string;
	entry: string;
	/** The Node that runs it, the same for each. */
	node: string;
}

function releaseIn(root: string): Release {
	const manifest = readFileSync(path.join(root, 'package.json'), 'utf8');
	const version = (JSON.parse(manifest) as { dependencies: { n8n: string } }).dependencies.n8n;
	const name = version.split('.').slice(0, 2).join('.');
	const modules = path.join(root, 'node_modules');
	return {
		root,
		version,
		name,
		modules,
		lockfile: path.join(root, 'package-lock.json'),
		entry: path.join(modules, 'n8n', 'bin', 'n8n'),
		node: tools.node,
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
