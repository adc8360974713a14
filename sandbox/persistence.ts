/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { open, type RootDatabase } from 'lmdb';
import { join } from 'path';

import { takeDirectory, type Owned } from './owner';
import type { Persistence } from './store';

/**
 * State on disk, under keys of the form `table/id`. What is written in one turn of the event loop
 * is one transaction: after a kill, either all of a change is there or none of it.
 */
export class StateDatabase implements Persistence {
	private last: Promise<unknown> = Promise.resolve();

	private constructor(
		private readonly database: RootDatabase<unknown, string>,
		private readonly owned: Owned,
	) {}

	/** Throws when another sandbox uses the directory, or when it cannot be used. */
	static async open(directory: string): Promise<StateDatabase> {
		const owned = await takeDirectory(directory);
		// The number is that of the form: state of another form is not looked at.
		const database = open({ path: join(owned.directory, 'state-4'), encoding: 'json' });
		return new StateDatabase(database as RootDatabase<unknown, string>, owned);
	}

	/** Stored state goes on with the seed it was created with: links are signed with it. */
	chooseSeed(wanted: number | undefined): number {
		const begun = this.database.get('meta/seed') as number | undefined;
		if (begun !== undefined && wanted !== undefined && wanted !== begun) {
			throw new Error(`The data was begun with the seed ${begun}, not ${wanted}.`);
		}
		const seed = begun ?? wanted ?? Math.floor(Math.random() * 2 ** 31);
		this.put('meta', 'seed', seed);
		return seed;
	}

	/** How often the state was started on before. */
	countStart(): number {
		const starts = Number(this.database.get('meta/starts') ?? 0);
		this.put('meta', 'starts', starts + 1);
		return starts;
	}

	put(table: string, id: string, value: unknown): void {
		this.last = this.database.put(`${table}/${id}`, value);
	}

	remove(table: string, id: string): void {
		this.last = this.database.remove(`${table}/${id}`);
	}

	/** All values of a table, in the order of their ids. */
	values<T>(table: string): T[] {
		// The character after the slash is 0.
		const range = this.database.getRange({ start: `${table}/`, end: `${table}0` });
		return [...range].map(({ value }) => value as T);
	}

	/** Resolves when all that was put so far is committed. */
	async committed(): Promise<void> {
		await this.last;
	}

	/** Forgets everything but the seed. */
	async clear(): Promise<void> {
		const seed = this.database.get('meta/seed');
		await this.database.clearAsync();
		this.put('meta', 'seed', seed);
	}

	async close(): Promise<void> {
		await this.committed();
		await this.database.close();
		await this.owned.release();
	}
}
