import type { IExecuteFunctions, INode } from 'n8n-workflow';

/**
 * n8n's memory of processed items (`DeduplicationHelper` of n8n 2.41) over a database that several
 * processes use: reading, changing and writing are steps of their own, and only the insertion of a
 * row is refused where there is one.
 */
export class ProcessedItems {
	readonly rows = new Map<string, string[]>();

	/** How many entries a row may have, by each call. */
	readonly bounds = new Set<number>();

	/** Calls so far. */
	calls = 0;

	/** Whether every call fails. */
	isDown = false;

	/** What an execution of a process gets. */
	contextOf(node: INode, base: { helpers?: object }): IExecuteFunctions {
		const checkProcessedAndRecord = async (
			keys: string[],
			_scope: string,
			{ maxEntries }: { maxEntries?: number },
		) => await this.check(`n:${node.id}`, keys, maxEntries);
		const helpers = { ...base.helpers, checkProcessedAndRecord };
		return { ...base, helpers } as unknown as IExecuteFunctions;
	}

	private async check(row: string, keys: string[], maxEntries = Infinity) {
		this.calls += 1;
		if (this.isDown) throw new Error('the database is gone');
		this.bounds.add(maxEntries);
		await null;
		const before = this.rows.get(row);
		await null;
		if (!before && this.rows.has(row))
			throw new Error('duplicate key value violates unique constraint');
		const processed = keys.filter((key) => before?.includes(key));
		const fresh = keys.filter((key) => !before?.includes(key));
		this.rows.set(row, [...(before ?? []), ...fresh].slice(-maxEntries));
		await null;
		return { new: fresh, processed };
	}
}
