import type { IDataObject } from 'n8n-workflow';
import type { Resource } from '../../../src/base/types';
import { ExecutionSum } from '../../../src/creation/credits/ledger';
import { LostOfWorkflow } from '../../../src/creation/idempotency/lostRequests';
import {
	itemMemory,
	memoriesOf,
	type NodeMemory,
} from '../../../src/creation/idempotency/itemState';
import { runItem } from '../../../src/n8n/runOperation';
import { answer, LOST } from '../../model/answers';
import { oneItem, runOf } from '../../model/run';
import { byId, setUp, type Part } from '../../support/serviceRun';

jest.mock('../../../src/base/clock', () => jest.requireActual('../../support/virtualTime'));

/*
 * Whoever asks again for what was paid for gets it, under a limit too: it was counted when it was sent, and
 * counts once.
 */

/** An execution under Max Credits, before a service whose answers to creations get lost while it is away. */
function lossy(workflowId: string, maxCredits: number, service: Part['service']) {
	const state = { isAway: false };
	const t = setUp({
		given: { model: byId('m'), prompt: 'a cat', downloadOutputs: false },
		workflowId,
		service,
		answers: async (request) => {
			if (!state.isAway || request.method !== 'POST') return undefined;
			await t.model.send(request);
			return LOST;
		},
	});
	const nodeMemory: IDataObject = {};
	let others = 0;
	return {
		t,
		nodeMemory,
		lose(isAway: boolean) {
			state.isAway = isAway;
		},
		/** Of another execution, which teaches what a picture costs. */
		async teachPrice(): Promise<void> {
			others += 1;
			await t.run(
				{ nodeMemory: {}, executionId: `other ${others}` },
				{ prompt: `picture ${others}` },
			);
		},
		async round(runIndex: number): Promise<IDataObject> {
			const [row] = await t.run(
				{ nodeMemory, executionId: 'looped', runIndex, continueOnFail: true },
				{ options: { maxCredits, waitTimeout: 1 } },
			);
			return row?.json ?? {};
		},
	};
}

test.each([10, 100])(
	'with a limit of %i, the next round of a loop gets what an answer has lost, and it counts once',
	async (maxCredits) => {
		const one = lossy(`loop ${maxCredits}`, maxCredits, { price: () => 8 });
		await one.teachPrice();
		one.lose(true);
		expect((await one.round(0)).error).toBeDefined();
		one.lose(false);
		expect(await one.round(1)).toMatchObject({ id: 'gen_2', status: 'completed' });
		expect(new ExecutionSum(one.nodeMemory).reserved).toBe(8);
		expect(one.t.model.jobs).toHaveLength(2);
	},
);

test('what may be paid for is asked for again though its price has risen above the limit', async () => {
	let price = 4;
	const one = lossy('dearer', 10, { price: () => price });
	await one.teachPrice();
	one.lose(true);
	expect((await one.round(0)).error).toBeDefined();
	one.lose(false);
	price = 12;
	await one.teachPrice();
	expect(await one.round(0)).toMatchObject({ id: 'gen_2', status: 'completed' });
});

test('the next round gets a job that had not ended in time, and it counts once', async () => {
	const one = lossy('slow', 10, { price: () => 8, jobMs: () => 100_000 });
	expect((await one.round(0)).error).toBeDefined();
	expect(await one.round(1)).toMatchObject({ id: 'gen_1', status: 'completed' });
	expect(new ExecutionSum(one.nodeMemory).reserved).toBe(8);
});

/** A text of three parts, which clicks in the editor ask for. */
function longText(service: Part['service']) {
	const { clock, host, model, workspace, through } = oneItem(service);
	const lost = new LostOfWorkflow().editor;
	const parts = ['first', 'second', 'third'].map((prompt) => ({
		method: 'POST' as const,
		path: '/generations',
		query: {},
		body: { mode: 'image', model: 'm', prompt },
	}));
	return {
		model,
		lost,
		through,
		async click(executionId: string, settings: object, executionSum = new ExecutionSum({})) {
			const nodeMemory: NodeMemory = { runId: executionId, items: {} };
			const item = runOf({
				host,
				workspace,
				nodeMemory,
				lost,
				executionSum,
				memory: itemMemory(nodeMemory, '0:0'),
				parts,
				request: parts[0],
				settings,
				origin: { executionId, mode: 'manual', mayResumeLost: true },
			});
			const result = await clock.run(runItem(item));
			return { result, memories: memoriesOf(item), requester: item.origin.requester };
		},
	};
}

test('parts that a lost execution has paid for are not among those that have to fit', async () => {
	const ofFirst = { status: 'failed', error: { message: 'no' } };
	const { model, lost, click } = longText({
		price: () => 4,
		jobMs: (prompt) => (prompt === 'first' ? 1_000 : 90_000),
		ending: (prompt): Partial<Resource> => (prompt === 'first' ? ofFirst : { status: 'completed' }),
	});
	const { result, memories, requester } = await click('one', { waitTimeoutMs: 60_000 });
	expect(result.ok).toBe(false);
	for (const memory of memories) lost.add(memory, requester);
	model.settings.ending = () => ({ status: 'completed' });
	const second = await click('two', { maxCredits: 5 });
	expect(second.result.ok).toBe(true);
	expect(model.jobs.map(({ prompt }) => prompt).sort()).toEqual([
		'first',
		'first',
		'second',
		'third',
	]);
});

test('parts of which a lost execution does not know whether they were made have to fit', async () => {
	const { model, lost, through, click } = longText({ price: () => 4 });
	through(({ body }) => (JSON.stringify(body ?? '').includes('second') ? LOST : undefined));
	const { memories, requester } = await click('one', { waitTimeoutMs: 1_000 });
	const [, second] = memories;
	expect(second?.state).toMatchObject({ is: 'sent', mayBeCarriedOut: true });
	if (second) lost.add(second, requester);
	through(() => undefined);
	const { result } = await click('two', { maxCredits: 8 });
	expect(result).toMatchObject({ ok: false, failure: { kind: 'creditCap' } });
	expect(model.jobs.map(({ prompt }) => prompt)).toEqual(['first']);
});

test('a part that a 429 has put off still has to fit: what another branch spends meanwhile refuses all', async () => {
	const { model, through, click } = longText({ price: () => 4, concurrentJobs: 1 });
	// So that the price is known.
	await click('before', {});
	const sum = new ExecutionSum({});
	through(({ body }) => {
		if (!JSON.stringify(body ?? '').includes('first')) return undefined;
		sum.addJob('job of another branch', 4);
		return answer(429);
	});
	const { result } = await click('one', { maxCredits: 12 }, sum);
	expect(result).toMatchObject({ ok: false, failure: { kind: 'creditCap' } });
	expect(model.jobs).toHaveLength(3);
});

test('once the job of a part has failed, a part that was not made yet is not made any more', async () => {
	const ofSecond = { status: 'failed', error: { message: 'no' } };
	const { model, through, click } = longText({
		price: () => 4,
		ending: (prompt): Partial<Resource> =>
			prompt === 'second' ? ofSecond : { status: 'completed' },
	});
	let refusals = 5;
	through(({ body }) => {
		if (!JSON.stringify(body ?? '').includes('first') || refusals === 0) return undefined;
		refusals -= 1;
		return answer(429);
	});
	const { result } = await click('one', { maxCredits: 12 });
	expect(result).toMatchObject({ failure: { kind: 'jobFailed' } });
	expect(model.jobs.map(({ prompt }) => prompt).sort()).toEqual(['second', 'third']);
});

test.each([12, 100, Infinity])(
	'of %d credits, a part that gets the slot of one whose job has failed is not sent, for that reason',
	async (maxCredits) => {
		const { model, click } = longText({
			price: () => 4,
			concurrentJobs: 1,
			ending: () => ({ status: 'failed', error: { message: 'no' } }),
		});
		const { result } = await click('one', { maxCredits });
		expect(result).toMatchObject({ failure: { kind: 'jobFailed' } });
		expect(model.jobs.map(({ prompt }) => prompt)).toEqual(['first']);
	},
);

test('parts that Same Request gives again for nothing need not fit', async () => {
	const ofFirst = { status: 'failed', error: { message: 'no' } };
	const { model, click } = longText({
		price: () => 4,
		saysWhen: true,
		ending: (prompt): Partial<Resource> => (prompt === 'first' ? ofFirst : { status: 'completed' }),
	});
	const settings = { idempotency: 'content' };
	expect((await click('one', settings)).result.ok).toBe(false);
	model.settings.ending = () => ({ status: 'completed' });
	await click('two', { ...settings, maxCredits: 4 });
	expect(model.jobs.map(({ prompt }) => prompt)).toEqual(['first', 'second', 'third', 'first']);
});

test('Same Request gives for nothing what a second key has led to, after a first whose job has failed', async () => {
	let status = 'failed';
	const t = setUp({
		given: { model: byId('m'), prompt: 'a cat', downloadOutputs: false },
		service: { price: () => 4, saysWhen: true, ending: () => ({ status }) },
	});
	const execute = async (executionId: string, limit: object = {}) => {
		const options = { idempotency: 'content', ...limit };
		return await t.run({ executionId, nodeMemory: {} }, { options });
	};
	await expect(execute('one')).rejects.toThrow('The job failed');
	status = 'completed';
	expect((await execute('two'))[0]?.json.id).toBe('gen_2');
	expect((await execute('three', { maxCredits: 0 }))[0]?.json.id).toBe('gen_2');
	expect(t.model.jobs).toHaveLength(2);
});
