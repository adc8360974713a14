import type { ApiRequest } from '../../../src/base/types';
import { answer, LOST } from '../../model/answers';
import { dice } from '../../model/random';
import { playSeeds } from '../../support/seed';
import { byId, ended, setUp, type Part } from '../../support/serviceRun';
import { cases } from '../../support/thorough';

jest.mock('../../../src/base/clock', () => jest.requireActual('../../support/virtualTime'));

/*
 * Max Credits per Execution, judged by what the service has charged: with several outputs of one job, in
 * rows, in executions one after the other, and by calls of a tool.
 */

interface Body {
	model: string;
	parameters?: { count?: number; quality?: string };
}

const QUALITIES: Record<string, number> = { low: 1, high: 4 };

const priceOf = ({ model, parameters: { count = 1, quality = '' } = {} }: Body): number =>
	count * (QUALITIES[quality] ?? (model === 'dear' ? 7 : 2));

const service: Part['service'] = {
	price: (body) => priceOf(body as unknown as Body),
	jobMs: () => 0,
	requestsPerMinute: 1_000_000,
};

const options = (maxCredits: number, more: object = {}) => ({ maxCredits, ...more });

/** A node whose rows ask for so many pictures each. */
function rowsOf(counts: number[], maxCredits: number, more: Part = {}) {
	const started = setUp({
		service,
		json: counts.map(() => ({})),
		given: { model: byId('m'), downloadOutputs: false, options: options(maxCredits) },
		own: (item) => ({ prompt: `p${item}`, parameters: { count: counts[item] } }),
		continueOnFail: true,
		...more,
	});
	let executions = 0;
	const charged = () => started.model.jobs.reduce((sum, { credits }) => sum + credits, 0);
	/** What a new execution is charged with. */
	const execute = async (changed: Record<string, unknown> = {}) => {
		const before = charged();
		executions += 1;
		const own = { executionId: `execution ${executions}`, nodeMemory: {} };
		const { items, error } = await ended(started.run(own, changed));
		return { credits: charged() - before, items, error };
	};
	return { ...started, charged, execute };
}

const UNLIMITED = { options: {} };

test.each<[counts: number[], maxCredits: number, charged: number]>([
	[[1], 1, 0],
	[[1], 2, 2],
	[[4], 1, 0],
	[[4], 7, 0],
	[[4], 8, 8],
	[[16], 31, 0],
	[[16], 32, 32],
	[[1, 1, 16, 1], 10, 6],
	[[16, 1, 1, 1], 10, 6],
	[[4, 4, 4], 17, 16],
])(
	'rows of %j pictures for 2 credits each, under %d: %d are charged, in each execution',
	async (...row) => {
		const [counts, maxCredits, expected] = row;
		const { execute } = rowsOf(counts, maxCredits);
		// The workspace has made a picture before.
		await execute({ ...UNLIMITED, parameters: { count: 1 } });
		const charged = [await execute(), await execute(), await execute()].map(
			({ credits }) => credits,
		);
		expect(charged).toEqual([expected, expected, expected]);
	},
);

test('without a price that is known, one job of its kind goes out alone, and none of the next executions', async () => {
	const { execute } = rowsOf([4, 4, 4], 1);
	expect((await execute()).credits).toBe(8);
	expect((await execute()).credits).toBe(0);
	expect((await execute()).credits).toBe(0);
});

test('another process has its prices from the list, of a model of the third page too', async () => {
	const generation = (model: string, credits: number, count: number, status = 'completed') => ({
		id: `${model}-${count}`,
		object: 'generation',
		mode: 'image',
		status,
		model,
		output_ids: Array.from({ length: count }, (_, index) => `o${index}`),
		estimated_credits: credits,
	});
	const pages = [
		[generation('other', 3, 1), generation('m', 90, 1, 'failed'), generation('m', 2, 0, 'queued')],
		[generation('m', 8, 3, 'partially_completed')],
		[generation('m', 12, 4), generation('m', 40, 4)],
		[generation('m', 99, 1)],
	];
	const asked: unknown[] = [];
	const answers = ({ method, path, query }: ApiRequest) => {
		if (method !== 'GET' || path !== '/generations') return undefined;
		const page = Number(query?.cursor ?? 0);
		asked.push(page);
		const next_cursor = page + 1 < pages.length ? String(page + 1) : null;
		return answer(200, {
			object: 'list',
			data: pages[page],
			has_more: next_cursor !== null,
			next_cursor,
		});
	};
	const { execute } = rowsOf([4], 11, { answers });
	const { credits, items } = await execute();
	expect(credits).toBe(0);
	expect(asked).toEqual([0, 1, 2]);
	expect(JSON.stringify(items[0]?.json)).toContain('expected to cost 12');
	await execute();
	expect(asked).toHaveLength(3);
});

test('where only another quality has a price, something must be left, and at most one job exceeds it', async () => {
	const qualities: Record<string, number> = { low: 0, high: 4, best: 9 };
	const priced = {
		...service,
		price: (body: object) => qualities[(body as Body).parameters?.quality ?? ''] ?? 0,
	};
	const start = async (maxCredits: number) => {
		const t = rowsOf([1], maxCredits, { service: priced });
		await t.execute({ ...UNLIMITED, parameters: { quality: byId('low') } });
		return t;
	};
	const nothing = await start(0);
	const ofHigh = { parameters: { quality: byId('high') } };
	expect((await nothing.execute(ofHigh)).credits).toBe(0);
	const some = await start(3);
	const nodeMemory = {};
	for (const quality of ['high', 'best', 'high', 'low']) {
		const changed = { prompt: quality, parameters: { quality: byId(quality) } };
		await ended(some.run({ executionId: 'one', nodeMemory }, changed));
	}
	expect(some.charged()).toBe(4);
});

describe('where each picture that goes in costs 20 more', () => {
	const pictures = ({ input }: { input?: Record<string, string[]> }) =>
		Object.values(input ?? {}).flat().length;
	const counting = {
		...service,
		price: (body: object) => 10 + 20 * pictures(body as { input?: Record<string, string[]> }),
	};
	const from = (...names: string[]) => ({
		input: { reference_images: names.map((name) => `https://e.example/${name}.png`).join(',') },
	});

	test('a request with one is not sent at the price of one without', async () => {
		const { execute } = rowsOf([1], 25, { service: counting });
		expect((await execute({ ...UNLIMITED, ...from('a') })).credits).toBe(30);
		expect((await execute({ ...UNLIMITED })).credits).toBe(10);
		expect((await execute(from('b'))).credits).toBe(0);
		expect((await execute()).credits).toBe(10);
	});

	test('rows from one picture each have one price, also beside one without an answer', async () => {
		const rows = [1, 1, 1, 1, 1];
		const { execute, charged } = rowsOf(rows, 150, {
			service: counting,
			own: (item) => ({ prompt: `p${item}`, ...from(`row-${item}`) }),
			answers: ({ method, body }) =>
				method === 'POST' && (body as { prompt: string }).prompt === 'p2' ? LOST : undefined,
		});
		await execute();
		// The one that has no answer counts with its price.
		expect(charged()).toBe(4 * 30);
	});
});

test('with On Error: Stop a row that is known to be too dear is not sent, and the run says so', async () => {
	const { execute } = rowsOf([1, 16, 1], 10, { continueOnFail: false });
	await execute({ ...UNLIMITED, parameters: { count: 1 } });
	const { credits, error } = await execute();
	expect(credits).toBeLessThanOrEqual(4);
	expect(error?.message).toContain('Max Credits per Execution (10) would be exceeded');
});

test('a count within Additional JSON counts, for a dry run too', async () => {
	const { execute } = rowsOf([1], 10);
	await execute({ ...UNLIMITED, parameters: { count: 1 } });
	const additionalFields = '{ "parameters": { "count": 16 } }';
	const capped = await execute({ options: options(10, { additionalFields }) });
	expect(capped.credits).toBe(0);
	const dry = await execute({ options: { dryRun: true, additionalFields } });
	expect(dry.items[0]?.json).toMatchObject({ estimated_credits: 32 });
	expect(dry.items[0]?.json.summary).toContain(
		'1 job, about 32 credits, at the prices of last time',
	);
});

test('tenths of a credit are no float', async () => {
	const tenths = { ...service, price: () => 0.1 };
	const { execute, model } = rowsOf([1, 1, 1, 1], 0.3, { service: tenths });
	await execute();
	expect(model.jobs).toHaveLength(3);
});

test('a service that states no number: one job, and the run stops and says so', async () => {
	const silent = { ...service, price: undefined };
	const { execute, model } = rowsOf([1, 1, 1], 100, { service: silent, continueOnFail: false });
	const { error } = await execute();
	expect(model.jobs).toHaveLength(1);
	expect(error?.message).toContain('cannot be kept: the service does not state what a job costs');
});

test('calls of a tool in one execution share the limit', async () => {
	const t = rowsOf([1], 10, { nodeType: 'n8n-nodes-mediagen.mediaGenTool', continueOnFail: false });
	await t.execute({ ...UNLIMITED, parameters: { count: 1 } });
	const before = t.charged();
	const nodeMemory = {};
	for (const [index, count] of [4, 4, 1, 1, 16].entries()) {
		const changed = { prompt: `call ${index}`, parameters: { count } };
		await ended(t.run({ executionId: 'agent', nodeMemory }, changed));
	}
	expect(t.charged() - before).toBe(10);
});

const RUNS = cases(500);

test(`${RUNS} random executions: never more than the limit is charged once prices are known`, async () => {
	let full = 0;
	await playSeeds(RUNS, async (seed) => {
		const { upTo, pick, flag } = dice(seed);
		const rows = Array.from({ length: 1 + upTo(8) }, () => ({
			model: byId(pick('m', 'dear')),
			parameters: { count: pick(1, 2, 4, 16), quality: byId(pick('', 'low', 'high')) },
		}));
		const maxCredits = upTo(60);
		const { execute } = rowsOf(
			rows.map(() => 1),
			maxCredits,
			{ own: (item) => ({ prompt: `p${item}`, ...rows[item] }), continueOnFail: flag() },
		);
		await execute(UNLIMITED);
		const { credits, items } = await execute();
		if (items.some(({ json }) => json.error !== undefined)) full += 1;
		return credits > maxCredits ? [`${credits} of ${maxCredits} are charged`] : [];
	});
	expect(full).toBeGreaterThan(RUNS / 5);
});
