import { Run } from '../../src/run/run';
import { createJob } from '../../src/run/creation';
import { newMemory, nodeMemory, type NodeMemory } from '../../src/run/state';
import type { Settings } from '../../src/run/item';
import type { Workspace } from '../../src/service/workspace';
import { LedgerService, type Behaviour } from '../../testing/ledgerService';
import { hostWith, runOf, workspaceWith, type RunParts } from '../../testing/run';
import { VirtualClock } from '../../testing/virtualClock';

const HOUR = 3_600_000;

/** How services differ in what they say to a key that they know. */
const HABITS: Array<[name: string, showsNow: boolean]> = [
	['repeats its first answer', false],
	['shows the job as it is now', true],
];

interface Run extends Partial<RunParts> {
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
	const execute = async (workspace: Workspace, items = 1, more: Run = {}) => {
		executions += 1;
		const executionId = `execution ${executions}`;
		const node: NodeMemory = more.node ?? nodeMemory({});
		const run = new Run(items, false);
		const made = Array.from({ length: items }, async (_, itemIndex) => {
			const parts = { host, workspace, run, node, itemIndex, memory: newMemory(), ...more };
			const settings = { idempotency: 'content' as const, ...more.settings };
			const origin = { executionId, runId: executionId, item: `0:${itemIndex}`, ...more.origin };
			return await createJob(runOf({ ...parts, settings, origin }));
		});
		return await clock.run(Promise.all(made));
	};
	const once = async (workspace = start(), more: Run = {}) =>
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

	test('also one that fails at once', async () => {
		const { jobs, once, paid } = setUp(showsNow);
		jobs(true, 0);
		expect(await once()).toMatchObject({ failure: { kind: 'jobFailed' } });
		expect(paid()).toHaveLength(1);
		// Its answer does not show the end yet.
		const settings = { waitForCompletion: false };
		expect(await once(undefined, { settings })).toMatchObject({ value: { status: 'queued' } });
		expect(paid()).toHaveLength(2);
	});

	test.each([5, 12])('after %i failed jobs a new process creates it anew', async (failures) => {
		const { clock, jobs, once, paid } = setUp(showsNow);
		jobs(true);
		for (let time = 0; time < failures; time += 1) {
			expect(await once()).toMatchObject({ failure: { kind: 'jobFailed' } });
			await clock.pass(HOUR);
		}
		expect(paid()).toHaveLength(failures);
		jobs(false);
		const id = `gen_${failures + 1}`;
		expect(await once()).toMatchObject({ value: { id, status: 'completed' } });
		expect(await once()).toMatchObject({ value: { id, status: 'completed' } });
		expect(paid()).toHaveLength(failures + 1);
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

	test('with Wait off, the job of hours ago that has succeeded is output as it is now', async () => {
		const { clock, jobs, once, paid } = setUp(showsNow);
		const settings = { waitForCompletion: false };
		jobs(false, 60_000);
		await once(undefined, { settings });
		await clock.pass(3 * HOUR);
		expect(await once(undefined, { settings })).toMatchObject({
			value: { id: 'gen_1', status: 'completed' },
		});
		expect(paid()).toEqual(['gen_1']);
	});

	test.each([true, false])('identical items of a run get the same job (wait: %s)', async (wait) => {
		const { jobs, execute, start, paid } = setUp(showsNow);
		jobs(false);
		const made = await execute(start(), 7, { settings: { waitForCompletion: wait } });
		for (const each of made) expect(each).toMatchObject({ value: { id: 'gen_1' } });
		expect(paid()).toEqual(['gen_1']);
	});

	test('so they do after failed jobs of earlier runs, and where it fails, with one charge', async () => {
		const { clock, jobs, execute, once, start, paid } = setUp(showsNow);
		jobs(true);
		await once();
		await clock.pass(HOUR);
		for (const each of await execute(start(), 7))
			expect(each).toMatchObject({ failure: { kind: 'jobFailed' }, job: { id: 'gen_2' } });
		expect(paid()).toEqual(['gen_1', 'gen_2']);
		jobs(false);
		for (const each of await execute(start(), 7))
			expect(each).toMatchObject({ value: { id: 'gen_3' } });
		expect(paid()).toHaveLength(3);
	});

	test('so does one that starts when that job has failed: a run pays once for a content', async () => {
		const { clock, jobs, ledger, start, paid } = setUp(showsNow);
		const [workspace, run, node] = [start(), new Run(2, true), nodeMemory({})];
		jobs(true);
		for (const itemIndex of [0, 1]) {
			const parts = { workspace, run, node, itemIndex, host: hostWith(ledger.send) };
			const item = runOf({ ...parts, settings: { idempotency: 'content' } });
			expect(await clock.run(createJob(item))).toMatchObject({
				failure: { kind: 'jobFailed' },
				job: { id: 'gen_1' },
			});
		}
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

test('fifty failed jobs of one content are a fault of ours or of the service, and say so', async () => {
	const { jobs, once, paid } = setUp(true);
	jobs(true, 1);
	for (let time = 0; time < 50; time += 1) await once();
	expect(paid()).toHaveLength(50);
	expect(await once()).toMatchObject({
		failure: { kind: 'input', problem: 'has led to 50 failed jobs' },
	});
	expect(paid()).toHaveLength(50);
}, 30_000);

describe('in the editor, where each click is a new execution', () => {
	const settings = { idempotency: 'execution' as const };

	/** A click whose run has made a job and given it to nobody, as another item failed. */
	async function failedClick() {
		const all = setUp(true);
		const workspace = all.start();
		all.jobs(false, 1_000);
		const click = async (prompt = 'a cat', isManual = true) =>
			await all.once(workspace, { settings, prompt, origin: { isManual } });
		const run = new Run(1, false);
		const host = hostWith(all.ledger.send);
		const item = runOf({ host, workspace, run, settings, origin: { isManual: true } });
		expect(await all.clock.run(createJob(item))).toMatchObject({ value: { id: 'gen_1' } });
		run.addCreated(item);
		const end = (hasFailed: boolean) => {
			if (hasFailed) run.addError({ thrownBy: 1, complete: () => {} });
			run.noteDeliveries();
		};
		return { ...all, click, end };
	}

	test('the next click gets the job of a failed run, once', async () => {
		const { click, end, paid } = await failedClick();
		end(true);
		expect(await click()).toMatchObject({ value: { id: 'gen_1' } });
		expect(paid()).toEqual(['gen_1']);
		expect(await click()).toMatchObject({ value: { id: 'gen_2' } });
	});

	test('what was given to n8n is not given again', async () => {
		const { click, end } = await failedClick();
		end(false);
		expect(await click()).toMatchObject({ value: { id: 'gen_2' } });
	});

	test.each([
		['another request', 'a dog', true],
		['an execution that nobody started by hand', 'a cat', false],
	])('%s pays for itself', async (_, prompt, isManual) => {
		const { click, end } = await failedClick();
		end(true);
		expect(await click(prompt, isManual)).toMatchObject({ value: { id: 'gen_2' } });
	});

	test('a job that has failed is not kept', async () => {
		const { jobs, once, start, ledger, clock } = setUp(true);
		const workspace = start();
		jobs(true, 1_000);
		const run = new Run(1, false);
		const item = runOf({ host: hostWith(ledger.send), workspace, run, settings });
		expect((await clock.run(createJob(item))).ok).toBe(false);
		run.addCreated(item);
		run.addError({ thrownBy: 0, complete: () => {} });
		run.noteDeliveries();
		jobs(false);
		expect(await once(workspace, { settings, origin: { isManual: true } })).toMatchObject({
			value: { id: 'gen_2' },
		});
	});
});
