/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LabError } from '../process/failure';
import { labRoot } from '../process/paths';

/**
 * An n8n that the lab pins: a folder whose lockfile names it with all that it needs and the Node
 * that runs it.
 */
export class Release {
	/** The exact version, such as `2.41.1`. */
	readonly version: string;

	constructor(
		/** The folder with manifest and lockfile; n8n is installed beside them. */
		readonly root: string,
	) {
		const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
			dependencies: { n8n: string };
		};
		this.version = manifest.dependencies.n8n;
	}

	/** How it is asked for, such as `2.41`. */
	get name(): string {
		return this.version.split('.').slice(0, 2).join('.');
	}

	get lockfile(): string {
		return path.join(this.root, 'package-lock.json');
	}

	get modules(): string {
		return path.join(this.root, 'node_modules');
	}

	/** Executables of its install; first on n8n's PATH, so that `node` is the pinned one. */
	get bin(): string {
		return path.join(this.modules, '.bin');
	}

	get entry(): string {
		return path.join(this.modules, 'n8n', 'bin', 'n8n');
	}

	/** The pinned Node: the machine's own may be older than n8n asks for. */
	get node(): string {
		const windows = path.join(this.modules, 'node', 'bin', 'node.exe');
		return existsSync(windows) ? windows : path.join(this.modules, 'node', 'bin', 'node');
	}

	/**
	 * Whether the installed n8n has a module of this name: asked to switch off one that it does not
	 * know, it exits.
	 */
	hasModule(name: string): boolean {
		return existsSync(path.join(this.modules, 'n8n', 'dist', 'modules', name));
	}
}

/** The n8n that everything runs in unless another one is asked for. */
export const newest = new Release(labRoot);

const olderRoot = path.join(labRoot, 'versions');

/** All that the lab pins, oldest first: the range that the nodes are tested in. */
export function releases(): Release[] {
	const older = readdirSync(olderRoot).map((folder) => new Release(path.join(olderRoot, folder)));
	const byVersion = (left: Release, right: Release) =>
		left.version.localeCompare(right.version, 'en', { numeric: true });
	return [...older, newest].sort(byVersion);
}

/** @throws LabError with the names that there are */
export function releaseNamed(name: string): Release {
	const all = releases();
	const found = all.find((release) => release.name === name);
	if (found) return found;
	throw new LabError(
		`There is no n8n ${name} in the lab: ${all.map((each) => each.name).join(', ')}`,
	);
}
