import { MediaGenAgentRun } from '../../../nodes/AgentRun/MediaGenAgentRun.node';
import type { SendResult } from '../../../src/base/types';
import { answer, errorBody, LOST } from '../../model/answers';
import { byId, clock, ended, setUp, type Part } from '../../support/serviceRun';

jest.mock('../../../src/base/clock', () => jest.requireActual('../../support/virtualTime'));

/*
 * Under Max Credits per Day one request of unknown price is out at a time, of all executions of a workspace,
 * also if nobody waits for its answer any more.
 */

const OUT_MS = 90_000;
const LIMIT = 5;

const made = answer(202, {
	id: 'gen_1',
	object: 'generation',
	status: 'completed',
	outputs: [],
	estimated_credits: LIMIT + 1,
});

/** What becomes of the request that is out, and how many are sent then. */
const ANSWERS: Array<[name: string, response: SendResult, sent: number]> = [
	['is made', made, 1],
	['has no answer', LOST, 1],
	['is refused', answer(422, errorBody('No')), 2],
];

/** How nobody waits for it any more. */
const DOORS: Array<[name: string, more: object]> = [
	['its execution is stopped', { stops: true }],
	['its agent was answered', { nodeType: 'n8n-nodes-mediagen.mediaGenTool' }],
];

describe.each(DOORS)('%s', (_door, { stops = false, ...more }: { stops?: boolean }) => {
	test.each(ANSWERS)('and what it was for %s', async (_name, response, sent) => {
		/** When each request was first sent, by its prompt. */
		const sentAt = new Map<unknown, number>();
		const t = setUp({
			given: { model: byId('m'), downloadOutputs: false, options: { maxCreditsPerDay: LIMIT } },
			continueOnFail: true,
			answers: async ({ method, path, body }) => {
				if (path === '/usage') return answer(200, { object: 'usage', data: [] });
				if (method !== 'POST') return answer(200, { object: 'list', data: [], has_more: false });
				const { prompt } = body as { prompt: string };
				sentAt.set(prompt, sentAt.get(prompt) ?? clock.monotonic());
				if (prompt !== 'first') return made;
				await clock.sleep(OUT_MS);
				return response;
			},
			...more,
		});
		const stop = new AbortController();
		const start = async (executionId: string, signal?: AbortSignal) =>
			await ended(t.run({ executionId, nodeMemory: {}, signal }, { prompt: executionId }));
		const first = start('first', stop.signal);
		await clock.pass(1_000);
		const began = clock.monotonic();
		if (stops) stop.abort();
		await first;
		// Whoever stops an execution waits for nothing.
		if (stops) expect(clock.monotonic()).toBe(began);
		await start('second');
		await clock.pass(OUT_MS);
		await start('third');
		expect(sentAt.size).toBe(sent);
		const [one = 0, next = Infinity] = sentAt.values();
		expect(next - one).toBeGreaterThanOrEqual(OUT_MS);
	});
});

test('an agent run that waits for the slot of agents keeps no other request back: its budget is its price', async () => {
	const apiKey = 'canary-key-of-agents';
	const sentAt = new Map<unknown, number>();
	const answers: Part['answers'] = ({ method, path, body }) => {
		if (path === '/usage') return answer(200, { object: 'usage', data: [] });
		const run = { id: 'run_1', object: 'agent_run', status: 'running', reserved_credits: 30 };
		if (method === 'GET' && path.startsWith('/agents/runs/')) return answer(200, run);
		if (method !== 'POST') return answer(200, { object: 'list', data: [], has_more: false });
		const { brief, prompt } = body as { brief?: string; prompt?: string };
		sentAt.set(brief ?? prompt, clock.monotonic());
		return brief === undefined ? made : answer(202, run);
	};
	const options = { maxCreditsPerDay: 100 };
	const credential = { apiKey };
	const agent = { operation: 'create', autoApprove: true, options };
	const ofAgents = setUp({ node: new MediaGenAgentRun(), given: agent, credential, answers });
	const image = { model: byId('m'), prompt: 'an image', downloadOutputs: false, options };
	const ofImages = setUp({ given: image, credential, answers });
	const stop = new AbortController();
	const { signal } = stop;
	const start = async (brief: string, more: object) =>
		await ended(ofAgents.run({ executionId: brief, nodeMemory: {}, signal }, { brief, ...more }));
	const runs = [start('the first run', { options, additionalFields: { maxCredits: 30 } })];
	await clock.pass(5_000);
	runs.push(start('the second run', {}));
	await clock.pass(5_000);
	await ended(ofImages.run({ executionId: 'of images', nodeMemory: {} }));
	expect([...sentAt.keys()]).toEqual(['the first run', 'an image']);
	stop.abort();
	await Promise.all(runs);
});
