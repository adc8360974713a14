import type { IDataObject } from 'n8n-workflow';
import { MediaGenAgentRun } from '../../nodes/AgentRun/MediaGenAgentRun.node';
import { MediaGenJob } from '../../nodes/Job/MediaGenJob.node';
import { ExecutionSum } from '../../src/creation/credits/ledger';
import { answer, errorBody } from '../model/answers';
import { byId, clock, ended, setUp } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

/*
 * Where two mechanisms meet: each case was found by random sequences of whole runs of a node against a
 * ledger.
 */

/** As n8n reads it from its database. */
const reload = (memory: IDataObject) => JSON.parse(JSON.stringify(memory)) as IDataObject;

const MIN = 60_000;
const image = { model: byId('m'), prompt: 'a', downloadOutputs: false };

describe('a job counts once in an execution', () => {
	test.each(['content', 'custom'])(
		'%s: two identical items, one of them repeated by Retry Execution',
		async (idempotency) => {
			let posts = 0;
			const t = setUp({
				json: [{}, {}],
				given: { ...image, options: { idempotency, idempotencyKey: 'k' } },
				service: { price: () => 10 },
				credential: { concurrentJobs: 1 },
				answers(request) {
					if (request.method === 'POST') posts += 1;
					const isSecond = request.method === 'POST' && posts === 2;
					return isSecond ? answer(403, errorBody('no')) : undefined;
				},
			});
			let memory: IDataObject = {};
			await ended(t.run({ nodeMemory: memory }));
			memory = reload(memory);
			await t.run({ nodeMemory: memory, executionId: 'e2' });
			expect(t.model.jobs).toHaveLength(1);
			expect(new ExecutionSum(memory).reserved).toBe(10);
		},
	);

	test('custom: a failed job that the key gives again', async () => {
		const t = setUp({
			given: { ...image, options: { idempotency: 'custom', idempotencyKey: 'k' } },
			service: { price: () => 10, ending: () => ({ status: 'failed' }) },
		});
		let memory: IDataObject = {};
		for (const executionId of ['e1', 'e2', 'e3']) {
			memory = reload(memory);
			await ended(t.run({ nodeMemory: memory, executionId }));
		}
		expect(t.model.jobs).toHaveLength(1);
		expect(new ExecutionSum(memory).reserved).toBe(10);
	});

	test('an agent run that is planned, approved and reviewed, with n8n waiting in between', async () => {
		let status = 'plan_proposed';
		const run = (more: object) => ({ id: 'run_1', object: 'agent_run', status, plan: {}, ...more });
		const t = setUp({
			node: new MediaGenAgentRun(),
			answers: ({ method, path }) => {
				if (method === 'GET')
					return answer(200, run({ spent_credits: status === 'plan_proposed' ? 1 : 41 }));
				if (path.endsWith('/approve')) {
					status = 'awaiting_review';
					const more = { reserved_credits: 50, spent_credits: 1, status: 'queued' };
					return answer(202, run(more));
				}
				if (path.endsWith('/review')) {
					status = 'completed';
					return answer(200, run({ spent_credits: 41 }));
				}
				return answer(201, run({ spent_credits: 1 }));
			},
		});
		let flow: IDataObject = {};
		for (const given of [
			{ operation: 'create', brief: 'b' },
			{ operation: 'approve', agentRunId: byId('run_1'), maxCredits: 50 },
			{ operation: 'review', agentRunId: byId('run_1'), decision: 'assemble' },
		]) {
			// Another node has a memory of its own; what the execution has reserved stays.
			flow = reload({ ...flow, mediaGen: undefined });
			await t.run({ nodeMemory: flow }, given);
		}
		expect(new ExecutionSum(flow).reserved).toBe(51);
	});
});

describe('Wait for Top-Up', () => {
	test('Credit Wait Timeout does not run while an item waits for a slot of its own run', async () => {
		const t = setUp({
			json: [{}, {}, {}, {}, {}],
			own: (i) => ({ prompt: `p${i}` }),
			given: { ...image, options: { onInsufficientCredits: 'wait', creditWaitTimeout: 60 } },
			credential: { concurrentJobs: 1 },
			service: { concurrentJobs: 1, credits: 3, jobMs: () => 25 * MIN },
		});
		// Five minutes after they ran out.
		clock.after(80 * MIN, () => {
			t.model.settings.credits += 100;
		});
		expect((await ended(t.run())).items).toHaveLength(5);
	});

	test('each shortage is one of its own, also for rows that waited for a slot since the one before', async () => {
		const from = clock.monotonic();
		const postsAt: number[] = [];
		const t = setUp({
			json: Array.from({ length: 12 }, () => ({})),
			own: (i) => ({ prompt: `p${i}` }),
			given: { ...image, options: { onInsufficientCredits: 'wait', creditWaitTimeout: 60 } },
			credential: { concurrentJobs: 1 },
			service: { concurrentJobs: 1, credits: 1, jobMs: () => 10 * MIN },
			answers: ({ method }) => {
				if (method === 'POST') postsAt.push(clock.monotonic() - from);
				return undefined;
			},
		});
		const topUp = (at: number, credits: number) =>
			clock.after(at, () => {
				t.model.settings.credits += credits;
			});
		// They run out after 10 minutes and, as five rows were paid for, again after about 65.
		topUp(15 * MIN, 5);
		topUp(110 * MIN, 100);
		expect((await ended(t.run())).items).toHaveLength(12);
		const second = postsAt.filter((at) => at > 60 * MIN && at < 110 * MIN);
		const first = second[0] ?? NaN;
		expect(first).toBeLessThan(70 * MIN);
		// The one that finds out, then one trial every 20 seconds.
		expect(second.filter((at) => at < first + MIN)).toHaveLength(3);
	});

	test('a 429 before a 402 does not end the wait after 30 minutes, as one for a slot', async () => {
		const from = clock.monotonic();
		let posts = 0;
		const t = setUp({
			given: { ...image, options: { onInsufficientCredits: 'wait', creditWaitTimeout: 60 } },
			answers: ({ method }) => {
				if (method !== 'POST') return undefined;
				posts += 1;
				if (posts === 1) return answer(429, errorBody('busy'));
				return clock.monotonic() - from < 40 * MIN
					? answer(402, errorBody('no credits'))
					: undefined;
			},
		});
		expect((await ended(t.run())).items[0]?.json.status).toBe('completed');
	});
});

test('Auto Approve under Max Credits sends no other body under a key that other executions share', async () => {
	const approving = () =>
		setUp({
			node: new MediaGenAgentRun(),
			given: {
				operation: 'create',
				brief: 'b',
				autoApprove: true,
				waitForCompletion: false,
				options: { idempotency: 'content', maxCredits: 100 },
			},
			answers: () => answer(202, { id: 'run_1', object: 'agent_run', status: 'queued', plan: {} }),
		});
	const t = approving();
	await t.run({ nodeMemory: {}, executionId: 'e1' });
	// An earlier node of this execution has reserved something.
	const laterOn = () => {
		const nodeMemory: IDataObject = {};
		new ExecutionSum(nodeMemory).addJob('job of an earlier node', 20);
		return { nodeMemory, executionId: 'e2' };
	};
	expect((await ended(t.run(laterOn()))).error).toBeUndefined();
	const sent = t.posts().map(({ headers, body }) => [headers?.['Idempotency-Key'], body]);
	expect(sent).toHaveLength(2);
	expect(sent[1]).toEqual(sent[0]);
	// Elsewhere nobody knows that it would only be repeated.
	const other = approving();
	expect((await ended(other.run(laterOn()))).error?.message).toMatch(/would be exceeded/);
	expect(other.posts()).toEqual([]);
});

describe('a call of an agent', () => {
	test('the same arguments in another order are the same call', async () => {
		const t = setUp({
			nodeType: 'n8n-nodes-mediagen.mediaGenTool',
			given: image,
			service: { jobMs: () => 10 * MIN },
		});
		const call = async (json: IDataObject) => await t.run({ items: [{ json }] });
		await call({ prompt: 'a', style: { mood: 'calm', era: '1920s' }, toolCallId: 'call_1' });
		await call({ toolCallId: 'call_2', style: { era: '1920s', mood: 'calm' }, prompt: 'a' });
		expect(t.model.jobs).toHaveLength(1);
	});

	test('a tool that reads is answered in its time too', async () => {
		const from = clock.monotonic();
		const t = setUp({
			node: new MediaGenJob(),
			nodeType: 'n8n-nodes-mediagen.mediaGenJobTool',
			given: { operation: 'get', jobId: 'gen_1' },
			answers: async () => {
				await clock.sleep(120_000);
				return { noResponse: 'timeout' };
			},
		});
		const [item] = await t.run();
		expect(clock.monotonic() - from).toBeLessThan(60_000);
		expect(item?.json).toMatchObject({ id: 'gen_1', status: 'not finished' });
		expect(item?.json.next).toMatch(/again/);
	});
});

test('after 429 with Retry-After 0 waiting creations are not tried once a second for half an hour', async () => {
	const t = setUp({
		json: Array.from({ length: 10 }, () => ({})),
		own: (i) => ({ prompt: `p${i}` }),
		given: image,
		answers: ({ method }) =>
			method === 'POST' ? answer(429, errorBody('busy'), { 'retry-after': '0' }) : undefined,
	});
	await ended(t.run());
	// Docs: once a minute one creation is tried. A single item does so: 30.
	expect(t.posts().length).toBeLessThan(100);
});

test('Approve: retries never approve twice, also when the run fails', async () => {
	const run = { id: 'run_1', object: 'agent_run', plan: {} };
	const t = setUp({
		node: new MediaGenAgentRun(),
		given: { operation: 'approve', agentRunId: byId('run_1'), maxCredits: 50 },
		answers: ({ method }) => {
			if (method === 'POST') return answer(202, { ...run, status: 'queued', reserved_credits: 50 });
			return answer(200, { ...run, status: t.posts().length > 0 ? 'failed' : 'plan_proposed' });
		},
	});
	await ended(t.run());
	await ended(t.run());
	expect(new Set(t.posts().map(({ headers }) => headers?.['Idempotency-Key'])).size).toBe(1);
});

test('Same Request and Wait for Top-Up, at a service that does not store a 402: identical items and another process pay once', async () => {
	const options = { idempotency: 'content', onInsufficientCredits: 'wait' };
	const given = { ...image, options };
	const t = setUp({ json: [{}, {}, {}], given, service: { credits: 0 } });
	clock.after(90_000, () => {
		t.model.settings.credits = Infinity;
	});
	await t.run({ nodeMemory: {}, executionId: 'e1' });
	// Such as another worker, or n8n after a restart: nothing is shared.
	const other = setUp({ given, answers: async (request) => await t.model.send(request) });
	await other.run({ nodeMemory: {}, executionId: 'e2' });
	expect(t.model.jobs).toHaveLength(1);
});

test('where n8n cannot read the credential for one item, nothing is sent for any', async () => {
	let asked = 0;
	const t = setUp({
		json: [{}, {}, {}, {}],
		own: (item) => ({ prompt: `p${item}` }),
		given: image,
		readCredential: async () => {
			asked += 1;
			if (asked === 2) await Promise.reject(new Error('The database is busy'));
		},
	});
	const { error } = await ended(t.run());
	expect(error?.message).toMatch(/The database is busy \[item 2 of 4\]$/);
	expect(t.posts()).toEqual([]);
});

test('with Batching, a run that is halted ends at once: the portions that are left are not waited for', async () => {
	const requestOptions = { batching: { batch: { batchSize: 1, batchInterval: MIN } } };
	const t = setUp({
		json: Array.from({ length: 30 }, () => ({})),
		own: (item) => ({ prompt: `p${item}` }),
		given: { ...image, requestOptions },
		answers: () => answer(401, errorBody('no')),
	});
	const begun = clock.now();
	const { error } = await ended(t.run());
	expect(error?.message).toMatch(/^The API key is invalid or missing/);
	expect(t.posts()).toHaveLength(1);
	expect(clock.now() - begun).toBeLessThan(2 * MIN);
});
