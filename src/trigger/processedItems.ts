import { sleep, type IExecuteFunctions, type INode } from 'n8n-workflow';

/** Attempts at a write. */
const MAX_ATTEMPTS = 3;

/** n8n's record of processed items under one name: a list of entries in one row of its database. */
export interface Row {
	/**
	 * Records keys and drops the oldest beyond `maxEntries`.
	 * @returns for each key whether it is new; rejects if the database fails
	 */
	add(keys: string[], maxEntries: number): Promise<boolean[]>;
	remove(): Promise<void>;
}

/** What n8n's context has but does not type. */
interface UntypedContext {
	node?: INode;
}

/** Gives the node another id for the synchronous part of `call`. */
function withId<T>(node: INode, id: string, call: () => T): T {
	const before = node.id;
	node.id = id;
	try {
		return call();
	} finally {
		node.id = before;
	}
}

/** Whether this n8n supports named rows: whether it reads the id that {@link withId} changes. */
export function supportsNamedRows(context: IExecuteFunctions): boolean {
	const { node } = context as unknown as UntypedContext;
	if (!node) return false;
	const probe = `${node.id}:probe`;
	try {
		return withId(node, probe, () => context.getNode().id === probe);
	} catch {
		return false;
	}
}

/**
 * The row of a node, or with a name one of many. n8n reads the list of a row, changes it and writes
 * it back, so two concurrent processes lose each other's entries; but if two insert the same new
 * row, the database lets only one of them. n8n names a row after the id of the node, which it reads
 * synchronously, before any other code can run.
 */
export function processedItems(context: IExecuteFunctions, name?: string): Row {
	const { helpers } = context;
	const { node } = context as unknown as UntypedContext;
	const named = <T>(call: () => T): T =>
		node && name !== undefined ? withId(node, `${node.id}:${name}`, call) : call();
	return {
		async add(keys, maxEntries) {
			const options = { mode: 'entries', maxEntries } as const;
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
 * Waits between attempts to get a lock, in ms: 3 s in all. By then its holder has crashed, or n8n's
 * database is so slow that a repeated event is the lesser evil.
 */
const LOCK_WAITS_MS = [25, 50, 100, 200, 400, 400, 400, 400, 400, 400, 400];

/**
 * Whether the database refused a row that exists. All databases that n8n supports say so in these
 * words.
 */
const isDuplicate = (error: unknown): boolean =>
	/unique|duplicate/i.test(error instanceof Error ? error.message : String(error));

/**
 * Whether another caller holds the lock. Only one at a time can insert the row. A failing database
 * locks nobody out.
 */
async function isLocked(row: Row): Promise<boolean> {
	try {
		const [isNew] = await row.add(['held'], 1);
		return isNew !== true;
	} catch (error) {
		return isDuplicate(error);
	}
}

/** Runs `work` under a lock that holds across processes. Rejects as `work` does. */
export async function withLock<T>(lock: Row, work: () => Promise<T>): Promise<T> {
	for (const wait of LOCK_WAITS_MS) {
		if (!(await isLocked(lock))) break;
		await sleep(wait);
	}
	try {
		return await work();
	} finally {
		// Even another's lock: otherwise one left by a crashed process would delay every event by 3 s.
		// Not awaited: the next caller waits if it must.
		void lock.remove().catch(() => undefined);
	}
}

/**
 * Retries `work`, because two processes may insert a row at once.
 * @returns `undefined` if every attempt fails
 */
export async function withRetries<T>(work: () => Promise<T>): Promise<T | undefined> {
	for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
		try {
			return await work();
		} catch {
			// The caller logs it once if no attempt succeeds.
		}
	}
	return undefined;
}
