import type { ApiRequest, SendResult } from '../../src/base/types';
import { answer, errorBody, LOST } from '../model/answers';
import { byId, clock, ended, setUp } from '../support/serviceRun';
import { cases } from '../support/thorough';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

const ITEMS = cases(250);

/** How a run says that the service is away. */
const SAID =
	/did not respond|cannot be reached|answered with status|answered instead of|could not answer|Not found|does not know the job/;

type Gateway = (asked: ApiRequest) => Promise<SendResult | undefined>;

/** A run of many items, and a gateway before the service that may answer in its place. */
function withGateway({
	items = ITEMS,
	concurrentJobs = 5,
	continueOnFail = false,
	requestsPerMinute = 1_000,
	jobMs = 10_000,
	waitTimeout = 30,
}) {
	let gateway: Gateway = async () => undefined;
	const { model, run } = setUp({
		service: { requestsPerMinute: 1_000_000, concurrentJobs: ITEMS, jobMs: () => jobMs },
		continueOnFail,
		json: Array.from({ length: items }, () => ({})),
		given: { model: byId('m'), downloadOutputs: false, options: { waitTimeout } },
		own: (item) => ({ prompt: `no. ${item}` }),
		credential: { requestsPerMinute, concurrentJobs },
		answers: async (asked) => await gateway(asked),
	});
	const start = async (changed = {}) => {
		const began = clock.monotonic();
		return { ...(await ended(run({}, changed))), tookMs: clock.monotonic() - began };
	};
	const through = (rule: Gateway) => {
		gateway = rule;
	};
	return { model, start, through };
}

/** _Wait Timeout_ of these runs, in minutes. */
const WAIT = 4;

/** What the service is away with, and how long a run may take then, in ms. */
const SILENCE: Array<[name: string, gateway: Gateway, limitMs: number]> = [
	// One may have gone out just before.
	['connections that break', async () => LOST, (2 * WAIT + 1) * 60_000],
	[
		'requests that time out',
		async () => {
			await clock.sleep(120_000);
			return { noResponse: 'timeout' };
		},
		(2 * WAIT + 1) * 60_000 + 2 * 120_000,
	],
	[
		'409 in the Error shape, which may pass',
		async () => answer(409, errorBody('A request with this key is in progress')),
		(2 * WAIT + 1) * 60_000,
	],
	// Whoever answers so is not the service, and what cannot be reached certainly has done nothing.
	['404 without the Error shape', async () => answer(404, '<html>Not found</html>'), 90_000],
	[
		'no connection',
		async () => ({ noResponse: 'ECONNREFUSED', unsent: 'connection' }) as const,
		90_000,
	],
];

test('a 429 between requests without an answer does not begin Wait Timeout anew', async () => {
	const { model, start, through } = withGateway({ items: 1, waitTimeout: WAIT });
	const began = clock.monotonic();
	let refused = 0;
	through(async (request) => {
		if (request.method !== 'POST') return undefined;
		const isEarly = clock.monotonic() - began < (WAIT / 2) * 60_000;
		if (isEarly || refused > 0) {
			await model.send(request);
			return LOST;
		}
		refused += 1;
		return answer(429);
	});
	const { error, tookMs } = await start();
	// Its time may end while it waits for a slot after the 429.
	expect(error?.description).toMatch(/Whether the request was carried out is not known\./);
	expect(refused).toBe(1);
	expect(tookMs).toBeLessThan((WAIT + 1) * 60_000);
	expect(model.jobs).toHaveLength(1);
});

test.each(SILENCE)(
	'a run that meets nothing but %s ends in its time, also where all jobs are known, and goes on with them later',
	async (_name, gateway, limitMs) => {
		const { model, start, through } = withGateway({
			concurrentJobs: ITEMS,
			jobMs: 900_000,
			waitTimeout: WAIT,
		});
		const meetsNothingElse = async () => {
			through(gateway);
			const { error, tookMs } = await start();
			expect(error?.message).toMatch(SAID);
			expect(tookMs).toBeLessThanOrEqual(limitMs);
			through(async () => undefined);
		};
		await meetsNothingElse();
		await start({ options: { waitTimeout: 1 } });
		expect(model.jobs).toHaveLength(ITEMS);
		await meetsNothingElse();
		await start({ waitForCompletion: false });
		expect(model.jobs).toHaveLength(ITEMS);
	},
);

test.each(SILENCE)(
	'at 60 requests a minute and 5 jobs, a run that meets nothing but %s ends in its time too',
	async (_name, gateway, limitMs) => {
		const { start, through } = withGateway({
			requestsPerMinute: 60,
			concurrentJobs: 5,
			waitTimeout: WAIT,
		});
		through(gateway);
		const { error, tookMs } = await start();
		expect(error?.message).toMatch(SAID);
		expect(tookMs).toBeLessThanOrEqual(limitMs);
	},
);

test.each(SILENCE)(
	'where a limit lets one creation out at a time, a run whose creations meet nothing but %s ends in its time too',
	async (_name, gateway, limitMs) => {
		const { start, through } = withGateway({ items: 12, continueOnFail: true });
		through(async (asked) => (asked.method === 'POST' ? await gateway(asked) : undefined));
		const { items, tookMs } = await start({
			options: { waitTimeout: WAIT, maxCreditsPerDay: 1_000 },
		});
		const errors = items.map(({ json }) => String(json.error));
		// What the first one has cost is not known, so under the limit no other is sent.
		const [asked, ...others] = errors;
		expect(asked).toMatch(SAID);
		const unasked = others.filter((error) => !SAID.test(error));
		expect(unasked.length).toBeGreaterThanOrEqual(10);
		expect(unasked.join('\n')).toMatch(/^((Not sent|.*cannot be kept).*\n?)+$/);
		expect(tookMs).toBeLessThanOrEqual(limitMs);
	},
);

test.each(SILENCE)(
	'with On Error: Continue, rows whose jobs are known and that meet nothing but %s end in their time too',
	async (_name, gateway, limitMs) => {
		const { model, start, through } = withGateway({
			concurrentJobs: ITEMS,
			continueOnFail: true,
			jobMs: 900_000,
			waitTimeout: 1,
		});
		await start();
		expect(model.jobs).toHaveLength(ITEMS);
		through(gateway);
		const { items, tookMs } = await start();
		const errors = items.map(({ json }) => String(json.error));
		expect(errors.filter((error) => !/Not sent/.test(error)).length).toBeLessThan(20);
		expect(items.every(({ json }) => JSON.stringify(json).includes('gen_'))).toBe(true);
		expect(tookMs).toBeLessThanOrEqual(limitMs);
	},
);

test('where a list that hangs does not say what was spent today, no row is sent, and all end together', async () => {
	const { model, start, through } = withGateway({ items: 12, continueOnFail: true });
	through(async ({ method }) => {
		if (method === 'POST') return undefined;
		await clock.sleep(120_000);
		return { noResponse: 'timeout' };
	});
	const { items, tookMs } = await start({ options: { maxCreditsPerDay: 1_000 } });
	for (const { json } of items)
		expect(json.error).toMatch(/cannot be kept: the list of generations could not be read/);
	expect(model.jobs).toEqual([]);
	expect(tookMs).toBeLessThan(10 * 60_000);
});

test('one item that the service never answers halts nothing, also where there is one slot', async () => {
	const plan = { items: 12, concurrentJobs: 1, continueOnFail: true, jobMs: 1_000 };
	const { start, through } = withGateway(plan);
	through(async ({ method, body }) => {
		const { prompt = '' } = (body ?? {}) as { prompt?: string };
		return method === 'POST' && prompt === 'no. 4' ? answer(503, '') : undefined;
	});
	const { items } = await start();
	const failed = items.filter(({ json }) => json.error !== undefined);
	expect(failed.map(({ json }) => json.error)).toEqual([
		expect.stringContaining('The service answered with status 503'),
	]);
});

test.each(['GET', 'POST'])('one %s that hangs is no outage', async (method) => {
	const { model, start, through } = withGateway({});
	let hasHung = false;
	through(async (asked) => {
		if (hasHung || asked.method !== method) return undefined;
		hasHung = true;
		await clock.sleep(120_000);
		return { noResponse: 'timeout' };
	});
	const { items, error } = await start();
	expect(error).toBeUndefined();
	expect(items).toHaveLength(ITEMS);
	expect(model.jobs).toHaveLength(ITEMS);
});

test('a run whose jobs cannot be looked at for five minutes goes on once they can', async () => {
	const { model, start, through } = withGateway({ items: 20, jobMs: 60_000 });
	const began = clock.monotonic();
	through(async ({ method }) =>
		method === 'GET' && clock.monotonic() - began < 300_000 ? LOST : undefined,
	);
	const { items, error } = await start();
	expect(error).toBeUndefined();
	expect(items).toHaveLength(20);
	expect(model.jobs).toHaveLength(20);
});
