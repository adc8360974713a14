import { ENDPOINTS } from '../../../src/contract';
import { Batch } from '../../../src/transport/run/batch';
import { fail, ok, type Failed, type Result } from '../../../src/transport/base/result';
import { runThroughGate } from '../../../src/transport/run/runThroughGate';
import type { Item } from '../../../src/transport/run/item';
import { answer, LOST_FAILURE } from '../../../testing/answers';
import { hostWith, runOf, workspaceWith } from '../../../testing/run';
import { VirtualClock } from '../../../testing/virtualClock';

function setUp(count: number) {
	const clock = new VirtualClock();
	const workspace = workspaceWith(clock);
	const batch = new Batch(count, false);
	const host = hostWith(async () => answer(202));
	const runs = Array.from({ length: count }, (_, itemIndex) =>
		runOf({ host, workspace, batch, itemIndex }),
	);
	const all = async (operation: (item: Item) => ReturnType<typeof runThroughGate>) =>
		await clock.run(
			Promise.allSettled(runs.map(async (item) => await runThroughGate(item, operation))),
		);
	return { clock, all };
}

const status = (code: number) =>
	fail({ kind: 'status', status: code, serviceError: {}, outcomeUnknown: code >= 500 });

function single() {
	const clock = new VirtualClock();
	const workspace = workspaceWith(clock);
	return { clock, run: runOf({ host: hostWith(async () => answer(202)), workspace }) };
}

test('an item whose operation throws does not block the others', async () => {
	const { all } = setUp(3);
	const ended = await all(async ({ itemIndex }) => {
		if (itemIndex === 0) throw new Error('unforeseen');
		return ok(itemIndex);
	});
	expect(ended.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
});

test('a refusal that holds for all is found out by one', async () => {
	const { all } = setUp(20);
	let notified = 0;
	const ended = await all(async () => {
		notified += 1;
		return fail({ kind: 'status', status: 402, serviceError: {}, outcomeUnknown: false });
	});
	expect(notified).toBe(1);
	expect(ended[19]).toMatchObject({
		value: { failure: { kind: 'skipped', cause: 'the credits ran out at item 0' } },
	});
});

test('all go as soon as the request of one has got through, not when its job has ended', async () => {
	const { clock, all } = setUp(3);
	const began: number[] = [];
	await all(async ({ host, request }) => {
		began.push(clock.now());
		await host.channel.send(request);
		await clock.sleep(60_000);
		return ok(1);
	});
	expect(new Set(began).size).toBe(1);
});

test.each([
	['has ended well', ok('done'), true],
	['is not over', ok('not yet'), false],
	['has failed', fail({ kind: 'cancelled' }), false],
])(
	'a tool call that %s says whether the same call again is a new one',
	async (_, result, isOver) => {
		const { clock, run: item } = single();
		const released: boolean[] = [];
		const claimed = { ...item, release: (isSettled: boolean) => void released.push(isSettled) };
		await clock.run(
			runThroughGate<string>(
				claimed,
				async () => result,
				(value) => value === 'done',
			),
		);
		expect(released).toEqual([isOver]);
	},
);

describe('the first request goes alone', () => {
	test('until its own request has got through: an upload before it does not count', async () => {
		const { clock, all } = setUp(3);
		const sent: Array<[number, number]> = [];
		await all(async ({ host, request, itemIndex }) => {
			const files = { method: 'POST', path: '/files' } as const;
			await host.channel.send(files);
			await clock.sleep(1_000);
			sent.push([itemIndex, clock.now()]);
			await host.channel.send(request);
			return ok(1);
		});
		const [first, second] = sent.map(([, at]) => at);
		expect((second ?? 0) - (first ?? 0)).toBe(1_000);
	});
});

test('a key that may not upload does not stop the items that need no upload', async () => {
	const { all } = setUp(3);
	let count = 0;
	const ended = await all(async () => {
		count += 1;
		if (count > 1) return ok(1);
		const endpoint = ENDPOINTS.createFile;
		return {
			...fail({ kind: 'status', status: 403, serviceError: {}, outcomeUnknown: false }),
			endpoint,
		};
	});
	expect(count).toBe(3);
	expect(ended[2]).toMatchObject({ value: { ok: true } });
});

describe('a run that gets no answer at all', () => {
	test('ends after three items that were tried to the end', async () => {
		const { all } = setUp(100);
		let tried = 0;
		const ended = await all(async () => {
			tried += 1;
			return LOST_FAILURE;
		});
		expect(tried).toBe(3);
		expect(ended[99]).toMatchObject({
			value: {
				failure: {
					kind: 'skipped',
					cause: 'the service gave no answer to item 2 and those before it',
				},
			},
		});
	});

	test.each<[string, Failed]>([
		['5xx', status(503)],
		['a page', fail({ kind: 'badResponse', status: 200, problem: 'no JSON' })],
	])(
		'goes on where items are answered with %s, which may be about these items',
		async (_what, failed) => {
			const { all } = setUp(10);
			let tried = 0;
			await all(async () => {
				tried += 1;
				return failed;
			});
			expect(tried).toBe(10);
		},
	);

	test.each<[string, Result<unknown>]>([
		['an item has ended well', ok(1)],
		['one was refused by the service itself', status(400)],
		['a job is known', { ...LOST_FAILURE, job: { id: 'gen_1' } }],
	])('goes on once %s', async (_what, first) => {
		const { all } = setUp(10);
		let tried = 0;
		await all(async () => {
			tried += 1;
			return tried === 1 ? first : LOST_FAILURE;
		});
		expect(tried).toBe(10);
	});

	test('ends too where only an earlier try has got jobs', async () => {
		const { all } = setUp(10);
		let tried = 0;
		await all(async ({ batch, itemIndex }) => {
			tried += 1;
			batch.addKnownJob(itemIndex, { id: `gen_${itemIndex}` });
			return LOST_FAILURE;
		});
		expect(tried).toBe(3);
	});

	test('goes on while a job is waited for', async () => {
		const { clock, all } = setUp(10);
		let tried = 0;
		await all(async ({ batch, itemIndex, host, request }) => {
			tried += 1;
			if (tried > 1) return LOST_FAILURE;
			batch.addJob(itemIndex, { id: 'gen_1' });
			await host.channel.send(request);
			await clock.sleep(60_000);
			return ok(1);
		});
		expect(tried).toBe(10);
	});
});
