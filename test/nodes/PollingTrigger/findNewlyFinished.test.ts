import fc from '../../support/fastCheck';
import {
	findNewlyFinished,
	MAX_SEEN,
	type PollState,
	type Reader,
} from '../../../nodes/PollingTrigger/findNewlyFinished';
import type { Resource } from '../../../src/base/types';

const DONE = ['completed', 'partially_completed', 'failed'];

/**
 * A list of generations as the service may page it: the newest first, mixed within a page or not.
 */
class List implements Reader {
	readonly jobs: Array<Resource & { at: number }> = [];

	requests = 0;

	state: PollState | undefined;

	readonly unreadable = (problem: string) => new Error(problem);

	constructor(private readonly mixed = false) {}

	make(status = 'queued'): string {
		const at = this.jobs.length;
		const id = `gen_${at}`;
		this.jobs.push({ id, object: 'generation', status, at });
		return id;
	}

	makeMany(count: number, status = 'completed'): string[] {
		return Array.from({ length: count }, () => this.make(status));
	}

	end(id: string, status = 'completed'): void {
		const job = this.jobs.find((one) => one.id === id);
		if (job) job.status = status;
	}

	page = async (cursor: string | undefined) => {
		this.requests += 1;
		const before = cursor === undefined ? Infinity : Date.parse(cursor) / 1_000;
		const rest = this.jobs.filter(({ at }) => at < before).reverse();
		const entries = rest.slice(0, 100).map((job) => ({ ...job }));
		const last = entries.at(-1)?.at ?? 0;
		const next = rest.length > 100 ? new Date(last * 1_000).toISOString() : undefined;
		return { entries: this.mixed ? entries.reverse() : entries, ...(next && { next }) };
	};

	read = async (id: string) => {
		this.requests += 1;
		const job = this.jobs.find((one) => one.id === id);
		return job ? { ...job } : ('gone' as const);
	};

	/**
	 * Looks once; gives the ids of what has finished. The state goes through JSON, as in n8n's
	 * database.
	 */
	async poll(): Promise<string[]> {
		this.requests = 0;
		const { finished, state } = await findNewlyFinished(this, 'w', this.state);
		this.state = JSON.parse(JSON.stringify(state)) as PollState;
		return finished.map(({ id }) => id);
	}
}

const sorted = (ids: string[]) => [...ids].sort();

test('emits each of 6,000 that finish in a day without polls once, and asks little when nothing is new', async () => {
	const list = new List();
	list.makeMany(350);
	await list.poll();
	const made = list.makeMany(6_000);
	expect(sorted(await list.poll())).toEqual(sorted(made));
	expect(await list.poll()).toEqual([]);
	expect(list.state?.seen.length).toBeLessThanOrEqual(MAX_SEEN);
	expect(list.requests).toBe(1);
});

test('whatever fails or moves while it is read, each is emitted once, also with another key', async () => {
	const step = fc.record({
		made: fc.integer({ min: 0, max: 160 }),
		ended: fc.integer({ min: 0, max: 160 }),
		lifo: fc.boolean(),
		// What is created and ends between two pages, and which request of the poll fails.
		madeBetween: fc.integer({ min: 0, max: 30 }),
		failsAt: fc.option(fc.integer({ min: 1, max: 6 }), { freq: 2 }),
		hasOtherKey: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(
			fc.boolean(),
			fc.nat(400),
			fc.array(step, { maxLength: 8 }),
			async (mixed, history, steps) => {
				const list = new List(mixed);
				list.makeMany(history);
				let state: PollState | undefined;
				let workspace = 'w';
				const found: string[] = [];
				const expected: string[] = [];
				const running: string[] = [];
				const endSome = (count: number, lifo = false) => {
					const ended = lifo ? running.splice(-count, count) : running.splice(0, count);
					for (const [at, id] of ended.entries()) {
						list.end(id, DONE[at % 3]);
						expected.push(id);
					}
				};
				const poll = async ({ madeBetween = 0, failsAt = null as number | null } = {}) => {
					let requests = 0;
					const asked = () => {
						requests += 1;
						if (requests === failsAt) throw new Error('503');
					};
					const reader: Reader = {
						unreadable: list.unreadable,
						page: async (cursor) => {
							asked();
							const page = await list.page(cursor);
							for (let count = 0; count < madeBetween; count += 1) running.push(list.make());
							endSome(Math.floor(madeBetween / 2));
							return page;
						},
						read: async (id) => {
							if (requests + 1 === failsAt) {
								requests += 1;
								return undefined;
							}
							asked();
							return await list.read(id);
						},
					};
					const result = await findNewlyFinished(reader, workspace, state).catch(() => undefined);
					if (!result) return;
					({ state } = JSON.parse(JSON.stringify(result)) as { state: PollState });
					found.push(...result.finished.map(({ id }) => id));
				};
				await poll();
				for (const { made, ended, lifo, madeBetween, failsAt, hasOtherKey } of steps) {
					for (let count = 0; count < made; count += 1) running.push(list.make());
					endSome(ended, lifo);
					// Where nothing was known, the new key may be of another workspace.
					const isKnown = (state?.seen.length ?? 0) + (state?.running.length ?? 0) > 0;
					if (hasOtherKey && isKnown) workspace += 'w';
					await poll({ madeBetween, failsAt });
				}
				for (let more = 0; more < 600 && found.length < expected.length; more += 1) await poll();
				expect(sorted(found)).toEqual(sorted(expected));
			},
		),
		{ numRuns: 40 },
	);
});
