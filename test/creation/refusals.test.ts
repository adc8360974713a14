import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import { MediaGenPersona } from '../../nodes/Persona/MediaGenPersona.node';
import { MediaGenSpeech } from '../../nodes/Speech/MediaGenSpeech.node';
import type { ApiRequest } from '../../src/base/types';
import { answer, errorBody } from '../model/answers';
import { dice } from '../model/random';
import { playSeeds } from '../support/seed';
import { byId, clock, ended, setUp, type Part } from '../support/serviceRun';
import { cases } from '../support/thorough';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

/*
 * What concerns one row ends one row, where the user wants rows; and what concerns all is not asked for again
 * and again.
 */

interface Row {
	model?: string;
	count?: number;
	persona?: string;
	prompt?: string;
}

interface Body {
	model?: string;
	persona_id?: string;
	prompt?: string;
	parameters?: { count?: number };
}

const PRICES: Record<string, number> = { film: 20, cheap: 0.5 };

const priceOf = ({ model = '', parameters = {} }: Body) =>
	(PRICES[model] ?? 2) * (parameters.count ?? 1);

const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** A run of these rows, what the service has charged, and how often it has refused. */
async function runOf(rows: Row[], credits: number, more: Part = {}) {
	const t = setUp({
		service: {
			credits,
			price: (body) => priceOf(body as Body),
			jobMs: () => 1_000,
			requestsPerMinute: 1_000_000,
		},
		json: rows.map(() => ({})),
		given: { downloadOutputs: false },
		own: (item) => {
			const { model = 'm', count = 1, persona, prompt = `p${item}` } = rows[item] ?? {};
			const own = { model: byId(model), prompt, parameters: { count } };
			return persona === undefined ? own : { ...own, options: { personaId: byId(persona) } };
		},
		continueOnFail: true,
		...more,
	});
	const began = clock.monotonic();
	const { items, error } = await ended(t.run());
	const details = items.map(({ json }) => json.details as { tryAgain?: string } | undefined);
	return {
		t,
		error,
		ms: clock.monotonic() - began,
		made: items.map(({ json }) => json.error === undefined),
		words: items.map(({ json }) => json.error as string | undefined),
		tryAgain: details.map((one) => one?.tryAgain),
		charged: t.model.jobs.reduce((sum, one) => sum + one.credits, 0),
		refused: t.model.count(402),
		sent: t.posts().length,
	};
}

const times = (count: number, row: Row = {}): Row[] => Array.from({ length: count }, () => row);

const isBad = (body: unknown) => (body as Body | undefined)?.prompt === 'bad';

test.each<[string, Part, jobs: number]>([
	[
		'a 400',
		{ answers: ({ body }) => (isBad(body) ? answer(400, errorBody('unknown size')) : undefined) },
		19,
	],
	[
		'a failed job',
		{ service: { ending: (prompt) => ({ status: prompt === 'bad' ? 'failed' : 'completed' }) } },
		20,
	],
])(
	'where no rows are wanted, %s ends no other row, and the error counts their jobs',
	async (_, more, jobs) => {
		const rows = times(20).map((_row, index) => ({ prompt: index === 2 ? 'bad' : `p${index}` }));
		const { t, error } = await runOf(rows, 1_000, { continueOnFail: false, ...more });
		expect(t.model.jobs).toHaveLength(jobs);
		expect(error?.description).toContain('19 other jobs exist and are kept');
	},
);

describe('402', () => {
	test.each<[string, Row[], credits: number, charged: number, refused: number]>([
		['a dear row among cheap ones', [16, 1, 1, 16, 1].map((count) => ({ count })), 10, 6, 1],
		['rows that ask for ever less', times(16).map((_, i) => ({ count: 16 - i })), 2, 2, 15],
		['a film before pictures', [{ model: 'film' }, ...times(4)], 10, 8, 1],
		[
			'pictures that run out, before something cheaper',
			[...times(9), { model: 'cheap' }],
			4,
			4.5 - 0.5,
			2,
		],
	])('%s: what can be paid for is made', async (_name, rows, credits, charged, refused) => {
		const run = await runOf(rows, credits, { credential: { concurrentJobs: 1 } });
		expect([run.charged, run.refused]).toEqual([charged, refused]);
		expect(new Set(run.tryAgain)).toEqual(new Set([undefined, 'afterTopUp']));
	});

	test('two hundred rows that ask for the same are not all sent, nor waited for', async () => {
		const { refused, tryAgain, words, ms } = await runOf(times(200), 0);
		expect(refused).toBeLessThanOrEqual(5);
		expect(new Set(tryAgain)).toEqual(new Set(['afterTopUp']));
		expect(words[199]).toMatch(/^Not sent: the credits ran out at item \d+ \[item 200 of 200\]$/);
		expect(ms).toBeLessThan(60_000);
	});

	test('two hundred kinds are not all sent either', async () => {
		const rows = times(200).map((_, index) => ({ model: `model ${index}` }));
		expect((await runOf(rows, 0)).refused).toBeLessThanOrEqual(17 + 5);
	});

	test('where no rows are wanted, nothing further is sent', async () => {
		const rows = [{ count: 16 }, { count: 1 }];
		const more = { continueOnFail: false, credential: { concurrentJobs: 1 } };
		const run = await runOf(rows, 10, more);
		expect([run.charged, run.refused]).toEqual([0, 1]);
	});

	describe('where rows wait for a top-up in vain', () => {
		const options = { onInsufficientCredits: 'wait', creditWaitTimeout: 1 };
		const more = { given: { downloadOutputs: false, options }, credential: { concurrentJobs: 1 } };

		test('those that ask for the same end with the first one, and are not waited for', async () => {
			const run = await runOf(times(2_000), 0, more);
			// One every 20 seconds.
			expect(run.refused).toBeLessThan(8);
			expect(run.ms).toBeLessThan(2 * 60_000);
			const notSent = run.words.filter((words) =>
				words?.startsWith('Not sent: the credits ran out'),
			);
			expect(notSent.length).toBeGreaterThanOrEqual(2_000 - run.refused);
			expect(new Set(run.tryAgain)).toEqual(new Set(['afterTopUp']));
		});

		test('what costs less and was not tried yet is made', async () => {
			const { made } = await runOf([...times(20, { model: 'film' }), ...times(5)], 10, more);
			expect(made).toEqual([...times(20).map(() => false), ...times(5).map(() => true)]);
		});

		test('once another one has got its top-up, those that ask for the same are sent again', async () => {
			const models = ['film', 'm', 'film', 'film'];
			const batching = { batch: { batchSize: 1, batchInterval: 30_000 } };
			const t = setUp({
				service: { credits: 0, price: (body) => priceOf(body as Body), jobMs: () => 1_000 },
				json: models.map(() => ({})),
				given: { downloadOutputs: false, options, requestOptions: { batching } },
				own: (item) => ({ model: byId(models[item] ?? ''), prompt: `p${item}` }),
				continueOnFail: true,
			});
			// The first film has waited for its minute by then, and the picture has not.
			clock.after(70_000, () => {
				t.model.settings.credits = 1_000;
			});
			const { items } = await ended(t.run());
			expect(items.map(({ json }) => json.error !== undefined)).toEqual([
				true,
				false,
				false,
				false,
			]);
		});

		test('of many kinds a few more are tried', async () => {
			const rows = times(200).map((_, index) => ({ model: `model ${index}` }));
			const run = await runOf(rows, 0, more);
			expect(run.refused).toBeLessThanOrEqual(17 + 1);
			expect(run.ms).toBeLessThan((17 + 5) * 20_000);
		});
	});

	test('with n8n’s batching a row that begins later is judged by those before it', async () => {
		const requestOptions = { batching: { batch: { batchSize: 1, batchInterval: 5_000 } } };
		const given = { downloadOutputs: false, requestOptions };
		const rows = [16, 1, 16, 1].map((count) => ({ count }));
		const run = await runOf(rows, 10, { given });
		expect([run.charged, run.refused]).toEqual([4, 1]);
	});
});

const FORBIDDEN = uuid(999);

/** Refuses some creations as not allowed. */
const forbids = (isForbidden: (body: Body) => boolean) => ({
	answers: ({ method, body }: ApiRequest) =>
		method === 'POST' && isForbidden(body as Body) ? answer(403, errorBody('No')) : undefined,
});

describe('403', () => {
	const ofPersona = forbids(({ persona_id: id }) => id === FORBIDDEN);

	test('one persona that is not allowed ends its rows, not the others', async () => {
		const rows = times(40).map((_, i) => ({ persona: i % 2 === 0 ? FORBIDDEN : uuid(i) }));
		const { made, sent, tryAgain } = await runOf(rows, Infinity, ofPersona);
		expect(made).toEqual(rows.map(({ persona }) => persona !== FORBIDDEN));
		expect(new Set(tryAgain)).toEqual(new Set([undefined, 'later']));
		// Of 20 that are refused not all are sent.
		expect(sent).toBeLessThanOrEqual(20 + 5);
	});

	test('a prompt that is not allowed ends its row, one after the other too', async () => {
		const ofPrompt = forbids(({ prompt = '' }) => ['p0', 'p1', 'p3', 'p5'].includes(prompt));
		for (const concurrentJobs of [1, 5]) {
			const { made } = await runOf(times(10), Infinity, {
				...ofPrompt,
				credential: { concurrentJobs },
			});
			expect(made.filter((one) => one)).toHaveLength(6);
		}
	});

	test.each<[string, Row[], most: number]>([
		['the same', times(200), 5],
		['each something else', times(200).map((_, i) => ({ persona: uuid(i) })), 17 + 5],
	])(
		'a key that may not do this: of 200 rows that ask for %s few are sent',
		async (_n, rows, most) => {
			const { sent, made } = await runOf(
				rows,
				Infinity,
				forbids(() => true),
			);
			expect(made).not.toContain(true);
			expect(sent).toBeLessThanOrEqual(most);
		},
	);

	test('where no rows are wanted, nothing further is sent', async () => {
		const { sent } = await runOf(times(40), Infinity, {
			...forbids(() => true),
			continueOnFail: false,
		});
		expect(sent).toBeLessThanOrEqual(5);
	});

	test('files that may not be uploaded end the rows with files', async () => {
		const file: IBinaryData = { data: 'iVBORw0KGgo=', mimeType: 'image/png', fileName: 'a.png' };
		const items: INodeExecutionData[] = times(60).map((_, index) => ({
			json: {},
			binary: {
				clip: {
					...file,
					data: Buffer.from(`\u0089PNG\r\n\u001a\n${index}`, 'latin1').toString('base64'),
				},
			},
		}));
		const given = { model: byId('m'), downloadOutputs: false };
		const { made, sent } = await runOf(times(60), Infinity, {
			items,
			given,
			own: (item) => ({
				prompt: `p${item}`,
				...(item % 2 === 0 && { input: { image_refs: 'binary:clip' } }),
			}),
			answers: ({ path }) => (path === '/files' ? answer(403, errorBody('No')) : undefined),
		});
		expect(made).toEqual(times(60).map((_, item) => item % 2 !== 0));
		expect(sent).toBeLessThanOrEqual(30 + 5);
	});

	test('what is read: one that is not allowed, and a key that may read none', async () => {
		const reading = async (isForbidden: (path: string) => boolean) => {
			let asked = 0;
			const { made } = await runOf(times(60), Infinity, {
				node: new MediaGenPersona(),
				given: { operation: 'get' },
				own: (item) => ({ personaId: byId(uuid(item)) }),
				answers: ({ path }) => {
					asked += 1;
					if (isForbidden(path)) return answer(403, errorBody('No'));
					return answer(200, { id: path.split('/')[2], object: 'persona', status: 'ready' });
				},
			});
			return { asked, good: made.filter((one) => one).length };
		};
		expect(await reading((path) => path.endsWith(uuid(13)))).toEqual({ asked: 60, good: 59 });
		const none = await reading(() => true);
		expect(none.good).toBe(0);
		expect(none.asked).toBeLessThanOrEqual(17 + 5);
	});
});

test('401 is about the key: nothing further is sent', async () => {
	const { sent, made } = await runOf(times(40), Infinity, {
		answers: ({ method }) => (method === 'POST' ? answer(401, errorBody('No')) : undefined),
	});
	expect(made).not.toContain(true);
	expect(sent).toBeLessThanOrEqual(5);
});

const RUNS = cases(300);

test(`${RUNS} random runs: no row is left out that could be paid for and is allowed`, async () => {
	let lacking = 0;
	await playSeeds(RUNS, async (seed) => {
		const { upTo, pick, flag } = dice(seed);
		const rows = times(1 + upTo(25)).map(() => ({
			model: pick('m', 'm', 'film', 'cheap'),
			count: pick(1, 1, 2, 4, 16),
			persona: pick(undefined, undefined, uuid(1), FORBIDDEN),
		}));
		const run = await runOf(rows, upTo(150), {
			...forbids(({ persona_id: id }) => id === FORBIDDEN),
			credential: { concurrentJobs: pick(1, 5) },
			...(flag() && {
				given: {
					downloadOutputs: false,
					requestOptions: { batching: { batch: { batchSize: 2, batchInterval: 500 } } },
				},
			}),
		});
		const left = run.t.model.settings.credits;
		const problems = rows.flatMap(({ model, count, persona }, index) => {
			if (run.made[index] || persona === FORBIDDEN) return [];
			lacking += 1;
			const price = priceOf({ model, parameters: { count } });
			return price <= left ? [`row ${index} for ${price} was left out, with ${left} left`] : [];
		});
		// One for each kind and count, and those that were under way.
		return run.refused > 12 + 5 ? [...problems, `${run.refused} times 402`] : problems;
	});
	expect(lacking).toBeGreaterThan(RUNS);
});

test.each([
	[402, /credits/i],
	[403, /not allowed/],
])(
	'a long text that is refused with %i is one row: its other parts are not sent',
	async (status, said) => {
		const t = setUp({
			node: new MediaGenSpeech(),
			json: [{}, {}],
			continueOnFail: true,
			credential: { concurrentJobs: 1 },
			given: {
				resource: 'speech',
				operation: 'create',
				model: byId('service/speech-lite'),
				voice: byId('v'),
				downloadOutputs: false,
				options: { blockLength: 100 },
			},
			own: (item) => ({ text: item === 0 ? 'Bad words. '.repeat(1_200) : 'Good words.' }),
			answers: ({ method, body }) => {
				if (method !== 'POST') return undefined;
				if (JSON.stringify(body).includes('Bad')) return answer(status, errorBody('No'));
				const job = { id: 'speech_1', object: 'speech_generation', status: 'completed' };
				return answer(202, { ...job, output: { url: 'https://media.example/a.mp3' } });
			},
		});
		const [bad, good] = await t.run();
		expect(bad?.json.error).toMatch(said);
		const parts = t.posts().filter(({ body }) => JSON.stringify(body).includes('Bad'));
		expect(parts.length).toBeLessThanOrEqual(1);
		expect(good?.json).toMatchObject({ id: 'speech_1', status: 'completed' });
	},
);
