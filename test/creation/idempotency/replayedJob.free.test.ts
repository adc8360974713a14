import type { NodeExecutionHint } from 'n8n-workflow';
import { MediaGenVoice } from '../../../nodes/Voice/MediaGenVoice.node';
import { answer, errorBody } from '../../model/answers';
import { byId, clock, ended, setUp, type Part } from '../../support/serviceRun';

jest.mock('../../../src/base/clock', () => jest.requireActual('../../support/virtualTime'));

/*
 * What is known to be only a repetition costs nothing: no limit refuses it, it counts for none, and nothing
 * is read for it that nothing needs. What is not known counts.
 */

interface Asked {
	idempotency: string;
	saysWhen?: boolean;
}

const HOUR = 3_600_000;

/** A node whose picture costs 2 credits each, in one process, and what the service has charged. */
function workspaceWith({ idempotency, saysWhen = true }: Asked, more: Part = {}) {
	const mode = idempotency === 'editor' ? 'manual' : 'trigger';
	let asked: Array<[prompt: string, count: number]> = [];
	let limited: object = {};
	const t = setUp({
		service: {
			price: ({ parameters }) => 2 * (parameters as { count: number }).count,
			saysWhen,
			requestsPerMinute: 1_000_000,
		},
		given: { model: byId('m'), downloadOutputs: false },
		own: (item) => {
			const [prompt = '', count = 1] = asked[item] ?? [];
			const options = { idempotency, idempotencyKey: prompt, ...limited };
			return { prompt, parameters: { count }, options };
		},
		continueOnFail: true,
		mode,
		...more,
	});
	let executions = 0;
	/** A new execution that asks for these pictures, by prompt and count. */
	const execute = async (rows: Array<[prompt: string, count: number]>, limits: object = {}) => {
		executions += 1;
		const hints: NodeExecutionHint[] = [];
		const before = { gets: gets(), charged: charged() };
		const items = rows.map(() => ({ json: {} }));
		asked = rows;
		limited = limits;
		const own = { items, hints, executionId: `e${executions}`, nodeMemory: {} };
		const { items: made } = await ended(t.run(own));
		return {
			made: made.map(({ json }) => json.error === undefined),
			errors: made.map(({ json }) => String(json.error)),
			charged: charged() - before.charged,
			gets: gets() - before.gets,
			receipt: hints[0]?.message,
		};
	};
	const charged = () => t.model.jobs.reduce((sum, { credits }) => sum + credits, 0);
	const gets = () => t.model.log.filter(({ request }) => request.method === 'GET').length;
	return { ...t, execute };
}

const MODES: Asked[] = [
	{ idempotency: 'content' },
	{ idempotency: 'content', saysWhen: false },
	{ idempotency: 'custom' },
	{ idempotency: 'editor' },
	{ idempotency: 'editor', saysWhen: false },
];

describe.each(MODES)('%j', (asked) => {
	test.each([{ maxCredits: 0 }, { maxCredits: 1 }, { maxCreditsPerDay: 1 }])(
		'a picture that was paid for is given again under %j, and nothing is listed for it',
		async (limits) => {
			const t = workspaceWith(asked);
			expect(await t.execute([['a', 4]])).toMatchObject({ charged: 8, made: [true] });
			await clock.pass(HOUR / 2);
			expect(await t.execute([['a', 4]], limits)).toMatchObject({
				charged: 0,
				made: [true],
				receipt: expect.stringContaining('as before: 0 credits') as string,
			});
			const lists = t.model.log.filter(({ request }) => request.path === '/generations');
			expect(lists.filter(({ request }) => request.method === 'GET')).toEqual([]);
		},
	);

	test('it counts for no limit: beside it what is new has all of it', async () => {
		const t = workspaceWith(asked);
		await t.execute([['a', 4]]);
		const rows: Array<[string, number]> = [
			['a', 4],
			['b', 1],
			['a', 4],
			['c', 2],
		];
		expect(await t.execute(rows, { maxCredits: 5 })).toMatchObject({
			charged: 2,
			made: [true, true, true, false],
		});
	});

	test('after a day its key is over: then it counts', async () => {
		const t = workspaceWith(asked);
		await t.execute([['a', 4]]);
		// A workspace that nobody uses for an hour is forgotten anyway.
		for (let half = 0; half < 48; half += 1) {
			await clock.pass(HOUR / 2);
			await t.execute([['another', 1]]);
		}
		const { charged, made } = await t.execute([['a', 4]], { maxCredits: 1 });
		expect([charged, made]).toEqual([0, [false]]);
	});

	test('in a process that has seen nothing of it, it counts', async () => {
		const t = workspaceWith(asked);
		await t.execute([['a', 4]]);
		const other = workspaceWith(asked, { answers: async (one) => await t.model.send(one) });
		const { made } = await other.execute([['a', 4]], { maxCredits: 1 });
		expect(made).toEqual([false]);
		expect(t.model.jobs).toHaveLength(1);
	});

	test('credits that have run out are no obstacle', async () => {
		const t = workspaceWith(asked);
		await t.execute([['a', 1]]);
		t.model.settings.credits = 0;
		const rows: Array<[string, number]> = [
			['b', 1],
			['a', 1],
		];
		expect((await t.execute(rows)).made).toEqual([false, true]);
		const onInsufficientCredits = 'wait';
		const from = clock.monotonic();
		await t.execute([['a', 1]], { onInsufficientCredits });
		expect(clock.monotonic() - from).toBeLessThan(60_000);
	});
});

test('a voice that is given again at once counts for no limit: what is new beside it has all of it', async () => {
	let voices: string[] = [];
	const made = new Set<string>();
	const t = setUp({
		node: new MediaGenVoice(),
		own: (item) => ({
			operation: 'design',
			name: 'n',
			description: voices[item],
			options: { idempotency: 'content', maxCredits: 5 },
		}),
		answers({ method, body }) {
			if (method !== 'POST') return undefined;
			const { description } = body as { description: string };
			made.add(description);
			const voice = { id: `voice_${description}`, object: 'voice', kind: 'design', credits: 5 };
			return answer(201, voice);
		},
	});
	const execute = async (executionId: string, ...asked: string[]) => {
		voices = asked;
		const items = asked.map(() => ({ json: {} }));
		return await ended(t.run({ items, executionId, nodeMemory: {} }));
	};
	await execute('e1', 'deep');
	expect((await execute('e2', 'deep', 'high')).items).toHaveLength(2);
	expect([...made]).toEqual(['deep', 'high']);
});

test('a job that has failed leads to the next key, which is new', async () => {
	const asked = { idempotency: 'content' };
	const t = workspaceWith(asked);
	t.model.settings.ending = () => ({ status: 'failed', errors: [{ message: 'no' }] });
	await t.execute([['a', 4]]);
	const again = await t.execute([['a', 4]], { maxCredits: 1 });
	expect(again.charged).toBe(0);
	expect(again.errors[0]).toMatch(/Max Credits per Execution \(1\) would be exceeded/);
});

test('a new picture takes as many reads in each mode', async () => {
	const reads: Record<string, number> = {};
	for (const idempotency of ['execution', 'content', 'custom', 'none'])
		reads[idempotency] = (await workspaceWith({ idempotency }).execute([['a', 1]])).gets;
	expect(new Set(Object.values(reads)).size).toBe(1);
});

test('where the service does not say when, the first execution of On Retries reads no more', async () => {
	const reads: number[] = [];
	for (const idempotency of ['none', 'execution'])
		reads.push((await workspaceWith({ idempotency, saysWhen: false }).execute([['a', 1]])).gets);
	expect(reads[1]).toBe(reads[0]);
});

test('one that is there and has ended is not read again', async () => {
	for (const idempotency of ['content', 'custom']) {
		const t = workspaceWith({ idempotency });
		await t.execute([['a', 1]]);
		expect((await t.execute([['a', 1]])).gets).toBe(0);
	}
});

test('a request that was lost is not judged again where its job is known', async () => {
	const t = workspaceWith({ idempotency: 'execution' }, { mode: 'manual' });
	const given = { prompt: 'a', parameters: { count: 4 } };
	let isAway = false;
	const lossy = setUp({
		given: { model: byId('m'), downloadOutputs: false, ...given },
		mode: 'manual',
		answers: async (one) => {
			if (isAway && one.method === 'GET') return answer(401, errorBody('no'));
			return await t.model.send(one);
		},
	});
	isAway = true;
	await ended(lossy.run({ executionId: 'e1', nodeMemory: {} }));
	isAway = false;
	const options = { maxCredits: 1 };
	const { error } = await ended(lossy.run({ executionId: 'e2', nodeMemory: {} }, { options }));
	expect(error).toBeUndefined();
	expect(t.model.jobs).toHaveLength(1);
});
