/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdir, rm } from 'fs/promises';
import { join } from 'path';

import type { StateDatabase } from './database';

/** The store is loaded only where it is asked for. */
export async function openDatabase(directory: string): Promise<StateDatabase> {
	await mkdir(directory, { recursive: true });
	const { StateDatabase: Database } = await import('./database');
	return new Database(join(directory, 'state'));
}

/** Stored state goes on with the seed it was created with: links are signed with it. */
export function chooseSeed(
	wanted: number | undefined,
	database: StateDatabase | undefined,
): number {
	const begun = database?.get('meta', 'seed') as number | undefined;
	if (begun !== undefined && wanted !== undefined && wanted !== begun) {
		throw new Error(`The data was begun with the seed ${begun}, not ${wanted}.`);
	}
	const seed = begun ?? wanted ?? Math.floor(Math.random() * 2 ** 31);
	database?.put('meta', 'seed', seed);
	return seed;
}

/** Forgets everything but the seed. */
export async function clearDatabase(
	database: StateDatabase,
	seed: number,
	files: string,
): Promise<void> {
	await database.clear();
	await rm(files, { recursive: true, force: true });
	database.put('meta', 'seed', seed);
}
