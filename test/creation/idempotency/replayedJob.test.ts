import type { NodeExecutionHint } from 'n8n-workflow';
import type { ApiRequest, Resource, SendResult } from '../../../src/base/types';
import { answer, errorBody } from '../../model/answers';
import type { NodeRun } from '../../support/nodeContext';
import { byId, clock, ended, setUp, type Part } from '../../support/serviceRun';

jest.mock('../../../src/base/clock', () => jest.requireActual('../../support/virtualTime'));

/*
 * Under a key that others share, an answer may be about a job that was there before. Before services whose
 * dates are missing or wrong, and whose jobs end at once: no try pays twice, and what is paid for counts.
 */

const PRICE = 2;
const HOUR = 3_600_000;

interface Charge {
	id: string;
	at: number;
	fails: boolean;
}

interface Habits {
	/** What a job says of when it was made. */
	madeAt?: (at: number) => unknown;
	/** Whether an answer says what time it is. */
	isDated: boolean;
	/** Whether the list goes on from a moment. */
	hasCursor: boolean;
	/** Whether a repeated creation is answered with its first answer. */
	repeatsFirst: boolean;
	/** For how long it keeps a key, in ms. */
	keepsFor?: number;
}

/** A service whose jobs have ended when they are read first. */
class Ledger {
	readonly charges: Charge[] = [];
	fails = false;
	private readonly keys = new Map<string, Charge>();

	constructor(readonly habits: Habits) {}

	private shown({ id, at, fails }: Charge, isOver: boolean): Resource {
		const end = fails
			? { status: 'failed', errors: [{ message: 'no' }] }
			: { status: 'completed', outputs: [{ id: 'o', url: 'https://media.example/a.png' }] };
		const job = { id, object: 'generation', mode: 'image', model: 'm', estimated_credits: PRICE };
		const created_at = this.habits.madeAt?.(at);
		return {
			...job,
			...(isOver ? end : { status: 'queued' }),
			...(created_at ? { created_at } : {}),
		};
	}

	private create({ path, headers }: ApiRequest): Resource {
		const { keepsFor = 24 * HOUR, repeatsFirst } = this.habits;
		const key = `${path} ${headers?.['Idempotency-Key']}`;
		const known = this.keys.get(key);
		if (known && clock.now() - known.at < keepsFor) return this.shown(known, !repeatsFirst);
		const made = { id: `gen_${this.charges.length + 1}`, at: clock.now(), fails: this.fails };
		this.charges.push(made);
		this.keys.set(key, made);
		return this.shown(made, false);
	}

	async send(request: ApiRequest): Promise<SendResult> {
		const { method, path, query } = request;
		await clock.sleep(50);
		const date = { date: new Date(clock.now()).toUTCString() };
		const headers: Record<string, string> = this.habits.isDated ? date : {};
		if (method === 'POST') return answer(202, this.create(request), headers);
		if (path === '/usage') return answer(200, { object: 'usage', data: [] }, headers);
		if (path === '/generations') {
			const { hasCursor } = this.habits;
			const before = hasCursor && query?.cursor ? Date.parse(String(query.cursor)) : Infinity;
			const data = this.charges.filter(({ at }) => at < before).reverse();
			const entries = data.map((one) => this.shown(one, true));
			return answer(200, { object: 'list', data: entries, has_more: false }, headers);
		}
		const one = this.charges.find(({ id }) => path.endsWith(`/${id}`));
		return one ? answer(200, this.shown(one, true), headers) : answer(404, errorBody('no'));
	}
}

/** What n8n has stored of an execution that has failed before it has sent anything. */
const FAILED = { runId: 'failed', startedIn: 'failed' };

/** What is not as usual in an execution. */
interface Start extends Partial<NodeRun> {
	options?: object;
}

let processes = 0;

/**
 * A process that asks for the same with each execution, unless it is told another prompt. With *On Retries*
 * each is a retry of one that has sent nothing, which all processes have been given.
 */
function processOf(
	ledger: Ledger,
	options: { idempotency?: string; maxCredits?: number } = {},
	more: Part = {},
) {
	const set = { idempotency: 'content', idempotencyKey: 'k', ...options };
	const isRetry = set.idempotency === 'execution';
	processes += 1;
	const t = setUp({
		given: { model: byId('m'), downloadOutputs: false, options: set },
		answers: async (request) => await ledger.send(request),
		// What a process keeps for retries is by workflow.
		...(isRetry ? { mode: 'retry', workflowId: `process ${processes}` } : {}),
		...more,
	});
	let executions = 0;
	const start = async (prompt = 'p', { options: given = set, ...own }: Start = {}) => {
		executions += 1;
		const hints: NodeExecutionHint[] = [];
		const before = ledger.charges.length;
		const nodeMemory = isRetry ? { mediaGen: { ...FAILED, items: {} } } : {};
		const run = { hints, executionId: `e${executions}`, nodeMemory, ...own };
		const made = await ended(t.run(run, { prompt, options: given }));
		return { ...made, charges: ledger.charges.length - before, receipt: hints[0]?.message };
	};
	return { ...t, start };
}

/** Who repeats a key of another process: who asks for the same, who has the same key, or another retry. */
const REPEATS = ['content', 'custom', 'execution'];

const iso = (at: number) => new Date(at).toISOString();

const DATES: Array<[string, Habits['madeAt']]> = [
	['none', undefined],
	['the right ones', iso],
	['always the same one', () => '2025-01-01T00:00:00Z'],
	['seconds behind', (at) => iso(at - 8_000)],
	['of a clock that is five hours behind', (at) => iso(at - 5 * HOUR)],
	['without a zone', (at) => iso(at).slice(0, 19).replace('T', ' ')],
	['numbers', (at) => at],
];

const HABITS = DATES.flatMap(([dates, madeAt]) =>
	[true, false].flatMap((hasCursor) =>
		[true, false].flatMap((isDated) =>
			[true, false].map((repeatsFirst) => ({ dates, madeAt, hasCursor, isDated, repeatsFirst })),
		),
	),
);

describe.each(HABITS)(
	'dates: $dates, cursor $hasCursor, Date $isDated, repeats $repeatsFirst',
	(habits) => {
		test('a job that fails at once is paid for once in a try', async () => {
			const ledger = new Ledger(habits);
			ledger.fails = true;
			const { charges, error } = await processOf(ledger).start();
			const most = habits.dates.includes('five hours') ? 2 : 1;
			expect(charges).toBeLessThanOrEqual(most);
			expect(error?.message).toMatch(/^The job failed/);
		});

		test('who asks again after a failed job gets a new one, in the same process at once', async () => {
			const ledger = new Ledger(habits);
			const t = processOf(ledger);
			ledger.fails = true;
			for (let time = 0; time < 3; time += 1) await t.start();
			ledger.fails = false;
			await clock.pass(HOUR / 2);
			const again = await t.start();
			expect([again.error?.message, again.charges]).toEqual([undefined, 1]);
		});

		test('in another process too, after a try for each failed job at most', async () => {
			const ledger = new Ledger(habits);
			ledger.fails = true;
			for (let time = 0; time < 3; time += 1) {
				await processOf(ledger).start();
				await clock.pass(HOUR / 2);
			}
			ledger.fails = false;
			const failed = ledger.charges.length;
			const t = processOf(ledger);
			let tries = 0;
			for (let isMade = false; !isMade; tries += 1) {
				isMade = (await t.start()).error === undefined;
				expect(tries).toBeLessThan(5);
			}
			const isSaid = habits.hasCursor || habits.dates === 'the right ones';
			const isWrong = habits.dates.includes('five hours');
			if (isSaid && habits.isDated && !isWrong) expect(tries).toBe(1);
			expect(ledger.charges.length).toBeLessThanOrEqual(failed + 1);
		});

		test('what is made at once is paid for, and counts: the limit holds', async () => {
			const ledger = new Ledger(habits);
			const prompts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
			const more: Part = { continueOnFail: true, own: (item) => ({ prompt: prompts[item] }) };
			const t = processOf(ledger, {}, more);
			const items = prompts.map(() => ({ json: {} }));
			const options = { idempotency: 'content', maxCredits: 3 * PRICE };
			await ended(t.run({ items, executionId: 'limited', nodeMemory: {} }, { options }));
			const most = habits.dates.includes('five hours') ? prompts.length : 3;
			expect(ledger.charges.length).toBeLessThanOrEqual(most);
		});

		test.each(REPEATS)('%s: the receipt says nothing that is not so', async (idempotency) => {
			const ledger = new Ledger(habits);
			const { receipt } = await processOf(ledger, { idempotency }).start();
			if (!habits.dates.includes('five hours'))
				expect(receipt).not.toContain('as before: 0 credits');
			const { receipt: again } = await processOf(ledger, { idempotency }).start();
			expect(ledger.charges).toHaveLength(1);
			expect(again).not.toMatch(/made, for 2 credits\.<\/b>/);
		});
	},
);

const USUAL: Habits = { isDated: true, hasCursor: true, repeatsFirst: true, madeAt: iso };

test('one that has failed just now in another process may be of this try: it ends that, and not the next', async () => {
	const ledger = new Ledger(USUAL);
	ledger.fails = true;
	await processOf(ledger).start();
	ledger.fails = false;
	await clock.pass(30_000);
	const t = processOf(ledger);
	const [first, second] = [await t.start(), await t.start()];
	expect([first.error?.message, first.charges]).toEqual([expect.stringMatching(/failed/), 0]);
	expect([second.error, second.charges]).toEqual([undefined, 1]);
});

test('the clock of the jobs is five hours behind: the second that fails is known to be paid for, and counts', async () => {
	const ledger = new Ledger({ ...USUAL, madeAt: (at) => iso(at - 5 * HOUR) });
	ledger.fails = true;
	const { charges, error } = await processOf(ledger).start();
	expect(charges).toBe(2);
	expect(error?.description).toContain('has reserved 2 credits');
});

describe('what another process has made minutes ago', () => {
	test.each(REPEATS)('%s: the receipt says that it was there before', async (idempotency) => {
		for (const repeatsFirst of [true, false]) {
			const ledger = new Ledger({ ...USUAL, repeatsFirst });
			await processOf(ledger, { idempotency }).start();
			await clock.pass(5 * 60_000);
			const { receipt } = await processOf(ledger, { idempotency }).start();
			expect(receipt).toContain('The same picture as before: 0 credits');
		}
	});

	test.each(REPEATS)('%s: also if it has failed', async (idempotency) => {
		for (const repeatsFirst of [true, false]) {
			const ledger = new Ledger({ ...USUAL, repeatsFirst });
			ledger.fails = true;
			const more: Part = { continueOnFail: true };
			await processOf(ledger, { idempotency }, more).start();
			await clock.pass(5 * 60_000);
			const { receipt, charges } = await processOf(ledger, { idempotency }, more).start();
			expect(receipt?.includes('had reserved 2 credits')).toBe(charges === 1);
		}
	});

	test('a retry counts it for its limit all the same', async () => {
		for (const repeatsFirst of [true, false]) {
			const ledger = new Ledger({ ...USUAL, repeatsFirst });
			const options = { idempotency: 'execution', maxCredits: PRICE };
			await processOf(ledger, options).start();
			await clock.pass(5 * 60_000);
			const t = processOf(ledger, options);
			const nodeMemory = { mediaGen: { ...FAILED, items: {} } };
			expect((await t.start('p', { nodeMemory })).error).toBeUndefined();
			const { error } = await t.start('another', { nodeMemory, runIndex: 1 });
			expect(error?.message).toMatch(/^Max Credits per Execution \(2\) would be exceeded/);
		}
	});
});

describe('keys that a service has forgotten', () => {
	test.each([HOUR / 4, 0])(
		'after %i ms: past a limit goes one of them at most',
		async (keepsFor) => {
			for (const madeAt of [iso, undefined]) {
				const ledger = new Ledger({ ...USUAL, madeAt });
				const prompts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
				const t = processOf(
					ledger,
					{},
					{ continueOnFail: true, own: (item) => ({ prompt: prompts[item] }) },
				);
				const items = prompts.map(() => ({ json: {} }));
				await ended(t.run({ items, executionId: 'first', nodeMemory: {} }));
				ledger.habits.keepsFor = keepsFor;
				await clock.pass(HOUR / 2);
				const options = { idempotency: 'content', maxCredits: 1 };
				await ended(t.run({ items, executionId: 'limited', nodeMemory: {} }, { options }));
				expect(ledger.charges.length).toBeLessThanOrEqual(prompts.length + 1);
			}
		},
	);

	test('when the machine has slept for a day, no key is known to be paid for', async () => {
		const ledger = new Ledger(USUAL);
		const t = processOf(ledger);
		await t.start();
		// The monotonic clock stands still meanwhile.
		clock.setWall(25 * HOUR);
		const { charges } = await t.start('p', {
			options: { idempotency: 'content', maxCredits: 1 },
		});
		expect(charges).toBe(0);
	});

	test('one that waits for its turn meanwhile finds out what was spent today', async () => {
		const ledger = new Ledger({ ...USUAL });
		const t = processOf(ledger);
		for (const prompt of ['a', 'b']) await t.start(prompt);
		ledger.habits.keepsFor = 0;
		const options = { idempotency: 'content', maxCreditsPerDay: 1_000 };
		const both = await Promise.all([t.start('a', { options }), t.start('b', { options })]);
		expect(both.map(({ error }) => error?.message)).toEqual([undefined, undefined]);
	});

	test('that of a job that has failed is known no more', async () => {
		const ledger = new Ledger(USUAL);
		const t = processOf(ledger, { idempotency: 'custom' });
		ledger.fails = true;
		await t.start();
		// Some services drop what has failed.
		ledger.habits.keepsFor = 0;
		ledger.fails = false;
		const options = { idempotency: 'custom', idempotencyKey: 'k', maxCredits: 1 };
		expect((await t.start('p', { options })).charges).toBe(0);
	});

	test('an Own Key of another request is none of this one', async () => {
		const ledger = new Ledger({ ...USUAL, keepsFor: 0 });
		const t = processOf(ledger);
		const options = { idempotency: 'custom', idempotencyKey: 'k' };
		await t.start('a', { options });
		expect((await t.start('b', { options: { ...options, maxCredits: 1 } })).charges).toBe(0);
	});
});

test.each(['execution', 'none'])(
	'%s: what is new counts, whatever ids begin anew',
	async (idempotency) => {
		let number = 0;
		const t = setUp({
			json: [{}, {}, {}, {}],
			given: { model: byId('m'), downloadOutputs: false, options: { idempotency, maxCredits: 4 } },
			own: (item) => ({ prompt: `p${item}` }),
			continueOnFail: true,
			answers: ({ method }) => {
				if (method === 'POST') number += 1;
				const job = { id: `gen_${number}`, object: 'generation', mode: 'image', model: 'm' };
				const list = { object: 'list', data: [], has_more: false };
				const made = { ...job, status: 'completed', outputs: [], estimated_credits: 2 };
				return method === 'POST' ? answer(202, made) : answer(200, list);
			},
		});
		for (const executionId of ['e1', 'e2', 'e3']) {
			// As by a service that was started again.
			number = 0;
			await ended(t.run({ executionId, nodeMemory: {} }));
			expect(number).toBe(2);
		}
	},
);
