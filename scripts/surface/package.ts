/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ICredentialType, INodeType } from 'n8n-workflow';
import { projectRoot } from '../../lab/process/paths';
import { readSurface } from './read';
import type { Surface } from './surface';

/** The committed snapshot. */
export const surfaceFile = path.join(projectRoot, 'docs', 'surface.json');

/** The surface of this package, from what package.json registers. */
export async function packageSurface(): Promise<Surface> {
	const { n8n } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8')) as {
		n8n: { nodes: string[]; credentials: string[] };
	};
	const nodes = await instances<INodeType>(n8n.nodes);
	const credentials = await instances<ICredentialType>(n8n.credentials);
	return readSurface(
		nodes.map(({ description }) => description),
		credentials,
	);
}

async function instances<T>(files: string[]): Promise<T[]> {
	const sources = files.map((file) => file.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
	const modules = sources.map(
		async (file) => (await import(path.join(projectRoot, file))) as Record<string, new () => T>,
	);
	return (await Promise.all(modules)).flatMap((exports) =>
		Object.values(exports).map((Type) => new Type()),
	);
}

export function readSnapshot(): Surface {
	return JSON.parse(readFileSync(surfaceFile, 'utf8')) as Surface;
}

/** As in the file. */
export function printed(surface: Surface): string {
	return `${JSON.stringify(surface, null, '\t')}\n`;
}
