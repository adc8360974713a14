import type { SendResult, Resource } from '../../src/base/types';
import { Client } from '../../src/transport/client';
import { JobPoller } from '../../src/transport/jobPoller';
import { OtherClients, RateLimiter } from '../../src/transport/sharing';
import { answer, channelOf, LOST, scripted, type Sent } from '../model/answers';
import { workspaceWith } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const HALF_HOUR = 1_800_000;

const generation = (id: string, more: Record<string, unknown> = {}): Resource => ({
	id,
	object: 'generation',
	status: 'queued',
	...more,
});

const done = (id: string, more: Record<string, unknown> = {}) =>
	generation(id, {
		status: 'completed',
		outputs: [{ id: 'o', url: 'https://media.example/o' }],
		...more,
	});

const TWO = ['o', 'p'].map((id) => ({ id, url: `https://media.example/${id}` }));

const page = (...data: unknown[]) => answer(200, { object: 'list', data });

type Answers = (request: Sent) => SendResult | Promise<SendResult>;

function setUp(answers: SendResult[] | Answers) {
	const clock = new VirtualClock();
	const { poller } = workspaceWith(clock);
	const script = scripted(clock, Array.isArray(answers) ? answers : []);
	const send: typeof script.send = async (request) => {
		const scriptedResult = script.send(request);
		const sent = script.sent.at(-1) as Sent;
		await scriptedResult;
		return Array.isArray(answers) ? await scriptedResult : await answers(sent);
	};
	const wait = async (job: Resource, ms = HALF_HOUR, signal?: AbortSignal) =>
		await poller.wait(channelOf(send, 'a', signal), job, ms);
	return { clock, poller, wait, sent: script.sent };
}

test('jobs missing from the page, or shown without their outputs or a reason, are read singly', async () => {
	const failed = generation('gen_4', { status: 'failed' });
	const errors = [{ message: 'Too dark' }];
	const { clock, wait, sent } = setUp(({ path }) => {
		if (path === '/generations/gen_4') return answer(200, { ...failed, errors });
		if (path !== '/generations') return answer(200, done(path.split('/')[2] ?? ''));
		const lean = done('gen_2', { outputs: undefined });
		return page(done('gen_1'), lean, failed, null, 'text', { id: 7 });
	});
	const ids = ['gen_1', 'gen_2', 'gen_3', 'gen_4'];
	const all = ids.map(async (id) => await wait(generation(id)));
	const completed = { value: { status: 'completed', outputs: [{ id: 'o' }] } };
	expect(await clock.run(Promise.all(all))).toMatchObject([
		completed,
		completed,
		completed,
		{ value: { errors } },
	]);
	expect(sent.map(({ path }) => path).sort()).toEqual([
		'/generations',
		'/generations/gen_2',
		'/generations/gen_3',
		'/generations/gen_4',
	]);
});

test.each([
	['says why', { error: { message: 'Too dark' } }],
	['does not say why', {}],
])(
	'a list that shows a job as failed and %s does not decide: the job is read first',
	async (_, more) => {
		const { clock, wait, sent } = setUp(({ path }) =>
			path === '/generations'
				? page(generation('gen_1', { status: 'failed', ...more }), generation('gen_2'))
				: answer(200, done(path.split('/')[2] ?? '')),
		);
		const all = Promise.all(['gen_1', 'gen_2'].map(async (id) => await wait(generation(id))));
		expect((await clock.run(all))[0]).toMatchObject({ value: { status: 'completed' } });
		expect(sent.map(({ path }) => path)).toContain('/generations/gen_1');
	},
);

test.each([
	['truncated', answer(200, '{"id"')],
	['about another job', answer(200, done('gen_2'))],
])(
	'a success that is %s ends the wait when it comes three times in a row, with the job',
	async (_name, unreadable) => {
		const running = answer(200, generation('gen_1'));
		const { clock, wait, sent } = setUp([unreadable, unreadable, running, unreadable]);
		expect(await clock.run(wait(generation('gen_1')))).toMatchObject({
			failure: { kind: 'badResponse', status: 200 },
			job: { id: 'gen_1' },
		});
		expect(sent).toHaveLength(6);
	},
);

test.each([
	['lost', LOST],
	['429', answer(429)],
	['403 of a gateway', answer(403, { message: 'no' })],
])('%s never fails a wait', async (_name, fault) => {
	const faults = Array.from({ length: 12 }, () => fault);
	const { clock, wait, sent } = setUp([...faults, answer(200, done('gen_1'))]);
	expect((await clock.run(wait(generation('gen_1')))).ok).toBe(true);
	expect(sent).toHaveLength(13);
});

test('where the service is away, polls become rarer, up to a minute apart', async () => {
	const { clock, wait, sent } = setUp([LOST]);
	await clock.run(wait(generation('gen_1')));
	const gaps = sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? at));
	expect(Math.max(...gaps)).toBe(60_000);
	expect(sent.length).toBeLessThan(40);
});

test.each<[string, SendResult, object]>([
	['the service does not know a new job yet', answer(404), { kind: 'status', status: 404 }],
	['n8n cannot send', { noResponse: 'x', unsent: 'local' }, { kind: 'noResponse', reason: 'x' }],
])('two failed reads are tolerated, the third names the job: %s', async (_name, bad, failure) => {
	const early = setUp([bad, bad, answer(200, done('gen_1'))]);
	expect((await early.clock.run(early.wait(generation('gen_1')))).ok).toBe(true);
	const never = setUp([bad]);
	const result = await never.clock.run(never.wait(generation('gen_1')));
	expect(result).toMatchObject({ failure, job: { id: 'gen_1' } });
	expect(never.sent).toHaveLength(3);
});

test.each([401, 403])('%i ends the wait at once and names the job', async (status) => {
	const { clock, wait, sent } = setUp([answer(status)]);
	const result = await clock.run(wait(generation('gen_1')));
	expect(result).toMatchObject({ failure: { kind: 'status', status }, job: { id: 'gen_1' } });
	expect(sent).toHaveLength(1);
});

test('a cancel returns at once with the job, and leaves no timer behind', async () => {
	const abort = new AbortController();
	const { clock, wait, sent } = setUp([answer(200, generation('gen_1'))]);
	const waiting = wait(generation('gen_1'), HALF_HOUR, abort.signal);
	await clock.pass(500);
	const before = clock.now();
	abort.abort();
	expect(await waiting).toMatchObject({ failure: { kind: 'cancelled' }, job: { id: 'gen_1' } });
	expect(clock.now()).toBe(before);
	await clock.pass(120_000);
	expect(sent).toHaveLength(0);
	expect(clock.sleeping).toBe(0);
});

test.each([403, 503])(
	'a list that always gives %i does not hold up the waits: jobs are read singly',
	async (status) => {
		const { clock, wait, sent } = setUp(({ path }) =>
			path === '/generations' ? answer(status) : answer(200, done(path.split('/').at(-1) ?? '')),
		);
		const waits = ['gen_1', 'gen_2'].map(async (id) => await wait(generation(id)));
		const ended = await clock.run(Promise.all(waits));
		expect(ended.every(({ ok: isOk }) => isOk)).toBe(true);
		expect(sent.filter(({ path }) => path === '/generations').length).toBeLessThanOrEqual(4);
	},
);

/** How many ms four jobs of 8 s take, one after the other, beside a wait for a job whose reads give this. */
async function fourBeside(other: () => Promise<SendResult>) {
	let endsAt = Infinity;
	const ids = ['gen_1', 'gen_2', 'gen_3', 'gen_4'];
	const { clock, wait } = setUp(async ({ path, at }) => {
		const id = path.split('/')[2];
		if (id === 'other') return await other();
		const shown = ids.map((one) => (at >= endsAt ? done(one) : generation(one)));
		return id === undefined ? page(...shown) : answer(200, shown[ids.indexOf(id)]);
	});
	void wait(generation('other'));
	// It is overdue by then.
	await clock.pass(60_000);
	const began = clock.now();
	for (const id of ids) {
		endsAt = clock.now() + 8_000;
		expect((await clock.run(wait(generation(id)))).ok).toBe(true);
	}
	return clock.now() - began;
}

test.each([
	['is lost', async () => LOST],
	['hangs for ever', async () => await new Promise<never>(() => {})],
])('one bad job, whose GET %s, slows nobody else', async (_name, bad) => {
	const besideGood = await fourBeside(async () => answer(200, generation('other')));
	expect(await fourBeside(bad)).toBeLessThanOrEqual(besideGood + 4_000);
});

test('where a list shows jobs as queued for ever, they are read by themselves after three minutes', async () => {
	const ids = ['gen_1', 'gen_2', 'gen_3'];
	const { clock, wait } = setUp(({ path, at }) => {
		if (path === '/generations') return page(...ids.map((id) => generation(id)));
		const id = path.split('/')[2] ?? '';
		return answer(200, at - began >= 20_000 ? done(id) : generation(id));
	});
	const began = clock.now();
	const ended = await clock.run(Promise.all(ids.map(async (id) => await wait(generation(id)))));
	expect(ended.every((result) => result.ok)).toBe(true);
	expect(clock.now() - began).toBeLessThanOrEqual(190_000);
});

test.each(['list', 'read', 'event'] as const)(
	'a job with an unknown status, such as canceled, is waited for and holds no slot: seen by a %s',
	async (by) => {
		const clock = new VirtualClock();
		const workspace = workspaceWith(clock, { concurrentJobs: by === 'list' ? 2 : 1 });
		const { slots, poller } = workspace;
		const ids = by === 'list' ? ['gen_1', 'gen_2'] : ['gen_1'];
		const shown = generation('gen_1', by === 'event' ? {} : { status: 'canceled' });
		const channel = channelOf(async ({ path }) =>
			path === '/generations' ? page(shown, generation('gen_2')) : answer(200, shown),
		);
		const wanted = { timeoutMs: HALF_HOUR, takesSlot: 'media' } as const;
		const ended: string[] = [];
		for (const id of ids) {
			const slot = await clock.run(slots.acquire(channel, wanted));
			if (slot.ok) slot.value.accepted(generation(id));
			void poller.wait(channel, generation(id), HALF_HOUR).then(() => ended.push(id));
		}
		const next = slots.acquire(channel, wanted);
		if (by === 'event') poller.notify(generation('gen_1', { status: 'canceled' }));
		const before = clock.now();
		expect((await clock.run(next)).ok).toBe(true);
		expect(clock.now() - before).toBeLessThanOrEqual(10_000);
		expect(ended).toEqual([]);
	},
);

describe('reads of single jobs take half of the requests of a minute', () => {
	const MINUTE = 60_000;

	/** How many of 40 speech jobs, which no list shows, are read in a minute that begins after so long. */
	async function readsOf(after: number, thereUntil: number, ending = 0) {
		const clock = new VirtualClock();
		const limiter = new RateLimiter(clock, 60, { thereUntil });
		const client = new Client(limiter, clock, () => 0.5);
		const poller = new JobPoller(client, limiter, clock, new OtherClients());
		const began = clock.monotonic();
		let reads = 0;
		const channel = channelOf(async ({ path }) => {
			const sinceMs = clock.monotonic() - began - after;
			if (!path.includes('end') && sinceMs >= 0 && sinceMs < MINUTE) reads += 1;
			const id = path.split('/').at(-1) ?? '';
			const hasEnded = id.startsWith('end') && clock.monotonic() - began >= MINUTE;
			return answer(200, { ...speech(id), status: hasEnded ? 'failed' : 'queued' });
		});
		const speech = (id: string) => ({ id, object: 'speech_generation', status: 'queued' });
		for (let each = 0; each < ending; each += 1)
			void poller.wait(channel, speech(`end_${each}`), MINUTE);
		for (let each = 0; each < 40; each += 1)
			void poller.wait(channel, speech(`sp_${each}`), HALF_HOUR);
		await clock.pass(after + MINUTE);
		return reads;
	}

	test('and five more after a pause', async () => {
		expect(await readsOf(0, -Infinity)).toBeLessThanOrEqual(35);
	});

	test('of those that are left beside others', async () => {
		expect(await readsOf(0, Infinity)).toBeLessThanOrEqual(20);
	});

	test('and those at deadlines, which take nothing of them, give nothing back', async () => {
		expect(await readsOf(MINUTE, -Infinity, 10)).toBeLessThanOrEqual(30);
	});
});

describe('a pushed end', () => {
	test('with the outputs ends the wait at once, without a request', async () => {
		const { clock, poller, wait, sent } = setUp([answer(200, generation('gen_1'))]);
		const waiting = wait(generation('gen_1'));
		await clock.pass(500);
		poller.notify(done('gen_1'));
		expect(await waiting).toMatchObject({ ok: true, value: { status: 'completed' } });
		expect(sent).toHaveLength(0);
	});

	test('without the outputs wakes the poller, which reads the job at once', async () => {
		let shown = generation('gen_1');
		const { clock, poller, wait, sent } = setUp(() => answer(200, shown));
		const waiting = wait(generation('gen_1'));
		await clock.pass(300_500);
		const before = sent.length;
		const pushedAt = clock.now();
		shown = done('gen_1');
		poller.notify({ id: 'gen_1', object: 'generation', status: 'completed' });
		expect(await clock.run(waiting)).toMatchObject({ value: { outputs: [{ id: 'o' }] } });
		expect(sent).toHaveLength(before + 1);
		expect(clock.now() - pushedAt).toBeLessThanOrEqual(2_000);
	});

	test.each([
		['an event that does not name the kind', { id: 'gen_1', status: 'completed' }],
		['an output without its link', done('gen_1', { outputs: [...TWO.slice(0, 1), { id: 'p' }] })],
	])('is not taken for the whole job: %s', async (_, event) => {
		const { clock, poller, wait, sent } = setUp([answer(200, done('gen_1', { outputs: TWO }))]);
		const waiting = wait(generation('gen_1'));
		await clock.pass(500);
		poller.notify(event);
		expect(await clock.run(waiting)).toMatchObject({ value: { outputs: TWO } });
		expect(sent).toHaveLength(1);
	});
});

test('a final poll after a deadline that the machine slept past finds the job that has ended meanwhile', async () => {
	const { clock, wait, sent } = setUp(({ at }) =>
		answer(200, at - started < 60_000 ? generation('gen_1') : done('gen_1')),
	);
	const started = clock.now();
	const waiting = wait(generation('gen_1'), 600_000);
	await clock.pass(30_000);
	const before = sent.length;
	clock.stall(8 * 3_600_000);
	expect(await clock.run(waiting)).toMatchObject({ ok: true, value: { status: 'completed' } });
	expect(sent).toHaveLength(before + 1);
});

describe('what throws within our own code', () => {
	const FAULT = new TypeError('Cannot read properties of undefined');

	test('while a job is read ends the wait for that job, and no other', async () => {
		const { clock, wait } = setUp(({ path }) => {
			if (path === '/generations') return page();
			if (path === '/generations/gen_1') throw FAULT;
			return answer(200, done('gen_2'));
		});
		const waits = ['gen_1', 'gen_2'].map(async (id) => await wait(generation(id)));
		expect(await clock.run(Promise.allSettled(waits))).toMatchObject([
			{ status: 'rejected', reason: FAULT },
			{ status: 'fulfilled', value: { value: { id: 'gen_2', status: 'completed' } } },
		]);
	});

	test('while it is decided what to read ends the waits, which nothing else would end', async () => {
		const { clock, wait } = setUp([answer(200, done('gen_1'))]);
		const waits = Promise.allSettled(
			['gen_1', 'gen_2'].map(async (id) => await wait(generation(id))),
		);
		jest.spyOn(RateLimiter.prototype, 'requestsPerMinute', 'get').mockImplementationOnce(() => {
			throw FAULT;
		});
		expect(await clock.run(waits)).toEqual([
			{ status: 'rejected', reason: FAULT },
			{ status: 'rejected', reason: FAULT },
		]);
	});

	test('while a list is read ends no wait: the jobs are read by themselves', async () => {
		const { clock, wait } = setUp(({ path }) => {
			if (path === '/generations') throw FAULT;
			return answer(200, done(path.split('/')[2] ?? ''));
		});
		const waits = ['gen_1', 'gen_2'].map(async (id) => await wait(generation(id)));
		expect(await clock.run(Promise.all(waits))).toMatchObject([{ ok: true }, { ok: true }]);
	});
});
