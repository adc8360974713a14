import { runItem } from '../../src/n8n/runItem';
import { itemMemory, type NodeMemory } from '../../src/creation/memory';
import type { RunParts } from '../model/run';
import { oneItem, runOf } from '../model/run';

const PROMPTS = ['first', 'second', 'third'];

const PARTS = PROMPTS.map((prompt) => ({
	method: 'POST' as const,
	path: '/generations',
	query: {},
	body: { mode: 'image', model: 'm', prompt },
}));

/** An item of several parts, which can be run again. */
function setUp() {
	const { clock, model, host, workspace, keys } = oneItem({
		jobMs: (prompt) => (prompt === 'first' ? 9_000 : 1_000),
	});
	const node: NodeMemory = { runId: 'run', items: {} };
	const run = async (settings: RunParts['settings'] = {}, parts = PARTS) => {
		const memory = itemMemory(node, '0:0');
		const given = { memory, parts, request: parts[0], inputFingerprint: JSON.stringify(parts) };
		return await clock.run(runItem(runOf({ host, workspace, node, settings, ...given })));
	};
	return { model, keys, run };
}

test('an item of several parts becomes a job for each, in order, with its number, and what each lacks is told', async () => {
	const { model, run } = setUp();
	model.settings.ending = (prompt) => ({
		status: 'partially_completed',
		error: { message: prompt === 'second' ? 'too dark' : 'too bright' },
	});
	const result = await run();
	const resources = result.ok ? result.value.resources : [];
	expect(resources.map(({ prompt, part, parts }) => [prompt, part, parts])).toEqual(
		PROMPTS.map((prompt, index) => [prompt, index + 1, 3]),
	);
	expect(model.jobs).toHaveLength(3);
	expect(result).toMatchObject({
		value: { warning: expect.stringMatching(/too bright\. .*too dark$/) as string },
	});
});

test.each(['execution', 'custom'] as const)(
	'%s: a text that has become longer keeps the job of what is the same, also of what was one part',
	async (idempotency) => {
		const { model, run } = setUp();
		const settings = { idempotency, idempotencyKey: 'k' };
		for (const count of [1, 2, 3, 1])
			expect((await run(settings, PARTS.slice(0, count))).ok).toBe(true);
		expect(model.jobs.map(({ prompt }) => prompt)).toEqual(PROMPTS);
	},
);

test('with an own key each part has one that begins with it, also when it is run again', async () => {
	const { keys, run } = setUp();
	for (let time = 0; time < 2; time += 1)
		expect((await run({ idempotency: 'custom', idempotencyKey: 'chapter 1' })).ok).toBe(true);
	expect(keys()).toEqual([1, 2, 3].map((part) => `chapter 1#part=${part}`));
});

test('an own key that is too long with the number of its part is refused before anything is sent', async () => {
	const { keys, run } = setUp();
	expect(await run({ idempotency: 'custom', idempotencyKey: 'k'.repeat(255) })).toMatchObject({
		failure: { kind: 'input', problem: 'has 262 characters; at most 255 are allowed' },
	});
	expect(keys()).toEqual([]);
});
