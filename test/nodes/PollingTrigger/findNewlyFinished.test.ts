import { pageOf } from '../../../src/transport/pages';
import fc from '../../support/fastCheck';
import {
	findNewlyFinished,
	MAX_SEEN,
	type PollState,
	type Reader,
} from '../../../nodes/PollingTrigger/findNewlyFinished';
import type { Resource } from '../../../src/base/types';

const DONE = ['completed', 'partially_completed', 'failed'];

const KNOWN: PollState[] = [{ workspace: 'w', seen: [], running: [] }];

const unreadable = (problem: string) => new Error(problem);

/**
 * A list of generations as the service may page it: the newest first, mixed within a page or not.
 */
class List implements Reader {
	private readonly jobs: Array<Resource & { at: number }> = [];

	private created = 0;

	private running: string[] = [];

	/** In the order in which they have ended. */
	readonly ended: string[] = [];

	/** Of the last poll. */
	requests = 0;

	/** Which request of a poll fails. */
	failsAt: number | null = null;

	/** What happens between two pages. */
	afterPage = () => {};

	states: PollState[] = [];

	workspace = 'w';

	get state(): PollState | undefined {
		return this.states[0];
	}

	constructor(private readonly mixed = false) {}

	start(count: number): void {
		for (const end = this.created + count; this.created < end; this.created += 1) {
			const at = this.created;
			this.jobs.push({ id: `gen_${at}`, object: 'generation', status: 'queued', at });
			this.running.push(`gen_${at}`);
		}
	}

	/** Deletes generations, the newest first, except for one. */
	delete(count: number): void {
		this.jobs.splice(-count - 1, count);
	}

	/** Ends the oldest of those that run, or the newest. */
	end(count: number, lifo = false): void {
		const ended = lifo ? this.running.splice(-count, count) : this.running.splice(0, count);
		for (const id of ended) {
			const job = this.jobs.find((one) => one.id === id);
			if (job) job.status = DONE[this.ended.length % 3];
			this.ended.push(id);
		}
	}

	readonly unreadable = unreadable;

	page = async (cursor: string | undefined) => {
		this.requests += 1;
		if (this.requests === this.failsAt) throw new Error('503');
		const before = cursor === undefined ? Infinity : Date.parse(cursor) / 1_000;
		const rest = this.jobs.filter(({ at }) => at < before).reverse();
		const entries = rest.slice(0, 100).map((job) => ({ ...job }));
		const last = entries.at(-1)?.at ?? 0;
		const next = rest.length > 100 ? new Date(last * 1_000).toISOString() : undefined;
		this.afterPage();
		return { entries: this.mixed ? entries.reverse() : entries, ...(next && { next }) };
	};

	read = async (id: string) => {
		this.requests += 1;
		if (this.requests === this.failsAt) return undefined;
		const job = this.jobs.find((one) => one.id === id);
		return job ? { ...job } : ('gone' as const);
	};

	/**
	 * Looks once; gives the ids of what has finished. The state goes through JSON, as in n8n's
	 * database; a poll that fails changes nothing.
	 */
	async poll(): Promise<string[]> {
		this.requests = 0;
		const result = await findNewlyFinished(this, this.workspace, this.states).catch(
			() => undefined,
		);
		if (!result) return [];
		this.states = JSON.parse(JSON.stringify(result.states)) as PollState[];
		return result.finished.map(({ id }) => id);
	}
}

const sorted = (ids: string[]) => [...ids].sort();

test('emits each of 6,000 that finish in a day without polls once, and asks little when nothing is new', async () => {
	const list = new List();
	list.start(350);
	list.end(350);
	expect(await list.poll()).toEqual([]);
	list.start(6_000);
	list.end(6_000);
	expect(sorted(await list.poll())).toEqual(sorted(list.ended.slice(350)));
	expect(await list.poll()).toEqual([]);
	expect(list.state?.seen.length).toBeLessThanOrEqual(MAX_SEEN);
	expect(list.requests).toBe(1);
});

test('whatever fails or moves while it is read, each is emitted once, also with another key', async () => {
	const step = fc.record({
		started: fc.integer({ min: 0, max: 160 }),
		ended: fc.integer({ min: 0, max: 160 }),
		lifo: fc.boolean(),
		// What is created between two pages; half as many end.
		between: fc.integer({ min: 0, max: 30 }),
		failsAt: fc.option(fc.integer({ min: 1, max: 6 }), { freq: 2 }),
		hasOtherKey: fc.boolean(),
	});
	const steps = fc.array(step, { maxLength: 8 });
	await fc.assert(
		fc.asyncProperty(fc.boolean(), fc.nat(400), steps, async (mixed, history, all) => {
			const list = new List(mixed);
			list.start(history);
			list.end(history);
			const found = await list.poll();
			for (const { started, ended, lifo, between, failsAt, hasOtherKey } of all) {
				list.start(started);
				list.end(ended, lifo);
				// Where nothing was known, the new key may be of another workspace.
				const { seen = [], running = [] } = list.state ?? {};
				if (hasOtherKey && seen.length + running.length > 0) list.workspace += 'w';
				list.failsAt = failsAt;
				list.afterPage = () => {
					list.start(between);
					list.end(Math.floor(between / 2));
				};
				found.push(...(await list.poll()));
			}
			list.failsAt = null;
			list.afterPage = () => {};
			const expected = list.ended.slice(history);
			for (let more = 0; more < 600 && found.length < expected.length; more += 1)
				found.push(...(await list.poll()));
			expect(sorted(found)).toEqual(sorted(expected));
		}),
		{ numRuns: 40 },
	);
});

test.each<[number, boolean, boolean]>([
	[1, false, false],
	[1, true, false],
	[99, false, false],
	[100, true, false],
	[1, false, true],
	[99, true, true],
])(
	'after %i were deleted nothing old is emitted (mixed: %s, state of an older version: %s)',
	async (deleted, mixed, isOld) => {
		const list = new List(mixed);
		list.start(350);
		list.end(310);
		expect(await list.poll()).toEqual([]);
		if (isOld && list.state) {
			// Its first poll has read one page only.
			const { workspace, seen, running } = list.state;
			list.states = [{ workspace, seen: seen.slice(0, 60), running }];
			expect(await list.poll()).toEqual([]);
		}
		list.end(20);
		expect(sorted(await list.poll())).toEqual(sorted(list.ended.slice(310)));
		list.delete(deleted);
		expect(await list.poll()).toEqual([]);
		list.start(3);
		list.end(3, true);
		expect(sorted(await list.poll())).toEqual(sorted(list.ended.slice(330)));
		expect(await list.poll()).toEqual([]);
	},
);

test('a repeated cursor and an endless list do not keep a poll from ending', async () => {
	const same: Reader = {
		page: async () => ({ entries: [{ id: 'a', status: 'completed' }], next: 'same' }),
		read: async () => undefined,
		unreadable,
	};
	await findNewlyFinished(same, 'w', KNOWN);
	let count = 0;
	const endless: Reader = {
		async page() {
			count += 1;
			return { entries: [{ id: `x${count}`, status: 'completed' }], next: `c${count}` };
		},
		read: async () => undefined,
		unreadable,
	};
	const { complete } = await findNewlyFinished(endless, 'w', KNOWN);
	expect([complete, count]).toEqual([false, 200]);
});

test('entries that are not generations are skipped, unknown statuses count as unfinished', async () => {
	const odd: Reader = {
		page: async () =>
			pageOf({ data: [null, 'x', { id: 7 }, { id: 'a', status: 'no_such_status' }, { id: 'b' }] }),
		read: async () => undefined,
		unreadable,
	};
	const { finished, states } = await findNewlyFinished(odd, 'w', KNOWN);
	expect(finished).toEqual([]);
	expect(states[0]?.running).toEqual(['a', 'b']);
});
