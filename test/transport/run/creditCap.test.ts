import { ENDPOINTS } from '../../../src/contract';
import { Batch } from '../../../src/transport/run/batch';
import {
	executionCredits,
	type ExecutionCredits,
} from '../../../src/transport/run/executionCredits';
import { newMemory, recordEvent, type ItemMemory } from '../../../src/transport/run/itemMemory';
import { fail, ok, type Result } from '../../../src/transport/base/result';
import type { Resource } from '../../../src/transport/base/types';
import type { Item, Outcome } from '../../../src/transport/run/item';
import type { Settings } from '../../../src/transport/run/settings';
import type { Created } from '../../../src/transport/limits/singleFlight';
import { runOperation } from '../../../src/transport/run/operations';
import { withinCap } from '../../../src/transport/run/creditCap';
import { runThroughGate } from '../../../src/transport/run/runThroughGate';
import type { Workspace } from '../../../src/transport/workspace';
import { answer, LOST_FAILURE } from '../../../testing/answers';
import { ModelService, type ServiceSettings } from '../../../testing/modelService';
import { hostWith, runOf, workspaceWith, type RunParts } from '../../../testing/run';
import { VirtualClock } from '../../../testing/virtualClock';

interface Asked {
	prompt: string;
	/** What the price depends on. */
	size?: string;
}

/** An execution with its memory, which several nodes and several tries of them share. */
class Execution {
	readonly credits: ExecutionCredits = executionCredits({});

	private readonly memories = new Map<string, ItemMemory>();

	constructor(
		private readonly clock: VirtualClock,
		private readonly workspace: Workspace,
		private readonly model: ModelService,
		private readonly name = 'execution 1',
	) {}

	/** All items of one run of a node, as n8n starts them: at once. */
	async run(
		asked: Asked[],
		settings: Partial<Settings>,
		node = 'node',
	): Promise<Array<Result<Outcome>>> {
		const batch = new Batch(asked.length, false);
		const all = asked.map(async ({ prompt, size = 's' }, itemIndex) => {
			const place = `${node}:${itemIndex}`;
			const memory = this.memories.get(place) ?? newMemory();
			this.memories.set(place, memory);
			const item = runOf({
				host: hostWith(this.model.send, {}, this.name),
				workspace: this.workspace,
				batch,
				itemIndex,
				memory,
				settings,
				inputFingerprint: prompt,
				credits: this.credits,
				origin: { item: place, executionId: this.name, runId: this.name },
			});
			item.request.body = { mode: 'image', model: 'm', prompt, parameters: { size } };
			return await runThroughGate(item, runOperation);
		});
		return await this.clock.run(Promise.all(all));
	}
}

function setUp(service: Partial<ServiceSettings> = {}) {
	const clock = new VirtualClock();
	const model = new ModelService(clock, { price: () => 3, ...service });
	const workspace = workspaceWith(clock);
	return { clock, model, workspace, execution: new Execution(clock, workspace, model) };
}

const items = (count: number, size?: string): Asked[] =>
	Array.from({ length: count }, (_, index) => ({ prompt: `picture ${index}`, size }));

const reserved = ({ jobs }: ModelService) => jobs.reduce((sum, { credits }) => sum + credits, 0);

const failures = (results: Array<Result<Outcome>>) =>
	results.flatMap((result) => (result.ok ? [] : [result.failure]));

test('forty items at one price stop below the limit, and say how many were not sent', async () => {
	const { execution, model } = setUp();
	const results = await execution.run(items(40), { maxCredits: 20 });
	expect(reserved(model)).toBe(18);
	expect(execution.credits.reserved).toBe(18);
	const [first, ...others] = failures(results);
	expect(first).toEqual({ kind: 'creditCap', maxCredits: 20, reserved: 18, price: 3 });
	expect(others).toHaveLength(33);
	expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set(['skipped']));
	expect(model.count(202, 'POST')).toBe(6);
});

test('without a limit all are sent, and the sum is known all the same', async () => {
	const { execution, model } = setUp();
	await execution.run(items(12), {});
	expect(reserved(model)).toBe(36);
	expect(execution.credits.reserved).toBe(36);
});

test('jobs of a limited execution still run at the same time', async () => {
	const { clock, execution } = setUp({ jobMs: () => 60_000 });
	const begun = clock.now();
	await execution.run(items(5), { maxCredits: 1_000 });
	expect(clock.now() - begun).toBeLessThan(80_000);
});

test('several nodes of an execution share the sum, each holds its own limit against it', async () => {
	const { execution, model } = setUp();
	await execution.run(items(4), { maxCredits: 12 }, 'a');
	const second = await execution.run(items(4), { maxCredits: 15 }, 'b');
	expect(failures(second)).toHaveLength(3);
	expect(reserved(model)).toBe(15);
});

test('with error items, what still fits is sent; waiting for a top-up does not wait for a limit', async () => {
	const { clock, execution, model } = setUp({
		price: ({ parameters }) => ((parameters as { size: string }).size === 'large' ? 10 : 2),
	});
	await execution.run([{ prompt: 'first', size: 'large' }, ...items(1, 'small')], {});
	const mixed = [
		{ prompt: 'x', size: 'large' },
		{ prompt: 'y', size: 'small' },
	];
	const results = await execution.run(
		mixed,
		{ maxCredits: 15, onInsufficientCredits: 'continue' },
		'b',
	);
	expect(results.map(({ ok }) => ok)).toEqual([false, true]);
	expect(reserved(model)).toBe(14);
	const before = clock.now();
	const waiting = await execution.run(
		mixed,
		{ maxCredits: 15, onInsufficientCredits: 'wait' },
		'c',
	);
	expect(failures(waiting)[0]).toMatchObject({ kind: 'creditCap' });
	expect(clock.now()).toBe(before);
});

test('a retry counts nothing twice and sends nothing that does not fit; a higher limit goes on', async () => {
	const { execution, model } = setUp();
	await execution.run(items(6), { maxCredits: 9 });
	const again = await execution.run(items(6), { maxCredits: 9 });
	expect(again.filter(({ ok }) => ok)).toHaveLength(3);
	expect([reserved(model), execution.credits.reserved]).toEqual([9, 9]);
	const raised = await execution.run(items(6), { maxCredits: 100 });
	expect(raised.filter(({ ok }) => ok)).toHaveLength(6);
	expect([reserved(model), execution.credits.reserved]).toEqual([18, 18]);
});

test('a job that By Content finds again is not counted, in this execution or another one', async () => {
	const { clock, execution, model, workspace } = setUp();
	const twins = [{ prompt: 'same' }, { prompt: 'same' }];
	await execution.run(twins, { maxCredits: 100, idempotency: 'content' });
	expect([reserved(model), execution.credits.reserved]).toEqual([3, 3]);
	const later = new Execution(clock, workspace, model, 'execution 2');
	const found = await later.run(twins, { maxCredits: 3, idempotency: 'content' });
	expect(found.every(({ ok }) => ok)).toBe(true);
	expect([reserved(model), later.credits.reserved]).toEqual([3, 0]);
});

test('a service that was reset and reuses its ids is counted like any other', async () => {
	const { clock, execution, workspace } = setUp();
	await execution.run(items(4), { maxCredits: 9 });
	const model = new ModelService(clock, { price: () => 3 });
	const later = new Execution(clock, workspace, model, 'execution 2');
	await later.run(items(4), { maxCredits: 9 });
	expect([reserved(model), later.credits.reserved]).toEqual([9, 9]);
});

test('an agent run counts once: what its planning has cost is part of what its approval shows', () => {
	const prices = workspaceWith(new VirtualClock()).prices;
	expect(prices.record('plan', 'execution 1 run_1', 1)).toBe(1);
	expect(prices.record('approve', 'execution 1 run_1', 41)).toBe(40);
	expect(prices.record('approve', 'execution 1 run_1', 41)).toBe(0);
});

test('a request of unknown outcome counts with its expected price, and once', async () => {
	let lost = 0;
	const { execution, model } = setUp({
		loses: ({ method, body }) =>
			method === 'POST' && (body as { prompt: string }).prompt === 'lost' && lost++ < 7,
	});
	await execution.run(items(1), { maxCredits: 10 });
	const [failed] = await execution.run([{ prompt: 'lost' }], { maxCredits: 10 }, 'b');
	expect(failed).toMatchObject({ failure: { kind: 'noResponse', outcomeUnknown: true } });
	expect(execution.credits.reserved).toBe(6);
	const [again] = await execution.run([{ prompt: 'lost' }], { maxCredits: 10 }, 'b');
	expect(again?.ok).toBe(true);
	expect([reserved(model), execution.credits.reserved]).toEqual([6, 6]);
});

/** Requests sent at once, each of which is answered with what is given. */
async function run(
	made: {
		path: (number: number) => string;
		body?: unknown;
		bodyOf?: (number: number) => unknown;
		spec?: Item['spec'];
	},
	maxCredits: number,
	shown: (number: number) => Record<string, unknown>,
) {
	const clock = new VirtualClock();
	const workspace = workspaceWith(clock);
	let posts = 0;
	const host = hostWith(async ({ method }) => {
		if (method === 'POST') posts += 1;
		return answer(202, { id: `job_${posts}`, status: 'queued', ...shown(posts) });
	});
	const credits = executionCredits({});
	const batch = new Batch(8, false);
	const all = Array.from({ length: 8 }, async (_, itemIndex) => {
		const path = made.path(itemIndex);
		const body = made.bodyOf?.(itemIndex) ?? made.body;
		const request = { method: 'POST', path, query: {}, body } as const;
		const settings = { maxCredits, waitForCompletion: false };
		const parts = { host, workspace, credits, batch, itemIndex, settings, request };
		return await runThroughGate(
			runOf({ ...parts, ...(made.spec && { spec: made.spec }) }),
			runOperation,
		);
	});
	await clock.run(Promise.all(all));
	return { posts, reserved: credits.reserved };
}

describe('what a response does not say of its credits', () => {
	const AGENT = { output: 'job', object: 'agent_run' } as const;

	const approval = {
		path: (number: number) => `/agents/runs/run_${number}/approve`,
		body: { max_credits: 100 },
		spec: { endpoint: ENDPOINTS.approveAgentRun, ...AGENT },
	};

	test.each([
		['says nothing', {}],
		['has reserved nothing yet', { reserved_credits: 0, spent_credits: 1 }],
	])('an approved run that %s counts with its budget', async (_what, shown) => {
		expect(await run(approval, 250, () => shown)).toEqual({ posts: 2, reserved: 200 });
	});

	test('an approved run that has ended counts with what it has spent', async () => {
		const ended = { status: 'completed', reserved_credits: 0, spent_credits: 10 };
		expect(await run(approval, 250, () => ended)).toEqual({ posts: 8, reserved: 80 });
	});

	test('a plan counts with what planning costs', async () => {
		const spec = { endpoint: ENDPOINTS.createAgentRun, ...AGENT };
		const plan = { path: () => '/agents/runs', body: { brief: 'a spot' }, spec };
		expect(await run(plan, 5, () => ({ status: 'plan_proposed' }))).toEqual({
			posts: 5,
			reserved: 5,
		});
	});

	test('a generation counts as much as the last one like it', async () => {
		const generation = { path: () => '/generations', body: { mode: 'image', model: 'm' } };
		const first = (number: number) => (number === 1 ? { estimated_credits: 10 } : {});
		expect(await run(generation, 35, first)).toEqual({ posts: 3, reserved: 30 });
	});
});

describe('what is described in words costs the same, however it is worded', () => {
	const VOICE = { output: 'resource', object: 'voice' } as const;
	const words = (number: number) => ({ name: `no. ${number}`, description: 'x'.repeat(number) });

	test.each([
		[
			'designed voices',
			{ endpoint: ENDPOINTS.createVoice, ...VOICE },
			(number: number) => ({ kind: 'design', ...words(number), preview_text: `Hi ${number}` }),
		],
		[
			'cloned voices',
			{ endpoint: ENDPOINTS.createVoice, ...VOICE },
			(number: number) => ({ kind: 'clone', name: `no. ${number}`, audio_url: `/${number}` }),
		],
		[
			'songs',
			{ endpoint: ENDPOINTS.createGeneration, output: 'job', object: 'generation' } as const,
			(number: number) => ({
				mode: 'audio',
				model: 'm',
				prompt: 'rock',
				parameters: { lyrics: `la ${number}`, duration: '30' },
			}),
		],
		[
			'described personas',
			{ endpoint: ENDPOINTS.createPersona, output: 'job', object: 'persona' } as const,
			(number: number) => ({ source: 'describe', ...words(number), shared: true }),
		],
		[
			'agent runs without a budget',
			{ endpoint: ENDPOINTS.createAgentRun, output: 'job', object: 'agent_run' } as const,
			(number: number) => ({ brief: `spot ${number}`, auto_approve: true }),
		],
		[
			'lines of any length at one price',
			{ endpoint: ENDPOINTS.createGeneration, output: 'job', object: 'generation' } as const,
			(number: number) => ({ mode: 'audio', model: 'm', prompt: 'la'.repeat(1 + number) }),
		],
	])('%s never exceed the limit', async (_what, spec, bodyOf) => {
		const path = () => spec.endpoint.path;
		const shown = () => ({ credits_charged: 10, spent_credits: 10 });
		const made = await run({ path, bodyOf, spec }, 25, shown);
		expect(made).toEqual({ posts: 2, reserved: 20 });
	});
});

test('a short text is sent though a long one would not fit any more', async () => {
	const spec = {
		endpoint: ENDPOINTS.createSpeech,
		output: 'job',
		object: 'speech_generation',
	} as const;
	const text = (number: number) => 'a'.repeat(number === 0 ? 1_000 : 100);
	const bodyOf = (number: number) => ({ model: 'm', blocks: [{ text: text(number) }] });
	const shown = (number: number) => ({ estimated_credits: number === 1 ? 100 : 10 });
	const made = await run({ path: () => '/speech', bodyOf, spec }, 130, shown);
	expect(made).toEqual({ posts: 4, reserved: 130 });
});

test('a dry run sends nothing and outputs what would be sent, with its price once that is known', async () => {
	const { execution, model } = setUp();
	const preview = async () => {
		const [result] = await execution.run([{ prompt: 'a cat' }], { dryRun: true }, 'b');
		return result?.ok ? result.value.resources[0] : result;
	};
	const before = await preview();
	expect(before).toEqual({
		dryRun: true,
		method: 'POST',
		path: '/generations',
		body: { mode: 'image', model: 'm', prompt: 'a cat', parameters: { size: 's' } },
		idempotencyKey: expect.stringMatching(/^n8n-[0-9a-f]{64}$/) as unknown,
	});
	expect(model.log).toEqual([]);
	await execution.run(items(1), {});
	const requests = model.log.length;
	expect(await preview()).toEqual({ ...before, estimated_credits: 3 });
	expect(model.log).toHaveLength(requests);
	await execution.run([{ prompt: 'a cat' }], {}, 'b');
	const sent = model.log.filter(({ request }) => request.method === 'POST').at(-1)?.request;
	expect([sent?.headers?.['Idempotency-Key'], sent?.body]).toEqual([
		(before as Record<string, unknown>).idempotencyKey,
		(before as Record<string, unknown>).body,
	]);
});

describe('one creation after the other', () => {
	const made = (job: Resource): Result<Created> => ok({ job, attempt: 0 });
	const costs = (credits: number, id = 'gen_1') => made({ id, estimated_credits: credits });

	/** Creations in one execution, each with what comes of it instead of a request. */
	function setUpOne(parts: Partial<RunParts> = {}) {
		const clock = new VirtualClock();
		const workspace = workspaceWith(clock);
		const host = hostWith(async () => answer(202));
		const credits = executionCredits({});
		let sent = 0;
		const create = async (
			maxCredits: number,
			result: Result<Created>,
			more: Partial<RunParts & { path: string; body: unknown }> = {},
		) => {
			const { path = '/generations', body = { mode: 'image' }, ...rest } = more;
			const all = { host, workspace, credits, ...parts, ...rest };
			const settings = { maxCredits, ...parts.settings, ...rest.settings };
			const item = runOf({ ...all, settings });
			const outgoing = { attempt: 0, key: 'key', path, body };
			return await clock.run(
				withinCap(item, outgoing, async () => {
					sent += 1;
					if (!result.ok) {
						const { failure } = result;
						recordEvent(item.memory, { kind: 'sending', ...outgoing, now: clock.now() });
						if (failure.kind === 'status') {
							recordEvent(item.memory, { kind: 'refused', status: failure.status, rotates: true });
						}
					}
					return result;
				}),
			);
		};
		return { clock, credits, create, sent: () => sent };
	}

	test('whose price is not known is sent while anything is left, and not when nothing is', async () => {
		const { create, sent } = setUpOne();
		await create(3, costs(3));
		expect(await create(3, costs(1), { body: { mode: 'video' } })).toMatchObject({
			failure: { kind: 'creditCap', maxCredits: 3, reserved: 3, price: undefined },
		});
		expect(sent()).toBe(1);
		expect((await create(4, costs(9), { body: { mode: 'video' } })).ok).toBe(true);
	});

	test('that is lost takes all that was left where its price is not known, until that is', async () => {
		const { create, credits, sent } = setUpOne();
		await create(10, costs(3));
		const memory = newMemory();
		const parts = { memory, body: { mode: 'video' } };
		await create(10, LOST_FAILURE, parts);
		expect(credits.reserved).toBe(10);
		expect(await create(10, costs(3))).toMatchObject({ failure: { kind: 'creditCap' } });
		expect((await create(10, costs(2), parts)).ok).toBe(true);
		expect([credits.reserved, memory.expectedCredits, sent()]).toEqual([5, undefined, 3]);
	});

	test('that is lost again counts once, and fits wherever it has fitted', async () => {
		const { create, credits } = setUpOne();
		await create(6, costs(3));
		const memory = newMemory();
		await create(6, LOST_FAILURE, { memory });
		await create(6, LOST_FAILURE, { memory });
		expect(credits.reserved).toBe(6);
		expect((await create(6, costs(3), { memory })).ok).toBe(true);
		expect(credits.reserved).toBe(6);
	});

	test('that is refused counts nothing', async () => {
		const { create, credits } = setUpOne();
		await create(6, costs(3));
		const refused = fail({ kind: 'status', status: 422, serviceError: {}, outcomeUnknown: false });
		await create(6, refused);
		await create(6, refused, { body: { mode: 'video' } });
		expect(credits.reserved).toBe(3);
	});

	test('that is lost without a limit counts with its price, and where that is not known with nothing', async () => {
		const { create, credits } = setUpOne();
		await create(0, costs(3));
		const memory = newMemory();
		await create(0, LOST_FAILURE, { memory, body: { mode: 'video' } });
		expect([credits.reserved, memory.expectedCredits]).toEqual([3, undefined]);
		await create(0, LOST_FAILURE);
		expect(credits.reserved).toBe(6);
	});

	test('without a key counts once more than the one that was lost: it is another one', async () => {
		const { create, credits } = setUpOne({ settings: { idempotency: 'none' } });
		await create(9, costs(3));
		const memory = newMemory();
		await create(9, LOST_FAILURE, { memory });
		await create(9, costs(3), { memory });
		expect(credits.reserved).toBe(9);
	});

	test.each([
		['custom', 0],
		['execution', 3],
		['none', 3],
	] as const)('whose job was there before: with %s it adds %i', async (idempotency, added) => {
		const { create, credits } = setUpOne({ settings: { idempotency, idempotencyKey: 'order 7' } });
		await create(100, costs(3));
		await create(100, costs(3));
		expect(credits.reserved).toBe(3 + added);
	});

	test('whose key is another one, or whose job is, adds what it has reserved', async () => {
		const keyed = (idempotencyKey: string) => ({
			settings: { idempotency: 'custom', idempotencyKey } as const,
		});
		const { create, credits } = setUpOne();
		await create(100, costs(3), keyed('order 7'));
		await create(100, costs(3), keyed('order 8'));
		await create(100, costs(3, 'gen_2'), keyed('order 8'));
		expect(credits.reserved).toBe(9);
	});

	test('of another content adds what it has reserved, though a service that was reset repeats the id', async () => {
		const { create, credits } = setUpOne({ settings: { idempotency: 'content' } });
		for (const fingerprint of ['a cat', 'a dog', 'a dog']) {
			await create(100, costs(3), { memory: { ...newMemory(), fingerprint } });
		}
		expect(credits.reserved).toBe(6);
	});

	test('of which nobody says what it costs adds nothing', async () => {
		const { create, credits } = setUpOne();
		await create(9, costs(3));
		await create(9, made({ id: 'gen_2' }), { body: { mode: 'video' } });
		expect(credits.reserved).toBe(3);
	});

	test('that approves a run which this execution has planned adds what is new; of another one, all of it', async () => {
		const spec = {
			endpoint: ENDPOINTS.approveAgentRun,
			output: 'job',
			object: 'agent_run',
		} as const;
		const run = (status: string, spent: number, reserved: number) =>
			made({ id: 'run_1', status, spent_credits: spent, reserved_credits: reserved });
		const { create, credits } = setUpOne({ spec });
		await create(100, run('plan_proposed', 1, 0), {
			path: '/agents/runs',
			body: { brief: 'a spot' },
		});
		const approval = { path: '/agents/runs/run_1/approve', body: { max_credits: 40 } };
		await create(100, run('running', 1, 40), approval);
		expect(credits.reserved).toBe(41);
		await create(100, run('running', 1, 40), { ...approval, origin: { executionId: 'another' } });
		expect(credits.reserved).toBe(82);
	});

	test('that waits for its turn is not sent once it is cancelled, or once its run is halted', async () => {
		const { clock, credits, create, sent } = setUpOne();
		const release = await credits.acquireLock({ fairnessKey: 'a', send: async () => answer(202) });
		const cancel = new AbortController();
		const host = hostWith(async () => answer(202));
		const line = { ...host, channel: { ...host.channel, signal: cancel.signal } };
		const batch = new Batch(2, false);
		clock.after(1_000, () => {
			cancel.abort();
			batch.halt({ cause: 'the credits ran out at item 0', credits: true });
		});
		const [cancelled, halted] = await Promise.all([
			create(9, costs(3), { host: line }),
			create(9, costs(3), { batch }),
		]);
		expect(cancelled).toMatchObject({ failure: { kind: 'cancelled' } });
		expect(halted).toMatchObject({ failure: { kind: 'skipped', credits: true } });
		release?.();
		expect(await create(9, costs(3), { batch })).toMatchObject({ failure: { kind: 'skipped' } });
		expect(sent()).toBe(0);
		expect((await create(9, costs(3))).ok).toBe(true);
	});
});
