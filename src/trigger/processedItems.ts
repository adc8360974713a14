import { sleep, type IExecuteFunctions, type INode } from 'n8n-workflow';

/** How often a write that failed is tried again. */
const TRIES = 3;

/** n8n's memory of processed items under one name: one row in its database, a list of entries. */
export interface Row {
	/**
	 * Records keys and lets the oldest go beyond `most`.
	 * @returns for each key whether it is new; rejects where the database refuses
	 */
	add(keys: string[], most: number): Promise<boolean[]>;
	remove(): Promise<void>;
}

interface Inner {
	node?: INode;
}

/** Gives the node another id while `call` runs, which is until it returns its promise. */
function withId<T>(node: INode, id: string, call: () => T): T {
	const before = node.id;
	node.id = id;
	try {
		return call();
	} finally {
		node.id = before;
	}
}

/** Whether rows can have names in this n8n: whether the id that n8n reads is the one that {@link withId} changes. */
export function canNameRows(context: IExecuteFunctions): boolean {
	const { node } = context as unknown as Inner;
	if (!node) return false;
	const probe = `${node.id}:probe`;
	try {
		return withId(node, probe, () => context.getNode().id === probe);
	} catch {
		return false;
	}
}

/**
 * The row of a node, or with a name one of many. n8n reads the list of a row, changes it and writes it back, so two processes at
 * once lose entries of each other; but of two that insert the same new row the database lets only one. n8n names a row after
 * the id of the node, and reads that before the call returns, when nobody else can have run.
 */
export function processedItems(context: IExecuteFunctions, name?: string): Row {
	const { helpers } = context;
	const { node } = context as unknown as Inner;
	const named = <T>(call: () => T): T =>
		node && name !== undefined ? withId(node, `${node.id}:${name}`, call) : call();
	return {
		async add(keys, most) {
			const options = { mode: 'entries', maxEntries: most } as const;
			const add = () => helpers.checkProcessedAndRecord(keys, 'node', options);
			const { processed } = await named(add);
			return keys.map((key) => !processed.includes(key));
		},
		async remove() {
			await named(() => helpers.clearAllProcessedItems('node', { mode: 'entries' }));
		},
	};
}

/**
 * Waits before a row that somebody holds is tried again, in milliseconds: 3 s in all. Who has not let go by then has died over
 * it, or n8n's database is so slow that a repeated event is the smaller evil.
 */
const WAITS_MS = [25, 50, 100, 200, 400, 400, 400, 400, 400, 400, 400];

/** Whether the database refused a row that is there already; those that n8n has known all say it in these words. */
const isThere = (error: unknown): boolean =>
	/unique|duplicate/i.test(error instanceof Error ? error.message : String(error));

/** Whether somebody else has the row; only one at a time can make it. A database that fails keeps nobody away. */
async function isTaken(row: Row): Promise<boolean> {
	try {
		const [isNew] = await row.add(['held'], 1);
		return isNew !== true;
	} catch (error) {
		return isThere(error);
	}
}

/** Runs `work` while nobody else runs theirs under the same row, in this or another process. Rejects as `work` does. */
export async function withLock<T>(lock: Row, work: () => Promise<T>): Promise<T> {
	for (const wait of WAITS_MS) {
		if (!(await isTaken(lock))) break;
		await sleep(wait);
	}
	try {
		return await work();
	} finally {
		// Also where it is another's: otherwise what a dead process has left would stop each event for 3 s.
		await lock.remove().catch(() => undefined);
	}
}

/** Tries again what failed, as two that insert a row at once meet. @returns `undefined` where it fails for good */
export async function withRetries<T>(work: () => Promise<T>): Promise<T | undefined> {
	for (let tries = 1; tries <= TRIES; tries += 1) {
		try {
			return await work();
		} catch {
			// Said by whoever asked, once, where it does not help.
		}
	}
	return undefined;
}
