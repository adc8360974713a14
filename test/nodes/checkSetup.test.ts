import type { NodeExecutionHint } from 'n8n-workflow';
import { MediaGen } from '../../nodes/MediaGen/MediaGen.node';
import { MediaGenWorkspace } from '../../nodes/Workspace/MediaGenWorkspace.node';
import type { SetupRow } from '../../nodes/Workspace/setup/finding';
import { SCOPES } from '../../src/api';
import type { ApiRequest, SendResult } from '../../src/base/types';
import { answer, errorBody, LOST } from '../model/answers';
import { byId, clock, ended, setUp, type Part } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

type Answers = Record<string, SendResult | ((request: ApiRequest) => SendResult)>;

/** No answer, for as long as anybody waits. */
const NEVER: SendResult = { noResponse: 'never' };

const list = (...data: object[]) => answer(200, { object: 'list', data });

const failed = (status: number, message = 'no') => answer(status, errorBody(message));

const HOOK = { id: 'wh_1', object: 'webhook', url: 'https://n8n.example.com/webhook/1' };

const attempt = (more: object) => ({
	id: 'dlv',
	event_id: 'evt_1',
	status: 'failed',
	response_status: 500,
	next_attempt_at: null,
	...more,
});

const generation = (status: string) => ({ id: status, object: 'generation', status });

const PICTURE = {
	...generation('completed'),
	mode: 'image',
	model: 'studio/image',
	output_ids: ['o'],
	estimated_credits: 2,
};

/** The jobs of today go on and on. */
const endless: Answers[string] = ({ query }) => {
	const before = query?.cursor === undefined ? clock.now() : Date.parse(String(query.cursor));
	const next_cursor = new Date(before - 1).toISOString();
	return answer(200, { object: 'list', data: [PICTURE], has_more: true, next_cursor });
};

/** A service with everything in order. What would create is refused as invalid, as it has no fields. */
const GOOD: Answers = {
	'/models': ({ query }) => list({ id: `studio/${query?.mode}`, label: `The ${query?.mode}` }),
	// Nothing is older than midnight.
	'/generations': ({ query }) => (query?.cursor === undefined ? list(PICTURE) : list()),
	'/credits': answer(200, { object: 'credits', available: 250 }),
	'/usage': answer(200, { object: 'usage', data: [{ mode: 'speech', credits: 22 }] }),
	'/voices': list(),
	'/personas': list(),
	'/agents/runs': list(),
	'/webhooks': list(HOOK),
	'/webhooks/wh_1/deliveries': list(attempt({ status: 'succeeded', response_status: 200 })),
};

interface Setup extends Pick<Part, 'credential' | 'signal'> {
	/** In the place of the good answers. */
	answers?: Answers;
	/** What every request is answered instead. */
	all?: SendResult;
	/** What every request that creates is answered. */
	writes?: (request: ApiRequest) => SendResult;
	/** How far the service's clock is behind ours, in ms. */
	behindMs?: number;
	resumeUrl?: string;
	/** What n8n makes of the small file. */
	store?: () => Promise<object>;
}

const PUBLIC = 'https://n8n.example.com/webhook-waiting/7?signature=x';

function answerTo(request: ApiRequest, { answers, all, writes, behindMs = 0 }: Setup): SendResult {
	const given = { ...GOOD, ...answers }[request.path] ?? failed(404);
	const read = typeof given === 'function' ? given(request) : given;
	const written = (writes ?? (() => failed(400, 'mode: is required')))(request);
	const reply = all ?? (request.method === 'POST' ? written : read);
	if ('noResponse' in reply) return reply;
	const date = new Date(clock.now() - behindMs).toUTCString();
	return { ...reply, headers: { date, ...reply.headers } };
}

async function check(setup: Setup = {}) {
	const { store, resumeUrl = PUBLIC, credential, signal } = setup;
	const sent: ApiRequest[] = [];
	const hints: NodeExecutionHint[] = [];
	const { run } = setUp({
		node: new MediaGenWorkspace(),
		given: { operation: 'checkSetup' },
		answers(request) {
			sent.push(request);
			const given = answerTo(request, setup);
			return given === NEVER ? new Promise<never>(() => {}) : given;
		},
		helpers: { prepareBinaryData: store ?? (async () => ({ id: 'filesystem-v2:x', data: '' })) },
		lacking: { evaluateExpression: () => resumeUrl },
		hints,
		credential,
		signal,
	});
	const items = await run();
	const rows = items.map(({ json }) => json as unknown as SetupRow);
	const row = (name: string) => rows.find((one) => one.check === name);
	return { items, rows, row, sent, receipt: hints[0] };
}

const NAMES = [
	'Key and Base URL',
	'API Access',
	'Read Scopes',
	'Write Scopes',
	'Credits',
	'Spent Today',
	'Models and Prices',
	'Running Jobs',
	'Clock',
	'Address for Events',
	'Webhooks',
	'Files',
];

test('a service that makes something of a request without fields is asked to make a file only', async () => {
	const { sent } = await check({ writes: () => answer(202) });
	expect(sent.filter(({ method }) => method === 'POST').map(({ path }) => path)).toEqual([
		'/files',
	]);
});

test('a good setup: a row for each check, in words, and one sentence above', async () => {
	const { rows, receipt } = await check();
	expect(rows.map((one) => [one.check, one.ok, one.todo])).toEqual(
		NAMES.map((name) => [name, true, '']),
	);
	expect(receipt).toEqual({
		message: '<b>12 of 12 fine.</b>',
		type: 'info',
		location: 'outputPane',
	});
	const says = Object.fromEntries(rows.map((one) => [one.check, one.says]));
	expect(says['Read Scopes']).toBe(
		`Has: ${['credits', 'models', 'generations', 'usage', 'voices', 'personas', 'agents', 'webhooks'].map((name) => `${name}:read`).join(', ')}.`,
	);
	expect(says['Write Scopes']).toMatch(/^Probably has .*generations:write/);
	expect(says.Credits).toBe('250 credits available.');
	expect(says['Spent Today']).toMatch(/^24 credits since midnight in Europe\/Berlin/);
	expect(says['Models and Prices']).toContain('image: The image (2 credits a picture last time)');
	expect(says['Models and Prices']).toContain('video: The video (price not known yet)');
	expect(says['Running Jobs']).toBe('0 jobs running; Concurrent Jobs of the credential is 5.');
	expect(says['Address for Events']).toContain('https://n8n.example.com.');
});

describe('nothing is made', () => {
	const hooks = Array.from({ length: 9 }, (_, index) => ({
		...HOOK,
		id: `wh_${index}`,
		url: `${index}`,
	}));
	const busy: Answers = { '/webhooks': list(...hooks), '/generations': endless };
	for (const { id } of hooks) busy[`/webhooks/${id}/deliveries`] = list();

	test.each<[string, Setup]>([
		['all is well', {}],
		['there are many webhooks, and jobs today', { answers: busy }],
		['the service is down', { all: failed(503) }],
		['nothing is answered', { all: LOST }],
		['the rate is exceeded', { all: failed(429) }],
		['the key has no scope', { all: failed(403) }],
		['everything is accepted', { all: list() }],
	])(
		'and no more than 20 requests are sent when %s, each once, within the rate limit, none with a field',
		async (_, setup) => {
			const { rows, sent } = await check(setup);
			expect(rows.map((one) => one.check)).toEqual(NAMES);
			expect(sent.length).toBeLessThanOrEqual(20);
			const written = sent.filter(({ method }) => method !== 'GET');
			expect(written.map(({ method, body }) => [method, body])).toEqual(
				written.map(() => ['POST', {}]),
			);
			const lines = written.map(({ path }) => path);
			expect(lines).toEqual([...new Set(lines)]);
		},
	);

	describe('within a minute', () => {
		beforeEach(() => {
			jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
				const controller = new AbortController();
				void clock.sleep(ms).then(() => controller.abort());
				return controller.signal;
			});
		});
		afterEach(() => {
			jest.restoreAllMocks();
		});

		test('also where it holds few requests: what has no turn is a row that says so', async () => {
			const { rows, sent } = await check({ credential: { requestsPerMinute: 4 } });
			expect(sent).toHaveLength(4);
			expect(rows.map((one) => one.check)).toEqual(NAMES);
			expect(
				rows.filter(({ says }) => says.includes('its turn under Requests per Minute')),
			).not.toEqual([]);
		});

		test('also where nothing is ever answered: each row that needs it says so', async () => {
			const begun = clock.now();
			const { rows, row, sent } = await check({ all: NEVER });
			expect(clock.now() - begun).toBeLessThanOrEqual(60_000);
			expect(sent.length).toBeLessThanOrEqual(20);
			expect(sent.filter(({ method }) => method !== 'GET')).toEqual([]);
			expect(row('Key and Base URL')).toMatchObject({
				ok: false,
				says: 'The service did not respond (timeout).',
			});
			expect(rows.filter(({ says }) => says.includes('its turn'))).toEqual([]);
		});

		test('and one answer that never comes takes no other row with it', async () => {
			const { rows } = await check({ answers: { '/voices': NEVER } });
			expect(rows.filter((one) => one.ok !== true)).toEqual([
				expect.objectContaining({
					check: 'Read Scopes',
					says: expect.stringMatching(/did not respond \(timeout\).*Not known: voices:read/),
				}),
			]);
		});
	});
});

const inDays = (days: number) => new Date(clock.now() + days * 86_400_000).toISOString();

const reading = (path: string, reply: SendResult): Setup => ({ answers: { [path]: reply } });

type Case = [name: string, setup: Setup, ok: boolean | null, says: RegExp, todo?: RegExp];

/** What may be wrong with one check: what its row says, and what there is to do; no other check is lost. */
const casesOf = (name: string, cases: Case[]) =>
	describe(name, () => {
		test.each(cases)('%s', async (_, setup, isFine, says, todo = /^$/) => {
			const { rows, row } = await check(setup);
			expect(rows.map((one) => one.check)).toEqual(NAMES);
			expect(row(name)).toEqual({
				check: name,
				ok: isFine,
				says: expect.stringMatching(says) as string,
				todo: expect.stringMatching(todo) as string,
			});
			for (const one of rows) {
				expect(one.says).toMatch(/^[A-Zn0-9].*\.$/);
				if (one.ok === false) expect(one.todo).toMatch(/\.$/);
			}
		});
	});

casesOf('Key and Base URL', [
	['no key', { credential: { apiKey: '' } }, false, /API Key of the credential is empty/, /./],
	['no address', { credential: { baseUrl: 'api' } }, false, /Base URL .*complete address/, /./],
	['a wrong key', { all: failed(401) }, false, /API key is invalid/, /enter a valid key/],
	['a page', { all: answer(200, '<html>') }, false, /cannot be used/, /ends in \/v1/],
	['another API', { all: answer(200, { fine: true }) }, false, /cannot be used/, /ends in \/v1/],
	['another path', { all: failed(404) }, false, /Not found/, /base URL/],
	['a service that is down', { all: failed(503) }, false, /status 503/, /later/],
	['no answer', { all: LOST }, false, /did not respond/, /network/],
	['a refused rate, which is that of a workspace', { all: failed(429) }, true, /accepts the key/],
	['a proxy with a rate', { all: answer(429, 'slow') }, null, /^Unknown: A proxy/, /proxies/],
	[
		'only excluded scopes',
		{ credential: { scopes: ['no'] } },
		null,
		/excludes all/,
		/Empty Scopes/,
	],
]);

const paths = Object.keys(GOOD);
const onlyWrites = { answers: Object.fromEntries(paths.map((path) => [path, failed(403)])) };

casesOf('API Access', [
	[
		'nothing allowed',
		{ all: failed(403, 'Ask us') },
		null,
		/no API access.*Ask us/,
		/subscription/,
	],
	['a refused rate', { all: failed(429) }, null, /no answer of the service shows it/],
	['a key that only writes', onlyWrites, true, /^Probably/],
]);

const withoutVoices = { scopes: SCOPES.filter((one) => one !== 'voices:read') };

casesOf('Read Scopes', [
	['nothing allowed', { all: failed(403) }, false, /^Lacks: credits:read/, /subscription/],
	[
		'one that lacks',
		reading('/voices', failed(403)),
		false,
		/Lacks: voices:read\./,
		/key voices:read/,
	],
	['a list that fails', reading('/voices', failed(503)), null, /503.*known: voices:read/, /later/],
	['one left out', { credential: withoutVoices }, true, /Excluded by .*: voices:read\./],
]);

const onlyVoices = ({ path }: ApiRequest) => failed(path === '/voices' ? 403 : 400);

casesOf('Write Scopes', [
	['none', { writes: () => failed(403) }, false, /^Lacks: files:write/, /^Give the key/],
	[
		'one that lacks',
		{ writes: onlyVoices },
		false,
		/Lacks: voices:write/,
		/Give the key voices:write/,
	],
	['credits are looked at first', { writes: () => failed(402) }, true, /^Probably has/],
	['no field is needed', { writes: () => answer(202) }, null, /accepted POST \/files/, /was made/],
	['they fail', { writes: () => failed(500) }, null, /500/, /later/],
	['another path', { writes: () => failed(404) }, null, /Not found/, /base URL/],
	[
		'one that fails',
		{
			writes: ({ path }) => (path === '/personas' ? failed(503) : failed(400, 'mode: is required')),
		},
		null,
		/^Unknown: The service answered with status 503.* Probably has .*Not known: personas:write/,
		/later/,
	],
]);

casesOf('Credits', [
	['none', reading('/credits', answer(200, { available: 0 })), false, /No credits/, /Top up/],
	[
		'other fields',
		reading('/credits', answer(200, { left: 'many' })),
		null,
		/fields/,
		/Get Credits/,
	],
]);

const usage = (body: object) => reading('/usage', answer(200, body));
const onlyPictures = /what speech, .* have cost\. Generations: 2 credits since/;
const dead = reading('/generations', answer(200, { data: [PICTURE], has_more: true }));

casesOf('Spent Today', [
	['other fields', usage({ data: [{ mode: 'speech' }] }), null, onlyPictures, /Get Usage/],
	['a sum', usage({ total_credits: 7 }), null, onlyPictures, /Get Usage/],
	['no usage', reading('/usage', failed(403)), null, onlyPictures, /Get Usage/],
	['no list', reading('/generations', failed(403)), null, /not allowed/, /generations:read/],
	['too many jobs', { answers: { '/generations': endless } }, null, /in 20 requests/, /Get Usage/],
	['a list that ends nowhere', dead, null, /that there is more of it/, /Get Usage/],
]);

/** The figure that stands in a text before these words. */
const figureBefore = (words: string, text = ''): string | undefined =>
	new RegExp(`([\\d.]+) ${words}`).exec(text)?.[1];

const madeAgo = (hoursAgo: number, credits: number) => ({
	...PICTURE,
	id: `${hoursAgo}`,
	estimated_credits: credits,
	created_at: new Date(clock.now() - hoursAgo * 3_600_000).toISOString(),
});

test.each<[string, Answers]>([
	['a good service', {}],
	[
		'a list of its own dates',
		{ '/generations': list(madeAgo(0, 0.1), madeAgo(0.01, 0.2), madeAgo(30, 5)) },
	],
	[
		'jobs that have only reserved',
		{ '/generations': list({ ...madeAgo(0, 3), status: 'queued' }) },
	],
	[
		'usage that counts pictures too',
		usage({ data: [{ mode: 'image', credits: 9 }] }).answers ?? {},
	],
])('Spent Today is the figure that Max Credits per Day counts: %s', async (_name, answers) => {
	const { row } = await check({ answers });
	const { run } = setUp({
		node: new MediaGen(),
		given: { model: byId('studio/image'), options: { maxCreditsPerDay: 0.001 } },
		own: () => ({ prompt: 'p' }),
		continueOnFail: true,
		answers: (request) => answerTo(request, { answers }),
	});
	const counted = figureBefore('credits? spent today', JSON.stringify(await ended(run())));
	expect(figureBefore('credits since midnight', row('Spent Today')?.says)).toBe(counted);
	expect(counted).toBeDefined();
});

casesOf('Models and Prices', [
	['none', reading('/models', list()), false, /no models/, /./],
	['refused', reading('/models', failed(403)), null, /not allowed/, /models:read/],
]);

const queued = (count: number) =>
	reading('/generations', list(...Array.from({ length: count }, () => generation('queued'))));

casesOf('Running Jobs', [
	['more than the credential says', queued(6), false, /^6 jobs/, /Concurrent Jobs/],
	['all of them', queued(5), true, /A new one waits/],
]);

casesOf('Clock', [
	['ahead', { behindMs: 301_000 }, false, /301 seconds ahead/, /NTP/],
	['behind', { behindMs: -400_000 }, false, /behind/, /NTP/],
	['good enough', { behindMs: 200_000 }, true, /200 seconds ahead/],
	['no answer', { all: LOST }, null, /date/, /300 seconds/],
]);

const at = (origin: string): Setup => ({ resumeUrl: `${origin}/webhook-waiting/7?signature=x` });
const onThisMachine = { credential: { baseUrl: 'http://localhost:4010/v1' } };

casesOf('Address for Events', [
	['http', at('http://localhost:5678'), false, /https addresses only/, /Polling Trigger/],
	['a private network', at('https://n8n.internal'), false, /private network/, /WEBHOOK_URL/],
	['both here', { ...at('https://localhost:5678'), ...onThisMachine }, true, /localhost:5678/],
	['none', { resumeUrl: 'undefined/7' }, null, /does not say/, /MediaGen Trigger/],
]);

const hooks = (...all: object[]) => reading('/webhooks', list(...all));
const deliveries = (...all: object[]) => reading('/webhooks/wh_1/deliveries', list(...all));
const ofTest = { ...HOOK, url: 'https://n8n.example.com/webhook-test/1' };
const nobody = attempt({ response_status: 404, next_attempt_at: inDays(1) });
const dated404 = (days: number) =>
	attempt({ response_status: 404, next_attempt_at: inDays(1), attempted_at: inDays(days) });
const success = (days: number) => attempt({ status: 'succeeded', attempted_at: inDays(days) });
const twoAttempts = [attempt({ next_attempt_at: inDays(0) }), attempt({ id: '2' })];
const arrived = [attempt({}), attempt({ status: 'succeeded' })];
const unreadable = reading('/webhooks/wh_1/deliveries', failed(500));

casesOf('Webhooks', [
	['none', hooks(), true, /no webhooks/],
	['two with one address', hooks(HOOK, { ...HOOK, id: 'wh_2' }), false, /wh_2 has the/, /Delete/],
	['one of a test', hooks(ofTest), false, /of a test/, /Delete/],
	['one that nobody hears', deliveries(nobody), false, /nobody listens/, /Delete/],
	[
		'one that nobody hears any more',
		deliveries(dated404(-0.5), success(-0.9)),
		false,
		/nobody listens/,
		/Delete/,
	],
	['one that was heard again', deliveries(success(-0.5), dated404(-0.9)), true, /No event/],
	[
		'an event given up',
		deliveries(...twoAttempts),
		false,
		/1 event given up .* wh_1/,
		/not arrive/,
	],
	['given up long ago', deliveries(attempt({ attempted_at: inDays(-2) })), true, /No event/],
	['tried again', deliveries(attempt({ next_attempt_at: inDays(1) })), true, /No event/],
	['one that arrived', deliveries(...arrived), true, /No event/],
	['other fields', deliveries({ id: 'x', outcome: 'bad' }), null, /other fields/, /Get Many/],
	['deliveries that fail', unreadable, null, /500/, /later/],
]);

const stored = (file: object): Setup => ({ store: async () => await Promise.resolve(file) });
const full = Object.assign(new Error('x'), { code: 'ENOSPC' });

casesOf('Files', [
	['in memory', stored({ data: 'x' }), false, /in memory/, /filesystem/],
	['in the database', stored({ id: 'database:x' }), true, /512 MiB/],
	['in S3', stored({ id: 's3:x' }), true, /S3/],
	['elsewhere', stored({ id: 'tape:x' }), null, /not known here/, /N8N_DEFAULT/],
	[
		'nowhere',
		{ store: async () => await Promise.reject(full) },
		false,
		/disk is full/,
		/disk space/,
	],
]);

test('with a wrong key only one request is sent, and all that needs the service says why it is not known', async () => {
	const { rows, sent, receipt } = await check({ all: failed(401) });
	expect(sent).toHaveLength(1);
	const open = rows.filter(({ ok }) => ok === null).map(({ check: name }) => name);
	expect(open).toEqual(NAMES.slice(1, 8).concat('Webhooks'));
	expect(receipt?.type).toBe('warning');
	expect(receipt?.message).toMatch(
		/^<b>3 of 12 fine, 8 unknown; first to do: Open the credential, enter a valid key/,
	);
});

test.each<unknown>([null, 7, '', [], { toString: 1 }, { a: { b: [] } }])(
	'a service whose fields all hold %j ends no check',
	async (odd) => {
		const replaced = ({ id }: Record<string, unknown>, names: string[]) =>
			Object.fromEntries([['id', id], ...names.map((name) => [name, odd])]);
		const names = [
			'url',
			'status',
			'event_id',
			'response_status',
			'next_attempt_at',
			'attempted_at',
		];
		const { rows } = await check({
			answers: {
				'/models': list(replaced({ id: 'm' }, ['label', 'name', 'mode'])),
				'/generations': list(replaced({ id: 'g' }, ['status', 'outputs', 'estimated_credits'])),
				'/credits': answer(200, { object: 'credits', available: odd }),
				'/usage': answer(200, { object: 'usage', data: odd, total_credits: odd }),
				'/webhooks': list(replaced(HOOK, names), replaced({ id: 'wh_2' }, names)),
				'/webhooks/wh_1/deliveries': list(replaced({ id: 'd' }, names)),
				'/webhooks/wh_2/deliveries': answer(200, { data: odd }),
			},
		});
		expect(rows.map((one) => one.check)).toEqual(NAMES);
	},
);

test('what the service says is no markup above the output, and a stopped execution has no rows', async () => {
	const { receipt } = await check({ all: failed(403, '<img src=x>') });
	expect(receipt?.message).not.toContain('<img');
	const stopped = new AbortController();
	stopped.abort();
	await expect(check({ signal: stopped.signal })).rejects.toThrow(/cancelled/);
});
