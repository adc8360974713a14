import { runOperation } from '../../src/run/runner';
import { itemMemory, type NodeMemory } from '../../src/run/state';
import { ModelService } from '../model/modelService';
import { hostWith, runOf, workspaceWith } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const PROMPTS = ['first', 'second', 'third'];

const parts = PROMPTS.map((prompt) => ({
	method: 'POST' as const,
	path: '/generations',
	query: {},
	body: { mode: 'image', model: 'm', prompt },
}));

function setUp() {
	const clock = new VirtualClock();
	const model = new ModelService(clock, {
		jobMs: (prompt) => (prompt === 'first' ? 9_000 : 1_000),
	});
	const workspace = workspaceWith(clock);
	const keys: unknown[] = [];
	const host = hostWith(async (request) => {
		if (request.method === 'POST') keys.push(request.headers?.['Idempotency-Key']);
		return await model.send(request);
	});
	const node: NodeMemory = { runId: 'run', items: {} };
	const run = async (settings = {}, given = parts) => {
		const [request] = given;
		const memory = itemMemory(node, '0:0');
		const inputFingerprint = JSON.stringify(given);
		const item = {
			host,
			workspace,
			node,
			memory,
			parts: given,
			request,
			inputFingerprint,
			settings,
		};
		return await clock.run(runOperation(runOf(item)));
	};
	return { model, keys, run };
}

test('an item of several parts becomes a job for each, in order, with its number', async () => {
	const { model, run } = setUp();
	const result = await run();
	const resources = result.ok ? result.value.resources : [];
	expect(resources.map(({ prompt, part, parts: count }) => [prompt, part, count])).toEqual([
		['first', 1, 3],
		['second', 2, 3],
		['third', 3, 3],
	]);
	expect(model.jobs).toHaveLength(3);
});

test('what is missing of each part is told', async () => {
	const { model, run } = setUp();
	model.settings.ending = (prompt) => ({
		status: 'partially_completed',
		error: { message: prompt === 'second' ? 'too dark' : 'too bright' },
	});
	expect(await run()).toMatchObject({
		value: { warning: expect.stringMatching(/too bright\. .*too dark$/) as string },
	});
});

test('running it again after one part has failed creates that part anew, and nothing else', async () => {
	const { model, run } = setUp();
	model.settings.ending = (prompt) => ({ status: prompt === 'second' ? 'failed' : 'completed' });
	expect(await run()).toMatchObject({ ok: false, failure: { kind: 'jobFailed' } });
	model.settings.ending = () => ({ status: 'completed' });
	expect((await run()).ok).toBe(true);
	expect(model.jobs.map(({ prompt }) => prompt).sort()).toEqual([...PROMPTS, 'second'].sort());
});

test.each(['execution', 'custom'])(
	'%s: a text that has become longer keeps the job of what is the same, also of what was one part',
	async (idempotency) => {
		const { model, run } = setUp();
		const settings = { idempotency, idempotencyKey: 'k' };
		for (const count of [1, 2, 3, 1])
			expect((await run(settings, parts.slice(0, count))).ok).toBe(true);
		expect(model.jobs.map(({ prompt }) => prompt)).toEqual(PROMPTS);
	},
);

test('with an own key each part has one that begins with it, also when it is run again', async () => {
	const { keys, run } = setUp();
	const own = { idempotency: 'custom', idempotencyKey: 'chapter 1' };
	expect((await run(own)).ok).toBe(true);
	expect((await run(own)).ok).toBe(true);
	expect(keys).toEqual([1, 2, 3].map((part) => `chapter 1#part=${part}`));
});

test('an own key that is too long with the number of its part is refused before anything is sent', async () => {
	const { model, run } = setUp();
	expect(await run({ idempotency: 'custom', idempotencyKey: 'k'.repeat(255) })).toMatchObject({
		failure: { kind: 'input', problem: 'has 262 characters; at most 255 are allowed' },
	});
	expect(model.jobs).toHaveLength(0);
});
