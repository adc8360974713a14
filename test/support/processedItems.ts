import type { IExecuteFunctions, INode } from 'n8n-workflow';
import { seeded } from '../model/random';

interface Options {
	mode: string;
	maxEntries?: number;
}

/**
 * n8n's memory of processed items (`DeduplicationHelper` of n8n 2.41) over a database that several
 * processes use: reading, changing and writing are steps of their own, and only the insertion of a
 * row is refused where there is one.
 */
export class ProcessedItems {
	readonly rows = new Map<string, string[]>();

	/** Calls so far. */
	calls = 0;

	/** Throws what a call should fail with. */
	fail: (row: string) => void = () => {};

	private readonly random;

	constructor(seed = 1) {
		this.random = seeded(seed);
	}

	/**
	 * What an execution of a process gets; each has objects of its own, as after a deserialisation.
	 */
	contextOf(node: INode, base: { helpers?: object }): IExecuteFunctions {
		const own = structuredClone(node);
		return {
			...base,
			node: own,
			getNode: () => structuredClone(own),
			helpers: {
				...base.helpers,
				checkProcessedAndRecord: async (keys: string[], _scope: string, options: Options) =>
					await this.check(own, keys, options),
			},
		} as unknown as IExecuteFunctions;
	}

	private async check(node: INode, keys: string[], { maxEntries = Infinity }: Options) {
		const row = `n:${node.id}`;
		this.calls += 1;
		await this.pause();
		this.fail(row);
		const before = this.rows.get(row);
		await this.pause();
		if (!before) {
			if (this.rows.has(row)) throw new Error('duplicate key value violates unique constraint');
			this.rows.set(row, keys.slice(-maxEntries));
			await this.pause();
			return { new: keys, processed: [] };
		}
		const processed = keys.filter((key) => before.includes(key));
		const fresh = keys.filter((key) => !before.includes(key));
		const after = [...before, ...fresh];
		await this.pause();
		if (this.rows.has(row)) this.rows.set(row, after.slice(-maxEntries));
		return { new: fresh, processed };
	}

	/** A few turns of the loop, so that calls overlap in every way. */
	private async pause(): Promise<void> {
		for (let turns = Math.floor(this.random() * 4); turns >= 0; turns -= 1) await null;
	}
}
