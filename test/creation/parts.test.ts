import { runItem } from '../../src/n8n/runOperation';
import { ExecutionSum } from '../../src/creation/credits/ledger';
import { itemMemory, type NodeMemory } from '../../src/creation/idempotency/itemState';
import { Run } from '../../src/creation/run';
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
	const nodeMemory: NodeMemory = { runId: 'run', items: {} };
	const run = async (settings: RunParts['settings'] = {}, parts = PARTS) => {
		const memory = itemMemory(nodeMemory, '0:0');
		const given = { memory, parts, request: parts[0], userInputHash: JSON.stringify(parts) };
		return await clock.run(runItem(runOf({ host, workspace, nodeMemory, settings, ...given })));
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

describe('under a limit, a text is sent as a whole or not at all', () => {
	const texts = (count: number, name: string) =>
		Array.from({ length: count }, (_, part) => `${name} ${part}`).map((prompt) => ({
			...PARTS[0],
			method: 'POST' as const,
			path: '/generations',
			body: { mode: 'image', model: 'm', prompt },
		}));

	/** Items with so many parts each, of 2 credits a part, in one execution; how many jobs there are. */
	async function jobsOf(counts: number[], maxCredits: number): Promise<string[]> {
		const { clock, model, host, workspace } = oneItem({
			price: () => 2,
			requestsPerMinute: 10_000,
		});
		const nodeMemory: NodeMemory = { runId: 'run', items: {} };
		const flow = {};
		const runItems = async (all: number[], limit: number, name: string) =>
			await clock.run(
				Promise.all(
					all.map(async (count, itemIndex) => {
						const parts = texts(count, `${name} ${itemIndex}`);
						const memory = itemMemory(nodeMemory, `${name}:${itemIndex}`);
						const given = { memory, parts, request: parts[0], itemIndex };
						const origin = { place: `${name}:${itemIndex}` };
						const run = new Run(new Map(), true);
						const executionSum = new ExecutionSum(flow);
						const settings = { maxCredits: limit };
						const more = { host, workspace, nodeMemory, settings, origin, run, executionSum };
						return await runItem(runOf({ ...more, ...given }));
					}),
				),
			);
		await runItems([1], Infinity, 'before');
		await runItems(counts, maxCredits + 2, 'row');
		return model.jobs.slice(1).map(({ prompt }) => prompt.slice(0, 5));
	}

	test.each([
		[[3], 5, []],
		[[3], 6, ['row 0', 'row 0', 'row 0']],
		[[3, 2, 1], 5, ['row 1', 'row 1']],
		[[2, 3, 2], 9, ['row 0', 'row 0', 'row 2', 'row 2']],
	])('parts %j, a limit of %i', async (counts, maxCredits, made) => {
		expect((await jobsOf(counts, maxCredits)).sort()).toEqual(made);
	});
});
