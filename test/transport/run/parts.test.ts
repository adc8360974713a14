import { runOperation } from '../../../src/transport/run/operations';
import type { NodeMemory } from '../../../src/transport/run/memory';
import { ModelService } from '../../../testing/modelService';
import { hostWith, runOf, workspaceWith } from '../../../testing/run';
import { VirtualClock } from '../../../testing/virtualClock';

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
	const host = hostWith(model.send);
	const node: NodeMemory = { runId: 'run', items: {} };
	const run = async () => await clock.run(runOperation(runOf({ host, workspace, node, parts })));
	return { model, run };
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

test('running it again after one part has failed creates that part anew, and nothing else', async () => {
	const { model, run } = setUp();
	model.settings.ending = (prompt) => ({ status: prompt === 'second' ? 'failed' : 'completed' });
	expect(await run()).toMatchObject({ ok: false, failure: { kind: 'jobFailed' } });
	model.settings.ending = () => ({ status: 'completed' });
	expect((await run()).ok).toBe(true);
	expect(model.jobs.map(({ prompt }) => prompt).sort()).toEqual([...PROMPTS, 'second'].sort());
});
