import { ENDPOINTS } from '../../../src/contract';
import { toAgentResult, condenseForAgent } from '../../../src/transport/run/agentAnswer';
import { itemsOf } from '../../../src/transport/run/items';
import { fail, ok } from '../../../src/transport/base/result';
import type { OperationSpec } from '../../../src/transport/run/item';
import { readSettings, type Settings } from '../../../src/transport/run/settings';
import { newMemory, type ItemMemory } from '../../../src/transport/run/itemMemory';
import { runOperation } from '../../../src/transport/run/operations';
import { runThroughGate } from '../../../src/transport/run/runThroughGate';
import { ModelService } from '../../../testing/modelService';
import { hostWith, runOf, settingsWith, workspaceWith } from '../../../testing/run';
import { VirtualClock } from '../../../testing/virtualClock';
import { nodeContext, nodeRun } from '../../support/nodeContext';

const CREATE: OperationSpec = {
	endpoint: ENDPOINTS.createGeneration,
	output: 'job',
	object: 'generation',
};
const WAIT: OperationSpec = { endpoint: ENDPOINTS.getJob, output: 'wait' };

const JOB = { id: 'gen_1', object: 'generation', status: 'processing', estimated_credits: 5 };
const LATE = fail({ kind: 'deadline', waitedMs: 45_000 }, JOB);

const as = (isTool: boolean, spec = CREATE, more = {}) => ({
	spec,
	settings: settingsWith({ isTool, ...more }),
});

test('in a workflow a job that takes too long is an error, and nothing is left out', () => {
	expect(toAgentResult(as(false), LATE)).toBe(LATE);
	const json = { ...JOB, output_ids: ['o'] };
	const [item] = itemsOf({ resources: [json], files: [] }, settingsWith(), 0);
	expect(item?.json).toEqual(json);
});

test('an agent gets a job that takes too long, with the advice to call again with the same arguments', () => {
	const answer = toAgentResult(as(true), LATE);
	expect(answer).toMatchObject({ ok: true, value: { resources: [JOB], isUnfinished: true } });
	expect(answer.ok && answer.value.next).toMatch(/again with exactly the same arguments/);
	expect(toAgentResult(as(true, WAIT), LATE)).toEqual(answer);
});

test('it does not get this advice if the same arguments would be paid for again', () => {
	const answer = toAgentResult(as(true, CREATE, { idempotency: 'none' }), LATE);
	expect(answer.ok && answer.value.next).toBe(
		'Not finished yet. Get it by its id in about a minute.',
	);
	const waited = toAgentResult(as(true, WAIT, { idempotency: 'none' }), LATE);
	expect(waited.ok && waited.value.next).toMatch(/again with exactly the same arguments/);
});

test('any other failure stays one', () => {
	const failed = fail({ kind: 'jobFailed', reason: 'too dark' }, JOB);
	expect(toAgentResult(as(true), failed)).toBe(failed);
	const early = fail({ kind: 'deadline', waitedMs: 1 });
	expect(toAgentResult(as(true), early)).toBe(early);
});

test.each([
	[[JOB], /^Not finished yet\. Get it by its id/],
	[[{ ...JOB, status: 'completed' }], undefined],
	[[JOB, JOB], undefined],
	[[{ id: 'run_1', object: 'agent_run', status: 'planning' }], undefined],
	[[], undefined],
])('a job that was not waited for says whether it is still running: %j', (resources, next) => {
	const answer = toAgentResult(as(true), ok({ resources, files: [] }));
	const said = answer.ok ? answer.value.next : undefined;
	if (next) expect(said).toMatch(next);
	else expect(said).toBeUndefined();
});

test('of media an agent is given what they are, their links, what they cost and what to do next', () => {
	const outputs = ['a', 'b'].map((id) => ({ id, media_type: 'image/png', url: `https://x/${id}` }));
	const resource = { ...JOB, mode: 'image', model: 'm', output_ids: ['a', 'b'], outputs };
	const outcome = { resources: [resource], files: [], warning: 'w', next: 'n' };
	const [item] = itemsOf(outcome, settingsWith({ isTool: true }), 0);
	expect(item?.json).toEqual({
		...JOB,
		mode: 'image',
		model: 'm',
		url: 'https://x/a',
		urls: ['https://x/a', 'https://x/b'],
		warning: 'w',
		next: 'n',
	});
	expect(item?.pairedItem).toEqual({ item: 0 });
});

test('fields that are not media stay unchanged', () => {
	const persona = { id: 'p', object: 'persona', status: 'ready', name: 'Mara' };
	expect(condenseForAgent(persona)).toBe(persona);
});

test.each([
	['mediaGenTool', {}, 45_000],
	['mediaGenTool', { waitTimeout: 2 }, 120_000],
	['mediaGen', {}, 1_800_000],
])('as %s with the options %j it waits for %i ms', (name, options, waitTimeoutMs) => {
	const run = nodeRun({ parameters: () => ({ options }) });
	const context = nodeContext(run);
	const node = { ...context.getNode(), type: `n8n-nodes-mediagen.${name}` };
	const settings = readSettings({ ...context, getNode: () => node });
	expect(settings.ok && settings.value).toMatchObject({
		waitTimeoutMs,
		isTool: name.endsWith('Tool'),
	});
});

describe('a call that cannot be sent because all places for jobs are taken', () => {
	const JOB_MS = 600_000;

	/** As many calls as are given, at once, of which five find a place. */
	function setUp(settings: Partial<Settings> = {}) {
		const clock = new VirtualClock();
		const model = new ModelService(clock, { jobMs: () => JOB_MS });
		const workspace = workspaceWith(clock);
		const host = hostWith(model.send);
		const memories = new Map<number, ItemMemory>();
		const call = async (number: number, prompt = `picture ${number}`) => {
			const began = clock.monotonic();
			const memory = memories.get(number) ?? newMemory();
			memories.set(number, memory);
			const item = runOf({
				host,
				workspace,
				prompt,
				memory,
				origin: { item: `call:${number}` },
				answerBy: began + 45_000,
				settings: { isTool: true, waitTimeoutMs: 45_000, ...settings },
			});
			const result = await runThroughGate(item, runOperation);
			return { result, took: clock.monotonic() - began };
		};
		const calls = async (...numbers: number[]) =>
			await clock.run(Promise.all(numbers.map(async (number) => await call(number))));
		return { clock, model, call, calls };
	}

	test('is answered as soon as one that was sent, and says that the same call goes on', async () => {
		const { model, calls } = setUp();
		const all = await calls(1, 2, 3, 4, 5, 6, 7);
		expect(Math.max(...all.map(({ took }) => took))).toBeLessThan(60_000);
		expect(all.at(-1)?.result).toMatchObject({
			value: { resources: [{ status: 'not sent' }], isUnfinished: true },
		});
		expect(all.at(-1)?.result).toMatchObject({
			value: { next: expect.stringMatching(/again with exactly the same arguments/) as string },
		});
		expect(model.jobs).toHaveLength(5);
	});

	test('is sent by a later one, and paid for once', async () => {
		const { clock, model, calls } = setUp();
		await calls(1, 2, 3, 4, 5, 6);
		await clock.pass(JOB_MS);
		await calls(6);
		const [again] = await calls(6);
		expect(again?.result).toMatchObject({ value: { resources: [{ id: 'gen_6' }] } });
		expect(model.jobs.map(({ prompt }) => prompt)).toContain('picture 6');
		expect(model.jobs).toHaveLength(6);
	});

	test('nor does it wait longer for another call that asks for the same', async () => {
		const { clock, model, call, calls } = setUp({ idempotency: 'content' });
		await calls(1, 2, 3, 4, 5);
		const twins = [6, 7].map(async (number) => await call(number, 'the same'));
		for (const { took } of await clock.run(Promise.all(twins))) expect(took).toBeLessThan(60_000);
		expect(model.jobs).toHaveLength(5);
	});

	test('what its place has left of its time is for its job', async () => {
		const { clock, model, calls } = setUp();
		await calls(1, 2, 3, 4, 5);
		await clock.pass(JOB_MS - 80_000);
		const [late] = await calls(6);
		expect(model.jobs).toHaveLength(6);
		expect(late?.took).toBeLessThan(60_000);
	});
});
