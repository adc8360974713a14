import { IDEMPOTENCY_HEADER } from '../../../src/api';
import { newMemory, nodeMemoryIn } from '../../../src/creation/idempotency/itemState';
import type { Settings } from '../../../src/creation/item';
import type { ApiRequest, Send } from '../../../src/base/types';
import type { Workspace } from '../../../src/transport/workspace';
import { LedgerService, type Behaviour } from '../../model/ledgerService';
import { createJob, hostWith, runAll, workspaceWith } from '../../model/run';
import { VirtualClock } from '../../model/virtualClock';

const HOUR = 3_600_000;

/** A service, and executions that ask it for the same content. */
function setUp(habits: Partial<Behaviour>) {
	const clock = new VirtualClock();
	const usual = {
		caches402: false,
		balanceFirst: false,
		comparesBody: true,
		showsNow: true,
		saysWhen: false,
	};
	const ledger = new LedgerService(clock, { ...usual, ...habits }, () => {});
	let executions = 0;
	/** Jobs from now on. */
	const jobs = (fails: boolean, takes = 10_000) => {
		ledger.next = () => ({ takes, fails });
	};
	/** A process begins with nothing known. */
	const start = () => workspaceWith(clock);
	/** An execution: one run of the node with so many items, each with its own memory. */
	const begin = async (
		workspace: Workspace,
		items = 1,
		more: Partial<Settings> = {},
		send: Send = ledger.send,
	) => {
		executions += 1;
		const executionId = `execution ${executions}`;
		const nodeMemory = nodeMemoryIn({}, executionId);
		const host = hostWith(send);
		const settings = { idempotency: 'content' as const, ...more };
		const parts = () => {
			const memory = newMemory();
			return { host, workspace, nodeMemory, memory, settings, origin: { executionId } };
		};
		return await runAll(items, parts, createJob);
	};
	const execute = async (...all: Parameters<typeof begin>) => await clock.run(begin(...all));
	/** An execution of one item in a process of its own. */
	const once = async () => (await execute(start()))[0];
	const paid = () => ledger.charges.map(({ id }) => id);
	return { clock, ledger, jobs, start, begin, execute, once, paid };
}

describe.each([
	['repeats its first answer', false],
	['shows the job as it is now', true],
])('By Content, at a service that %s to a key that it knows', (_name, showsNow) => {
	test('one that fails at once ends the item, with one charge', async () => {
		const { jobs, once, paid } = setUp({ showsNow });
		jobs(true, 0);
		expect(await once()).toMatchObject({ failure: { kind: 'jobFailed' } });
		expect(paid()).toHaveLength(1);
	});

	test.each([1, 2, 5])(
		'a job that fails ends the item with one charge, and after %i of them a run makes one',
		async (runs) => {
			const { clock, jobs, once, paid } = setUp({ showsNow });
			jobs(true);
			for (let time = 1; time <= runs; time += 1) {
				const job = { id: `gen_${time}` };
				expect(await once()).toMatchObject({ failure: { kind: 'jobFailed' }, job });
				expect(paid()).toHaveLength(time);
				await clock.pass(HOUR);
			}
			jobs(false);
			const id = `gen_${runs + 1}`;
			expect(await once()).toMatchObject({ value: { id, status: 'completed' } });
			expect(paid()).toHaveLength(runs + 1);
		},
	);

	test('after one failed job the next one is found by every later run, in other processes too', async () => {
		const { clock, jobs, once, paid } = setUp({ showsNow });
		jobs(true);
		await once();
		await clock.pass(HOUR);
		jobs(false);
		for (let time = 0; time < 3; time += 1)
			expect(await once()).toMatchObject({ value: { id: 'gen_2' } });
		expect(paid()).toEqual(['gen_1', 'gen_2']);
	});

	test('with Wait off, the job of hours ago that has failed is not output: a new one is', async () => {
		const { clock, jobs, execute, start, paid } = setUp({ showsNow });
		const settings = { waitForCompletion: false };
		const process = start();
		jobs(true, 60_000);
		const [first] = await execute(process, 1, settings);
		expect(first).toMatchObject({ value: { status: 'queued' } });
		await clock.pass(3 * HOUR);
		jobs(false, 60_000);
		for (const workspace of [process, start(), start()]) {
			const [later] = await execute(workspace, 1, settings);
			expect(later).toMatchObject({ value: { id: 'gen_2', status: 'queued' } });
		}
		expect(paid()).toEqual(['gen_1', 'gen_2']);
	});

	test.each([true, false])('identical items of a run get the same job (wait: %s)', async (wait) => {
		const { execute, start, paid } = setUp({ showsNow });
		const made = await execute(start(), 7, { waitForCompletion: wait });
		for (const each of made) expect(each).toMatchObject({ value: { id: 'gen_1' } });
		expect(paid()).toEqual(['gen_1']);
	});
});

test('a wait for credits adds no job to the one that a run makes', async () => {
	const { clock, ledger, jobs, execute, start, paid } = setUp({});
	jobs(true, 0);
	ledger.balance = 0;
	clock.after(60_000, () => {
		ledger.balance = 100;
	});
	await execute(start(), 1, { onInsufficientCredits: 'wait' });
	expect(paid()).toHaveLength(1);
});

test('while credits lack, a turn to try takes two requests at most, each under a key of its own', async () => {
	const { clock, ledger, execute, start } = setUp({});
	ledger.balance = 0;
	const tries: Array<{ at: number; key: string }> = [];
	const send = async (request: ApiRequest) => {
		const key = request.headers?.[IDEMPOTENCY_HEADER] ?? '';
		if (request.method === 'POST') tries.push({ at: clock.now(), key });
		return await ledger.send(request);
	};
	const waiting = { onInsufficientCredits: 'wait', creditWaitTimeoutMs: 90_000 } as const;
	await execute(start(), 3, waiting, send);
	const turns = new Map<number, string[]>();
	for (const { at, key } of tries) turns.set(at, [...(turns.get(at) ?? []), key]);
	expect(turns.size).toBeGreaterThan(3);
	const later = [...turns.values()].slice(1);
	expect(later.filter((keys) => keys.length > 2 || new Set(keys).size < keys.length)).toEqual([]);
	expect(Math.max(...later.map((keys) => keys.length))).toBe(2);
});

test('a day after its first try a content is paid for again', async () => {
	const { clock, once } = setUp({});
	await once();
	await clock.pass(24 * HOUR);
	expect(await once()).toMatchObject({ value: { id: 'gen_2' } });
});

test.each([
	['keeps a 402 for its key', true],
	['keeps no refusal', false],
])(
	'after a 402, at a service that %s, the run asks once more under the key of its execution, and the next one is paid for',
	async (_name, caches402) => {
		const { ledger, once, paid } = setUp({ caches402 });
		ledger.balance = 0;
		expect(await once()).toMatchObject({ failure: { status: 402 } });
		expect([paid(), ledger.posts]).toEqual([[], 2]);
		ledger.balance = 5;
		expect(await once()).toMatchObject({ value: { status: 'completed' } });
		expect(paid()).toHaveLength(1);
	},
);

test('where a 402 is kept for a key, what was paid after a top-up is given again in the same process only', async () => {
	const { ledger, execute, once, start, paid } = setUp({ caches402: true });
	const workspace = start();
	ledger.balance = 0;
	expect(await execute(workspace)).toMatchObject([{ failure: { status: 402 } }]);
	ledger.balance = 5;
	const job = { value: { id: 'gen_1', status: 'completed' } };
	for (let click = 0; click < 3; click += 1) expect(await execute(workspace)).toMatchObject([job]);
	expect(paid()).toEqual(['gen_1']);
	// What another process asks for, the service refuses as before.
	expect(await once()).toMatchObject({ value: { id: 'gen_2' } });
});

test('and so it is in the rows beside it, and past the limit of an execution', async () => {
	const { ledger, execute, start, paid } = setUp({ caches402: true });
	const workspace = start();
	ledger.balance = 0;
	await execute(workspace);
	ledger.balance = 5;
	const job = { value: { id: 'gen_1', status: 'completed' } };
	expect(await execute(workspace, 3)).toMatchObject([job, job, job]);
	expect(await execute(workspace, 1, { maxCredits: 0.5 })).toMatchObject([job]);
	expect(workspace.isUnused).toBe(false);
	expect(paid()).toEqual(['gen_1']);
});

test('and so it is in executions that begin at once', async () => {
	const { clock, ledger, begin, execute, start, paid } = setUp({ caches402: true });
	const workspace = start();
	ledger.balance = 0;
	await execute(workspace);
	ledger.balance = 5;
	// Longer than a creation without an answer holds up the next one.
	const { send } = ledger;
	const slow = async (request: ApiRequest) => {
		await clock.sleep(3_000);
		return await send(request);
	};
	const both = Promise.all([begin(workspace, 2, {}, slow), begin(workspace, 1, {}, slow)]);
	const job = { value: { id: 'gen_1', status: 'completed' } };
	expect((await clock.run(both)).flat()).toMatchObject([job, job, job]);
	expect(paid()).toEqual(['gen_1']);
});

test('and so it is after one more 402, at a service that looks at the balance before the key', async () => {
	const { ledger, execute, start, paid } = setUp({ caches402: true });
	const workspace = start();
	ledger.balance = 0;
	await execute(workspace);
	ledger.balance = 5;
	await execute(workspace);
	ledger.outcome = () => 402;
	await execute(workspace);
	ledger.outcome = () => 'answer';
	await execute(workspace);
	expect(paid()).toEqual(['gen_1']);
});

test('a day later all processes share the key of the request again', async () => {
	const { clock, ledger, execute, once, start, paid } = setUp({ caches402: true });
	const workspace = start();
	ledger.balance = 0;
	await execute(workspace);
	ledger.balance = 5;
	await execute(workspace);
	await clock.pass(25 * HOUR);
	const job = { value: { id: 'gen_2', status: 'completed' } };
	expect(await execute(workspace)).toMatchObject([job]);
	expect(await once()).toMatchObject(job);
	expect(paid()).toEqual(['gen_1', 'gen_2']);
});
