import type { NodeExecutionHint } from 'n8n-workflow';
import type { ApiRequest, SendResult } from '../../../src/base/types';
import { startOfDay } from '../../../src/creation/credits/shownToday';
import { answer, errorBody } from '../../model/answers';
import { dice } from '../../model/random';
import { playSeeds } from '../../support/seed';
import { byId, clock, ended, setUp, type Part } from '../../support/serviceRun';
import { cases } from '../../support/thorough';

jest.mock('../../../src/base/clock', () => jest.requireActual('../../support/virtualTime'));

/* Max Credits per Day, judged by what the service has charged. */

const HOUR = 3_600_000;

test.each([
	['2026-07-01T12:00:00Z', 'Europe/Berlin', '2026-06-30T22:00:00Z'],
	['2026-01-01T00:30:00Z', 'Europe/Berlin', '2025-12-31T23:00:00Z'],
	['2026-01-01T23:30:00Z', 'Europe/Berlin', '2026-01-01T23:00:00Z'],
	// The clocks go forward and back at two and three.
	['2026-03-29T12:00:00Z', 'Europe/Berlin', '2026-03-28T23:00:00Z'],
	['2026-10-25T12:00:00Z', 'Europe/Berlin', '2026-10-24T22:00:00Z'],
	['2026-07-01T18:29:59.999Z', 'Asia/Kolkata', '2026-06-30T18:30:00Z'],
	['2026-07-01T00:00:00Z', 'UTC', '2026-07-01T00:00:00Z'],
	['2026-07-01T03:00:00Z', 'America/New_York', '2026-06-30T04:00:00Z'],
])('the day of %s began in %s at %s', (now, timezone, began) => {
	expect(new Date(startOfDay(Date.parse(now), timezone)).toISOString()).toBe(
		new Date(began).toISOString(),
	);
});

interface Entry {
	id: string;
	at: number;
	credits: number | undefined;
}

interface Service extends Part {
	/** Before this process, with how many hours ago, newest first. */
	earlier?: Array<[hoursAgo: number, credits: number | undefined]>;
	/** Whether jobs say when they were made. */
	isDated?: boolean;
	usage?: SendResult;
	list?: SendResult;
	counts?: number[];
	maxCreditsPerDay: number;
	idempotency?: string;
	/** The id of an earlier job that has not ended. */
	running?: string;
}

const NO_USAGE = answer(200, { object: 'usage', data: [] });

/** A workspace at noon in Berlin, with a list that goes on by moments. */
function workspaceOf({
	earlier = [],
	isDated = false,
	usage = NO_USAGE,
	list,
	counts = [1],
	maxCreditsPerDay,
	idempotency = 'execution',
	running,
	...more
}: Service) {
	const noon = Date.parse('2026-01-15T12:00:00+01:00');
	clock.setWall(noon - clock.now());
	const old = earlier.map(([hours, credits], index): Entry => ({
		id: `old${index}`,
		at: noon - hours * HOUR,
		credits,
	}));
	let hasFailed = false;
	const statusOf = (id: string) => {
		if (id !== running) return 'completed';
		return hasFailed ? 'failed' : 'queued';
	};
	const shown = ({ id, at, credits }: Entry) => ({
		...{ id, object: 'generation', mode: 'image', model: 'm', status: statusOf(id) },
		output_ids: ['o'],
		...(statusOf(id) !== 'failed' && { estimated_credits: credits }),
		...(isDated && { created_at: new Date(at).toISOString() }),
	});
	const pageOf = ({ query }: ApiRequest): SendResult => {
		const before = query?.cursor === undefined ? Infinity : Date.parse(String(query.cursor));
		const own = t.model.jobs.map(({ id, endsAt, credits }): Entry => ({ id, at: endsAt, credits }));
		const all = [...own.reverse(), ...old].filter(({ at }) => at < before);
		const page = all.slice(0, Number(query?.limit ?? 20));
		const isMore = all.length > page.length;
		const next_cursor = isMore ? new Date(page.at(-1)?.at ?? 0).toISOString() : null;
		return answer(200, { object: 'list', data: page.map(shown), has_more: isMore, next_cursor });
	};
	const asked: ApiRequest[] = [];
	const t = setUp({
		service: {
			price: ({ parameters }) => 2 * ((parameters as { count?: number })?.count ?? 1),
			jobMs: () => 0,
			requestsPerMinute: 1_000_000,
		},
		json: counts.map(() => ({})),
		given: { model: byId('m'), downloadOutputs: false, options: { maxCreditsPerDay, idempotency } },
		own: (item) => ({ prompt: `p${item}`, parameters: { count: counts[item] } }),
		continueOnFail: true,
		...more,
		answers: (request) => {
			asked.push(request);
			if (request.path === '/usage') return usage;
			return request.path === '/generations' && request.method === 'GET'
				? (list ?? pageOf(request))
				: undefined;
		},
	});
	let executions = 0;
	const charged = () => t.model.jobs.reduce((sum, { credits }) => sum + credits, 0);
	const execute = async () => {
		executions += 1;
		const hints: NodeExecutionHint[] = [];
		const own = { executionId: `execution ${executions}`, nodeMemory: {}, hints };
		const { items, error } = await ended(t.run(own));
		return { items, error, text: JSON.stringify(items), receipt: hints[0]?.message };
	};
	const othersMake = (count: number) => {
		const others = Array.from({ length: count }, (_, index): Entry => {
			return { id: `other${index}`, at: clock.now() - index, credits: 2 };
		});
		old.unshift(...others);
	};
	const endBadly = () => {
		hasFailed = true;
	};
	return { charged, execute, asked, othersMake, endBadly };
}

test('over all that the workspace has made today, and nothing of yesterday', async () => {
	const earlier: Service['earlier'] = [
		...Array.from({ length: 240 }, (_, index): [number, number] => [1 + index / 1_000, 2]),
		...Array.from({ length: 300 }, (_, index): [number, number] => [13 + index / 1_000, 2]),
	];
	for (const isDated of [true, false]) {
		const t = workspaceOf({ earlier, isDated, counts: [4, 8, 8, 1], maxCreditsPerDay: 500 });
		const { text } = await t.execute();
		// 480 + 8 + 2; each of the dear rows would lead over 500 after the first of them has.
		expect(t.charged()).toBe(8 + 2);
		expect(text).toContain(
			'Max Credits per Day (500) would be exceeded: 488 credits spent today in this workspace, and this item is expected to cost 16',
		);
	}
});

test('three executions share it, and the next day is another one', async () => {
	const t = workspaceOf({ counts: [1, 1, 1, 1], maxCreditsPerDay: 10 });
	const charged: number[] = [];
	for (let execution = 0; execution < 3; execution += 1) {
		await t.execute();
		charged.push(t.charged());
	}
	expect(charged).toEqual([8, 10, 10]);
	clock.setWall(24 * HOUR);
	await t.execute();
	expect(t.charged()).toBe(18);
});

test('a job that is finished at once counts, though it looks as if it had been there before', async () => {
	const t = workspaceOf({
		counts: [1, 1, 1, 1, 1, 1],
		idempotency: 'content',
		maxCreditsPerDay: 8,
	});
	const { receipt } = await t.execute();
	expect(t.charged()).toBe(8);
	expect(receipt).toMatch(
		/, for at most 8 credits\..* 4 may have been there before, for 0 credits\.$/,
	);
});

test('what was spent is read once a run', async () => {
	const t = workspaceOf({ counts: [1, 1, 1], maxCreditsPerDay: 100 });
	await t.execute();
	const lists = t.asked.filter(({ method, path }) => method === 'GET' && path !== '/usage');
	// The prices; today; and what was made before midnight.
	expect(lists.length).toBeLessThanOrEqual(3);
	expect(t.asked.filter(({ path }) => path === '/usage')).toHaveLength(1);
});

describe.each([true, false])('of a day with 1,200 jobs (dated: %s)', (isDated) => {
	const earlier: Service['earlier'] = Array.from({ length: 1_200 }, (_, index) => [
		0.2 + index / 200,
		2,
	]);
	const listsOf = (asked: ApiRequest[]) =>
		asked.filter(({ method, path }) => method === 'GET' && path === '/generations').length;

	test('each further execution reads only what is new', async () => {
		const t = workspaceOf({ earlier, isDated, maxCreditsPerDay: 2_406 });
		const lists: number[] = [];
		const charged: number[] = [];
		for (let execution = 0; execution < 5; execution += 1) {
			const before = listsOf(t.asked);
			await t.execute();
			lists.push(listsOf(t.asked) - before);
			charged.push(t.charged());
		}
		expect(charged).toEqual([2, 4, 6, 6, 6]);
		expect(lists[0]).toBeGreaterThanOrEqual(12);
		expect(Math.max(...lists.slice(1))).toBeLessThanOrEqual(2);
	});

	test('what others have made since then counts, however many', async () => {
		const t = workspaceOf({ earlier, isDated, maxCreditsPerDay: 2_500 });
		await t.execute();
		t.othersMake(350);
		const { text } = await t.execute();
		expect(text).toContain('(2500) would be exceeded: 3102 credits spent today');
		expect(t.charged()).toBe(2);
	});

	test('a job that still runs is looked at again, however old it is', async () => {
		const t = workspaceOf({ earlier, isDated, maxCreditsPerDay: 2_403, running: 'old700' });
		expect((await t.execute()).items).toHaveLength(1);
		t.endBadly();
		await t.execute();
		expect(t.charged()).toBe(4);
	});
});

test.each<[string, Partial<Service>, RegExp, RegExp]>([
	[
		'is refused',
		{ list: answer(403, errorBody('no')) },
		/may not list generations/,
		/Give the key the scope generations:read, or remove the limit; then /,
	],
	[
		'cannot be read',
		{ list: { noResponse: 'ECONNRESET' } },
		/could not be read/,
		/Wait until the service answers, or remove the limit; then /,
	],
	[
		'names no credits',
		{ earlier: [[1, undefined]] },
		/does not state what its jobs have cost/,
		/Remove the limit; then /,
	],
	[
		'has no end',
		{
			earlier: Array.from({ length: 5_100 }, (_, index): [number, number] => [
				1 + index / 1_000_000,
				2,
			]),
		},
		/today has more jobs than can be read/,
		/Wait until tomorrow, or remove the limit; then /,
	],
	[
		'goes on at no moment',
		{ list: answer(200, { data: [{ id: 'x' }], has_more: true, next_cursor: 'abc' }) },
		/does not say from when its jobs are/,
		/Remove the limit; then /,
	],
])('where the list %s, nothing is sent, and it says why and what helps', async (...row) => {
	const [, service, why, cure] = row;
	const t = workspaceOf({ ...service, maxCreditsPerDay: 500, continueOnFail: false });
	const { error } = await t.execute();
	expect(t.charged()).toBe(0);
	expect(error?.message).toMatch(/^Max Credits per Day \(500\) cannot be kept: /);
	expect(error?.message).toMatch(why);
	expect(error?.description).toMatch(cure);
	expect(error?.description).toContain('Nothing was sent');
});

test.each<[string, unknown]>([
	[
		'data',
		{
			data: [
				{ mode: 'image', credits: 90 },
				{ mode: 'speech', credits: 7 },
			],
		},
	],
	['speech under audio', { data: [{ mode: 'audio', credits: 7 }] }],
	['groups', { image: { credits_used: 90 }, speech: { credits_used: 7, jobs: 3 } }],
])('what has no list is in the usage: %s', async (_name, usage) => {
	const given = { usage: answer(200, usage), maxCreditsPerDay: 8 };
	const t = workspaceOf({ ...given, earlier: [[20, 2]] });
	expect((await t.execute()).text).toContain('(8) would be exceeded: 7 credits spent today');
	expect(t.charged()).toBe(0);
});

test.each(['queued', 'failed'])(
	'audio in the list that is %s hides no speech in the usage',
	async (status) => {
		const entry = {
			id: 'a',
			object: 'generation',
			mode: 'audio',
			model: 'a',
			estimated_credits: 5,
		};
		const today = { ...entry, status, created_at: '2026-01-15T09:00:00+01:00' };
		const t = workspaceOf({
			list: answer(200, { object: 'list', data: [today], has_more: false }),
			usage: answer(200, { data: [{ mode: 'audio', credits: 7 }] }),
			maxCreditsPerDay: 12,
		});
		expect((await t.execute()).text).toContain('(12) would be exceeded: 12 credits spent today');
	},
);

test('of audio, the usage is counted as far as the list does not show it', async () => {
	const made = { id: 'a', object: 'generation', mode: 'audio', model: 'a', status: 'completed' };
	const entry = { ...made, output_ids: ['o'], estimated_credits: 5 };
	const today = { ...entry, created_at: '2026-01-15T09:00:00+01:00' };
	const t = workspaceOf({
		list: answer(200, { object: 'list', data: [today], has_more: false }),
		usage: answer(200, { data: [{ mode: 'audio', credits: 7 }] }),
		maxCreditsPerDay: 7,
	});
	expect((await t.execute()).text).toContain('(7) would be exceeded: 7 credits spent today');
});

test.each([
	answer(403),
	answer(200, { whatever: [{ mode: 'speech', minutes: 3 }] }),
	answer(200, { total_credits: 7 }),
])('where the usage does not show it, the receipt says so: %j', async (usage) => {
	const t = workspaceOf({ usage, maxCreditsPerDay: 500 });
	const { receipt } = await t.execute();
	expect(receipt).toBe(
		'<b>1 picture made, for 2 credits.</b> Max Credits per Day has counted the list of generations only, and not what speech, voices, personas and agent runs have cost today.',
	);
});

const RUNS = cases(200);

test(`${RUNS} random days: never more than the limit is charged once prices are known`, async () => {
	let full = 0;
	await playSeeds(RUNS, async (seed) => {
		const { upTo, pick, flag } = dice(seed);
		const maxCreditsPerDay = upTo(120);
		const earlier = Array.from({ length: upTo(30) }, (_, index): [number, number] => [
			(index * 24) / 30 + 0.01,
			2,
		]);
		const before = earlier.filter(([hours]) => hours < 12).length * 2;
		const counts = Array.from({ length: 1 + upTo(6) }, () => pick(1, 2, 4, 16));
		const t = workspaceOf({
			earlier,
			counts,
			maxCreditsPerDay,
			isDated: flag(),
			continueOnFail: flag(),
		});
		for (let execution = 0; execution < 3; execution += 1) await t.execute();
		const isPriced = earlier.length > 0;
		const sum = before + t.charged();
		if (t.charged() < 3 * 2 * counts.reduce((all, one) => all + one, 0)) full += 1;
		return isPriced && t.charged() > 0 && sum > maxCreditsPerDay
			? [`${sum} of ${maxCreditsPerDay} are charged`]
			: [];
	});
	expect(full).toBeGreaterThan(RUNS / 5);
});

test.each([
	['m', 'this item is expected to cost 4'],
	['other', 'what this item costs is not known'],
])(
	'a row that is refused says what it would cost, whatever else the run has: %s',
	async (...row) => {
		const [model, says] = row;
		const t = workspaceOf({
			earlier: [[1, 2]],
			maxCreditsPerDay: 4,
			idempotency: 'content',
			own: (item) => ({
				prompt: `p${item}`,
				model: byId(item < 1 ? 'm' : model),
				parameters: { count: item < 1 ? 1 : 2 },
			}),
			json: [{}, {}],
		});
		// The first row is made, and in the second execution it is only repeated.
		for (let execution = 0; execution < 2; execution += 1) {
			const { text } = await t.execute();
			expect(text).toContain(
				`(4) would be exceeded: 4 credits spent today in this workspace, and ${says}`,
			);
			expect(t.charged()).toBe(2);
		}
	},
);
