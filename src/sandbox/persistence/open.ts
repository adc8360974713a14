/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdir, rm } from 'fs/promises';
import { join } from 'path';

import type { StateDatabase } from './database';

/** The store is loaded only where it is asked for. */
export async function openDatabase(directory: string): Promise<StateDatabase> {
	await mkdir(directory, { recursive: true });
	const { StateDatabase: Kept } = await import('./database');
	return new Kept(join(directory, 'state'));
}

/** Kept state goes on with the seed that it was begun with: links are signed with it. */
export function chooseSeed(wanted: number | undefined, kept: StateDatabase | undefined): number {
	const begun = kept?.get('meta', 'seed') as number | undefined;
	if (begun !== undefined && wanted !== undefined && wanted !== begun) {
		throw new Error(`The data was begun with the seed ${begun}, not ${wanted}.`);
	}
	const seed = begun ?? wanted ?? Math.floor(Math.random() * 2 ** 31);
	kept?.put('meta', 'seed', seed);
	return seed;
}

/** Forgets everything but the seed. */
export async function clearDatabase(
	kept: StateDatabase,
	seed: number,
	files: string,
): Promise<void> {
	await kept.clear();
	await rm(files, { recursive: true, force: true });
	kept.put('meta', 'seed', seed);
}
