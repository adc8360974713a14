import { Run } from '../../src/run/run';
import { newMemory, nodeMemory, type NodeMemory } from '../../src/run/state';
import type { Settings } from '../../src/run/item';
import type { Workspace } from '../../src/service/workspace';
import { LedgerService, type Behaviour } from '../model/ledgerService';
import { createJob, hostWith, runOf, workspaceWith, type RunParts } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const HOUR = 3_600_000;

/** How services differ in what they say to a key that they know. */
const HABITS: Array<[name: string, showsNow: boolean]> = [
	['repeats its first answer', false],
	['shows the job as it is now', true],
];

interface Parts extends Partial<RunParts> {
	settings?: Partial<Settings>;
}

/** A service, and executions that ask it for the same content. */
function setUp(showsNow: boolean, habits: Partial<Behaviour> = {}) {
	const clock = new VirtualClock();
	const behaviour = { caches402: false, balanceFirst: false, comparesBody: true, showsNow };
	const ledger = new LedgerService(clock, { ...behaviour, ...habits }, () => {});
	const host = hostWith(ledger.send);
	let executions = 0;
	/** Jobs from now on. */
	const jobs = (fails: boolean, takes = 10_000) => {
		ledger.next = () => ({ takes, fails });
	};
	/** A process begins with nothing known. */
	const start = () => workspaceWith(clock);
	/** An execution: its own memory, one run of the node with so many items. */
	const execute = async (workspace: Workspace, items = 1, more: Parts = {}) => {
		executions += 1;
		const executionId = `execution ${executions}`;
		const node: NodeMemory = more.node ?? nodeMemory({}, executionId);
		const run = new Run(items, false);
		const made = Array.from({ length: items }, async (_, itemIndex) => {
			const parts = { host, workspace, run, node, itemIndex, memory: newMemory(), ...more };
			const settings = { idempotency: 'content' as const, ...more.settings };
			const origin = { executionId, item: `0:${itemIndex}`, ...more.origin };
			return await createJob(runOf({ ...parts, settings, origin }));
		});
		return await clock.run(Promise.all(made));
	};
	const once = async (workspace = start(), more: Parts = {}) =>
		(await execute(workspace, 1, more))[0];
	const paid = () => ledger.charges.map(({ id }) => id);
	return { clock, ledger, jobs, start, execute, once, paid };
}

describe.each(HABITS)('By Content, at a service that %s', (_name, showsNow) => {
	test('a job of this run that fails ends the item with one charge', async () => {
		const { jobs, once, paid } = setUp(showsNow);
		jobs(true);
		expect(await once()).toMatchObject({ failure: { kind: 'jobFailed' }, job: { id: 'gen_1' } });
		expect(paid()).toEqual(['gen_1']);
	});

	test('one that fails at once is made twice more in the run, under the other keys, and then ends it', async () => {
		const { jobs, once, paid } = setUp(showsNow);
		jobs(true, 0);
		expect(await once()).toMatchObject({ failure: { kind: 'jobFailed' } });
		expect(paid()).toHaveLength(3);
	});

	test.each([1, 2, 5])(
		'after %i failed jobs a run makes one, and it is at most one',
		async (runs) => {
			const { clock, jobs, once, paid } = setUp(showsNow);
			jobs(true);
			for (let time = 1; time <= runs; time += 1) {
				expect(await once()).toMatchObject({ failure: { kind: 'jobFailed' } });
				expect(paid()).toHaveLength(time);
				await clock.pass(HOUR);
			}
			jobs(false);
			const id = `gen_${runs + 1}`;
			expect(await once()).toMatchObject({ value: { id, status: 'completed' } });
			expect(paid()).toHaveLength(runs + 1);
		},
	);

	test('after one failed job the next one is found by every later run, after two only by their own', async () => {
		const { clock, jobs, once, paid } = setUp(showsNow);
		jobs(true);
		await once();
		await clock.pass(HOUR);
		jobs(false);
		for (let time = 0; time < 3; time += 1)
			expect(await once()).toMatchObject({ value: { id: 'gen_2' } });
		expect(paid()).toEqual(['gen_1', 'gen_2']);
	});

	test('with Wait off, the job of hours ago that has failed is not output: a new one is', async () => {
		const { clock, jobs, once, start, paid } = setUp(showsNow);
		const settings = { waitForCompletion: false };
		const process = start();
		jobs(true, 60_000);
		expect(await once(process, { settings })).toMatchObject({ value: { status: 'queued' } });
		await clock.pass(3 * HOUR);
		jobs(false, 60_000);
		for (const workspace of [process, start(), start()]) {
			expect(await once(workspace, { settings })).toMatchObject({
				value: { id: 'gen_2', status: 'queued' },
			});
		}
		expect(paid()).toEqual(['gen_1', 'gen_2']);
	});

	test.each([true, false])('identical items of a run get the same job (wait: %s)', async (wait) => {
		const { jobs, execute, start, paid } = setUp(showsNow);
		jobs(false);
		const made = await execute(start(), 7, { settings: { waitForCompletion: wait } });
		for (const each of made) expect(each).toMatchObject({ value: { id: 'gen_1' } });
		expect(paid()).toEqual(['gen_1']);
	});

	test('a second process finds the job that a first one has begun', async () => {
		const { clock, jobs, execute, start, paid } = setUp(showsNow);
		jobs(true);
		await execute(start());
		await clock.pass(HOUR);
		jobs(false);
		for (const process of [start(), start()])
			expect((await execute(process))[0]).toMatchObject({ value: { id: 'gen_2' } });
		expect(paid()).toEqual(['gen_1', 'gen_2']);
	});

	test('a day after its first try a content is paid for again', async () => {
		const { clock, jobs, once, paid } = setUp(showsNow);
		jobs(false);
		await once();
		await clock.pass(24 * HOUR);
		expect(await once()).toMatchObject({ value: { id: 'gen_2' } });
		expect(paid()).toHaveLength(2);
	});
});

describe.each([
	['keeps a 402 for its key', true],
	['keeps no refusal', false],
])('after a 402, at a service that %s', (_name, caches402) => {
	test('the same run asks once more, under the key of its execution', async () => {
		const { ledger, once, paid } = setUp(true, { caches402 });
		ledger.balance = 0;
		expect(await once()).toMatchObject({ failure: { status: 402 } });
		expect([paid(), ledger.posts]).toEqual([[], 2]);
	});

	test('a top-up is enough: the next execution gets its media', async () => {
		const { ledger, jobs, once, paid } = setUp(true, { caches402 });
		jobs(false);
		ledger.balance = 0;
		await once();
		ledger.balance = 5;
		expect(await once()).toMatchObject({ value: { status: 'completed' } });
		expect(paid()).toHaveLength(1);
	});
});
