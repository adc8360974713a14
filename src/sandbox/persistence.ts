/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdir, rm } from 'fs/promises';
import { open, type Database, type RootDatabase } from 'lmdb';
import { join } from 'path';

import type { Persistence } from './store';

/** Everything that is stored, one table a kind of entity. */
const TABLES = [
	...(['meta', 'workspaces', 'keys', 'files', 'outputs', 'generations', 'speech'] as const),
	...(['agentRuns', 'voices', 'personas', 'webhooks', 'deliveries', 'pending'] as const),
	...(['ledger', 'usage', 'idempotency'] as const),
];
type TableName = (typeof TABLES)[number];

/** State of another form than this one is forgotten. */
const FORMAT = 2;

/**
 * State on disk. What is written in one turn of the event loop is one transaction: after a kill,
 * either all of a change is there or none of it.
 */
export class StateDatabase implements Persistence {
	private readonly root: RootDatabase;
	private readonly tables: Map<string, Database<unknown, string>>;
	private last: Promise<unknown> = Promise.resolve();

	private constructor(readonly directory: string) {
		this.root = open({ path: join(directory, 'state'), maxDbs: TABLES.length + 1 });
		this.tables = new Map(
			TABLES.map((name) => [name, this.root.openDB<unknown, string>({ name, encoding: 'json' })]),
		);
	}

	static async open(directory: string): Promise<StateDatabase> {
		await mkdir(directory, { recursive: true });
		const database = new StateDatabase(directory);
		if (database.get('meta', 'format') !== FORMAT) await database.clear();
		return database;
	}

	/** Stored state goes on with the seed it was created with: links are signed with it. */
	chooseSeed(wanted: number | undefined): number {
		const begun = this.get('meta', 'seed') as number | undefined;
		if (begun !== undefined && wanted !== undefined && wanted !== begun) {
			throw new Error(`The data was begun with the seed ${begun}, not ${wanted}.`);
		}
		const seed = begun ?? wanted ?? Math.floor(Math.random() * 2 ** 31);
		this.put('meta', 'seed', seed);
		return seed;
	}

	/** How often the state was started on before. */
	countStart(): number {
		const starts = Number(this.get('meta', 'starts') ?? 0);
		this.put('meta', 'starts', starts + 1);
		return starts;
	}

	put(table: string, id: string, value: unknown): void {
		this.last = this.table(table).put(id, value);
	}

	remove(table: string, id: string): void {
		this.last = this.table(table).remove(id);
	}

	/** All values of a table, in the order of their ids. */
	values<T>(table: TableName): T[] {
		return [...this.table(table).getRange({})].map(({ value }) => value as T);
	}

	/** Resolves when all that was put so far is committed. */
	async committed(): Promise<void> {
		await this.last;
	}

	/** Forgets everything but the seed, files included. */
	async clear(): Promise<void> {
		const seed = this.get('meta', 'seed');
		await Promise.all([...this.tables.values()].map(async (table) => await table.clearAsync()));
		await rm(join(this.directory, 'files'), { recursive: true, force: true });
		this.put('meta', 'format', FORMAT);
		if (seed !== undefined) this.put('meta', 'seed', seed);
	}

	async close(): Promise<void> {
		await this.committed();
		await this.root.close();
	}

	private get(table: TableName, id: string): unknown {
		return this.table(table).get(id);
	}

	private table(name: string): Database<unknown, string> {
		const table = this.tables.get(name);
		if (!table) throw new Error(`There is no table ${name}.`);
		return table;
	}
}
