import type { NodeExecutionHint } from 'n8n-workflow';
import { MediaGenAgentRun } from '../../../nodes/AgentRun/MediaGenAgentRun.node';
import { MediaGen } from '../../../nodes/MediaGen/MediaGen.node';
import { MediaGenSpeech } from '../../../nodes/Speech/MediaGenSpeech.node';
import { answer, errorBody, LOST } from '../../model/answers';
import { execute } from '../../support/engine';
import { n8nRequest } from '../../support/n8nRequest';
import { nodeRun } from '../../support/nodeContext';
import { byId, clock, ended, setUp } from '../../support/serviceRun';

jest.mock('../../../src/base/clock', () => jest.requireActual('../../support/virtualTime'));

/*
 * Whether an answer is about something that is paid for now or was there before, where the keys of others
 * count: each case was found by a reader.
 */

const MODES = ['execution', 'content', 'custom'];

/** What a service says in the header of each answer. */
const dated = () => ({ date: new Date(clock.now()).toUTCString() });

const MINUTES_AGO = () => new Date(clock.now() - 600_000).toISOString();

describe('an approval is answered with a run that was there before', () => {
	const approve = (idempotency: string, item: number) => ({
		operation: 'approve',
		agentRunId: `run_${item}`,
		maxCredits: 80,
		downloadOutputs: false,
		options: { maxCredits: 100, idempotency, idempotencyKey: `k${item}` },
	});

	test.each(MODES)('%s: it counts, so that the limit of the execution holds', async (mode) => {
		const madeAt = MINUTES_AGO();
		const t = setUp({
			node: new MediaGenAgentRun(),
			json: [{}, {}, {}],
			continueOnFail: true,
			own: (item) => approve(mode, item),
			answers({ method, path }) {
				const id = path.split('/')[3] ?? '';
				const run = {
					id,
					object: 'agent_run',
					plan: {},
					created_at: madeAt,
					estimated_credits: 80,
				};
				return method === 'POST'
					? answer(202, { ...run, status: 'running', reserved_credits: 80 }, dated())
					: answer(200, { ...run, status: 'completed', spent_credits: 80 }, dated());
			},
		});
		await ended(t.run());
		expect(t.posts()).toHaveLength(1);
	});

	test.each(MODES)('%s: one that fails at once is not approved again', async (mode) => {
		const madeAt = MINUTES_AGO();
		let approvals = 0;
		const t = setUp({
			node: new MediaGenAgentRun(),
			own: (item) => approve(mode, item),
			answers({ method }) {
				const run = { id: 'run_0', object: 'agent_run', plan: {}, created_at: madeAt };
				if (method === 'POST') {
					approvals += 1;
					return approvals === 1
						? answer(202, { ...run, status: 'running' }, dated())
						: answer(400, errorBody('It waits for no approval'), dated());
				}
				const status = approvals > 0 ? 'failed' : 'plan_proposed';
				return answer(200, { ...run, status, estimated_credits: 80 }, dated());
			},
		});
		const { error } = await ended(t.run());
		expect(t.posts()).toHaveLength(1);
		expect(error?.message).toMatch(/^The job failed/);
	});
});

test.each(MODES)(
	'%s: what an earlier try of the execution has paid for, whose answer was lost, counts in it',
	async (idempotency) => {
		let isAway = true;
		let prompt = 'p0';
		const t = setUp({
			service: { price: () => 8, saysWhen: true, requestsPerMinute: 1_000_000 },
			given: { model: byId('m'), downloadOutputs: false },
			own: () => ({
				prompt,
				options: { idempotency, idempotencyKey: `k${prompt}`, maxCredits: 10, waitTimeout: 2 },
			}),
			async answers(request) {
				if (request.method !== 'POST' || !isAway) return undefined;
				await t.model.send(request);
				return LOST;
			},
		});
		await ended(t.run({ executionId: 'e1', runIndex: 0 }));
		isAway = false;
		await clock.pass(5_000);
		expect((await ended(t.run({ executionId: 'e1', runIndex: 0 }))).error).toBeUndefined();
		prompt = 'p1';
		const { error } = await ended(t.run({ executionId: 'e1', runIndex: 1 }));
		expect(error?.message).toMatch(/^Max Credits per Execution/);
		expect(t.model.jobs).toHaveLength(1);
	},
);

test('an Own Key that a picture was paid for under is new for speech, and meets its limit', async () => {
	const paths: string[] = [];
	const request = n8nRequest(async ({ method, path }) => {
		if (method !== 'POST')
			return answer(200, { object: 'list', data: [], has_more: false }, dated());
		paths.push(path);
		const object = path === '/speech' ? 'speech_generation' : 'generation';
		const created_at = new Date(clock.now()).toISOString();
		const job = { id: `job_${paths.length}`, object, status: 'completed', outputs: [], created_at };
		return answer(202, { ...job, estimated_credits: 50 }, dated());
	});
	const credential = { apiKey: 'canary-key-own-of-a-service', baseUrl: 'https://api.example/v1' };
	const run = async (node: MediaGen | MediaGenSpeech, maxCredits: number) => {
		const options = { idempotency: 'custom', idempotencyKey: 'row-17', maxCredits };
		const media = { model: byId('m'), prompt: 'a' };
		const speech = { text: 'hello', model: 'service/speech-lite' };
		const given = {
			...(node instanceof MediaGen ? media : speech),
			downloadOutputs: false,
			options,
		};
		const context = nodeRun({ items: [{ json: {} }], request, credential, nodeMemory: {} });
		return await ended(clock.run(execute(node, context, () => given)));
	};
	await run(new MediaGen(), 50);
	const { error } = await run(new MediaGenSpeech(), 0);
	expect(error?.message).toMatch(/^Max Credits per Execution \(0\) would be exceeded/);
	expect(paths).toEqual(['/generations']);
});

test('a job that fails at once ends its item, and stands beside what was made', async () => {
	const hints: NodeExecutionHint[] = [];
	const t = setUp({
		service: { price: () => 8, requestsPerMinute: 1_000_000, jobMs: () => 5_000 },
		json: [{}, {}],
		given: { model: byId('m'), downloadOutputs: false },
		own: (item) => ({ prompt: `p${item}`, options: { idempotency: 'content' } }),
		continueOnFail: true,
		hints,
		answers({ method, path }) {
			if (method !== 'GET' || !path.endsWith('gen_1')) return undefined;
			const job = { id: 'gen_1', object: 'generation', mode: 'image', model: 'm' };
			return answer(200, { ...job, status: 'failed', estimated_credits: 8 });
		},
	});
	await ended(t.run());
	expect(t.model.jobs).toHaveLength(2);
	expect(hints[0]?.message).toMatch(
		/^<b>1 of 2 made, for 8 credits\.<\/b> 1 failed: .* Failed jobs had reserved 8 credits\./,
	);
});
