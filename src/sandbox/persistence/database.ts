import { open, type Database, type RootDatabase } from 'lmdb';

import type { Persistence } from '../state/table';

/** Everything that is stored, one table a kind of entity. */
const TABLES = [
	'meta',
	'workspaces',
	'keys',
	'files',
	'generations',
	'speech',
	'agentRuns',
	'voices',
	'personas',
	'webhooks',
	'deliveries',
	'pending',
	'ledger',
	'usage',
	'idempotency',
] as const;
export type TableName = (typeof TABLES)[number];

/**
 * State on disk. What is written in one turn of the event loop is one transaction: after a kill,
 * either all of a change is there or none of it.
 */
export class StateDatabase implements Persistence {
	private readonly root: RootDatabase;
	private readonly tables: Map<string, Database<unknown, string>>;
	private last: Promise<unknown> = Promise.resolve();

	constructor(directory: string) {
		this.root = open({ path: directory, maxDbs: TABLES.length + 1 });
		this.tables = new Map(
			TABLES.map((name) => [name, this.root.openDB<unknown, string>({ name, encoding: 'json' })]),
		);
	}

	put(table: string, id: string, value: unknown): void {
		this.last = this.table(table).put(id, value);
	}

	remove(table: string, id: string): void {
		this.last = this.table(table).remove(id);
	}

	get(table: TableName, id: string): unknown {
		return this.table(table).get(id);
	}

	/** All values of a table, in the order of their ids. */
	values<T>(table: TableName): T[] {
		return [...this.table(table).getRange({})].map(({ value }) => value as T);
	}

	/** Resolves when all that was put so far is committed. */
	async committed(): Promise<void> {
		await this.last;
	}

	async clear(): Promise<void> {
		await Promise.all([...this.tables.values()].map(async (table) => await table.clearAsync()));
	}

	async close(): Promise<void> {
		await this.committed();
		await this.root.close();
	}

	private table(name: string): Database<unknown, string> {
		const table = this.tables.get(name);
		if (!table) throw new Error(`There is no table ${name}.`);
		return table;
	}
}
