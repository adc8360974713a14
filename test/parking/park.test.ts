import type { IDataObject, IHttpRequestOptions, INodeExecutionData } from 'n8n-workflow';
import { MediaGenJob } from '../../nodes/Job/MediaGenJob.node';
import { systemClock } from '../../src/transport/base/clock';
import { execute } from '../support/engine';
import { nodeRun, type NodeRun } from '../support/nodeContext';
import type { VirtualClock } from '../../testing/virtualClock';

jest.mock('../../src/transport/base/clock', () => {
	const { VirtualClock: Clock } = jest.requireActual<{ VirtualClock: typeof VirtualClock }>(
		'../../testing/virtualClock',
	);
	return { systemClock: new Clock() };
});

const clock = systemClock as VirtualClock;
const { description } = new MediaGenJob();

const URL = 'https://n8n.example/webhook-waiting/7?signature=token';

/** Where the events of that execution go: another node that waits at the URL itself gets none. */
const OWN_URL = 'https://n8n.example/webhook-waiting/7/mediagen-job?signature=token';
const SECRET = 'whsec_of_this_test';

interface Hook extends IDataObject {
	id: string;
	url: string;
}

/** A service with jobs whose status a test sets, and webhooks. */
class Service {
	readonly log: string[] = [];

	readonly hooks: Hook[] = [];

	/** Called before a request is answered. */
	before: (asked: string) => void = () => {};

	/** What n8n answers to a GET of another execution's resume URL. */
	n8n: (url: string) => { statusCode: number; body: unknown } = () => ({
		statusCode: 404,
		body: '',
	});

	refused: number | undefined;

	constructor(readonly jobs: Record<string, string>) {}

	request = async ({ baseURL, method, url, body }: IHttpRequestOptions) => {
		const asked = `${method} ${url}`;
		this.log.push(asked);
		if (!baseURL) return this.n8n(url);
		this.before(asked);
		const sent = body === undefined ? {} : (JSON.parse(String(body)) as IDataObject);
		const [statusCode, answer] = this.answer(String(method), url, sent);
		return { statusCode, headers: {}, body: answer };
	};

	private answer(method: string, url: string, sent: IDataObject): [number, unknown] {
		if (url === '/generations')
			return [200, { data: Object.keys(this.jobs).map((id) => this.job(id)) }];
		if (url.startsWith('/jobs/')) {
			const id = url.slice('/jobs/'.length);
			return id in this.jobs ? [200, this.job(id)] : [404, { error: { message: 'unknown' } }];
		}
		if (method === 'GET')
			return [200, { data: this.hooks.map((hook) => ({ ...hook, secret: undefined })) }];
		if (method === 'DELETE') {
			const at = this.hooks.findIndex(({ id }) => url.endsWith(`/${id}`));
			if (at >= 0) this.hooks.splice(at, 1);
			return [at >= 0 ? 200 : 404, {}];
		}
		if (this.refused) return [this.refused, { error: { message: 'no' } }];
		const hook = { id: `wh_${this.log.length}`, secret: SECRET, ...sent } as unknown as Hook;
		this.hooks.push(hook);
		return [201, hook];
	}

	private job(id: string) {
		const status = this.jobs[id];
		const isGood = status === 'completed';
		return {
			id,
			object: 'generation',
			status,
			mode: 'image',
			model: 'm',
			...(isGood && { outputs: [{ id: 'out', url: 'https://x/1', media_type: 'image/png' }] }),
			...(status === 'failed' && { errors: [{ message: 'too dark' }] }),
		};
	}
}

let keys = 0;

interface Setting extends Partial<NodeRun> {
	ids: string[];
	given?: IDataObject;
}

function setUp(service: Service, { ids, given = {}, ...run }: Setting) {
	keys += 1;
	const shared = nodeRun({
		items: ids.map((id) => ({ json: { id } })) as INodeExecutionData[],
		request: service.request,
		resumeUrl: URL,
		rawParameters: { waitStyle: 'parked' },
		...run,
		credential: { apiKey: `key-${keys}`, baseUrl: 'https://api.example/v1', ...run.credential },
	});
	const parameters = (item: number) => ({
		operation: 'wait',
		jobId: ids[item],
		waitStyle: 'parked',
		...given,
	});
	return { shared, start: async () => await clock.run(execute(description, shared, parameters)) };
}

const seen = (items: INodeExecutionData[]) =>
	items.map(({ json }) => [json.id, json.status, json.finished]);

/** What n8n finds when the execution goes on. */
const left = ({ executeData }: NodeRun) => executeData.data.main?.[0] ?? [];

const EVENTS = { resumeBy: 'eventsAndTimer' };

test('ended jobs are output; the run is parked for the others, for Check Again After', async () => {
	const service = new Service({ a: 'queued', b: 'completed', c: 'failed' });
	const { shared, start } = setUp(service, { ids: ['a', 'b', 'c'] });
	const before = shared.executeData.data.main?.[0];
	const items = await start();
	const expected = [
		['a', 'queued', false],
		['b', 'completed', true],
		['c', 'failed', true],
	];
	expect(seen(items)).toEqual(expected);
	expect(shared.parked.until?.getTime()).toBe(clock.now() + 600_000);
	expect(seen(left(shared))).toEqual(expected);
	expect(left(shared).map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 2 },
	]);
	// The list is the output of the node before, which must stay what it was.
	expect(before?.map(({ json }) => json)).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
	expect(service.log).toEqual(['GET /generations']);
	expect(shared.nodeMemory).not.toHaveProperty('mediaGenParked');
});

test('the items of a run are put in order once, not once for each of them', async () => {
	const ids = Array.from({ length: 40 }, (_, item) => `job_${item}`);
	const service = new Service(Object.fromEntries(ids.map((id) => [id, 'queued'])));
	const { shared, start } = setUp(service, { ids });
	const sort = jest.spyOn(Array.prototype, 'sort');
	await start();
	const ofItems = sort.mock.contexts.filter(
		(sorted: unknown[]) => sorted.length === 40 && 'itemIndex' in (sorted[0] as object),
	);
	sort.mockRestore();
	expect(ofItems).toHaveLength(1);
	expect(left(shared)).toHaveLength(40);
});

test('when all have ended nothing is parked', async () => {
	const service = new Service({ a: 'completed', b: 'failed' });
	const { shared, start } = setUp(service, { ids: ['a', 'b'], given: EVENTS });
	expect(seen(await start())).toEqual([
		['a', 'completed', true],
		['b', 'failed', true],
	]);
	expect(shared.parked.until).toBeUndefined();
	expect(service.hooks).toEqual([]);
});

test('several items may wait for the same job, which is read once', async () => {
	const service = new Service({ a: 'queued' });
	const { start } = setUp(service, { ids: ['a', 'a', 'a'] });
	expect(seen(await start())).toEqual(Array(3).fill(['a', 'queued', false]));
	expect(service.log).toEqual(['GET /jobs/a']);
});

test('less than 65 seconds are waited in memory, and end with the jobs', async () => {
	const service = new Service({ a: 'queued', b: 'queued' });
	const { shared, start } = setUp(service, {
		ids: ['a', 'b'],
		given: { ...EVENTS, lookAgainAfter: 1.08 },
	});
	service.before = () => {
		if (service.log.length > 2) service.jobs.a = 'completed';
	};
	const began = clock.now();
	expect(seen(await start())).toEqual([
		['a', 'completed', true],
		['b', 'queued', false],
	]);
	expect(clock.now() - began).toBeGreaterThanOrEqual(64_800);
	expect(shared.parked.until).toBeUndefined();
	expect(service.hooks).toEqual([]);
});

describe('a row that cannot be read', () => {
	test('with Continue On Fail keeps its index, finished, also in the parked state', async () => {
		const service = new Service({ a: 'queued', b: 'queued' });
		const { shared, start } = setUp(service, { ids: ['a', 'gone', 'b'], continueOnFail: true });
		const items = await start();
		expect(items[1]?.json).toMatchObject({ id: 'gone', finished: true, error: expect.any(String) });
		expect(left(shared).map(({ json }) => json)).toEqual(items.map(({ json }) => json));
		expect(shared.parked.until).toBeDefined();
	});

	test('so does one whose parameter is wrong', async () => {
		const service = new Service({ a: 'queued' });
		const { shared, start } = setUp(service, { ids: ['', 'a'], continueOnFail: true });
		await start();
		expect(left(shared).map(({ json }) => json.finished)).toEqual([true, false]);
	});

	test('without it fails the run with its own error: nothing is parked or registered', async () => {
		const service = new Service({ a: 'queued' });
		const { shared, start } = setUp(service, { ids: ['a', 'gone'], given: EVENTS });
		await expect(start()).rejects.toMatchObject({ context: { itemIndex: 1 } });
		expect(shared.parked.until).toBeUndefined();
		expect(service.log.filter((asked) => asked.includes('/webhooks'))).toEqual([]);
	});

	test('a wrong parameter without it costs no request', async () => {
		const service = new Service({ a: 'queued' });
		const { start } = setUp(service, { ids: ['a', ''] });
		await expect(start()).rejects.toMatchObject({ context: { itemIndex: 1 } });
		expect(service.log).toEqual([]);
	});
});

test('portions cannot be parked, which is said before a request is spent', async () => {
	const service = new Service({ a: 'queued' });
	const given = { requestOptions: { batching: { batch: { batchSize: 1, batchInterval: 10 } } } };
	const { start } = setUp(service, { ids: ['a'], given });
	await expect(start()).rejects.toThrow(/Batching cannot be used with a parked wait/);
	expect(service.log).toEqual([]);
});

test('as a tool of an AI agent it waits in memory', async () => {
	const service = new Service({ a: 'completed' });
	const { shared, start } = setUp(service, {
		ids: ['a'],
		given: EVENTS,
		nodeType: 'n8n-nodes-mediagen.mediaGenJobTool',
	});
	const [item] = await start();
	expect(item?.json).not.toHaveProperty('finished');
	expect(shared.parked.until).toBeUndefined();
});

describe('Events and Timer', () => {
	test('one webhook is registered for what runs, then all jobs are read once more, then it is parked', async () => {
		const service = new Service({ a: 'queued', b: 'queued', c: 'completed' });
		const { shared, start } = setUp(service, { ids: ['a', 'b', 'c'], given: EVENTS });
		await start();
		expect(service.log).toEqual([
			'GET /generations',
			'GET /webhooks',
			'POST /webhooks',
			'GET /generations',
		]);
		expect(service.hooks).toMatchObject([
			{
				url: OWN_URL,
				events: ['generation.completed', 'generation.failed'],
				description: `n8n-nodes-mediagen: parked wait until ${shared.parked.until?.toISOString()}`,
			},
		]);
		const saved = shared.nodeMemory.mediaGenParked as {
			jobs: Array<{ id: string; index: number }>;
		};
		expect(saved.jobs.map(({ id, index }) => [id, index])).toEqual([
			['a', 0],
			['b', 1],
		]);
		expect(JSON.stringify([shared.nodeMemory, left(shared)])).not.toContain(SECRET);
	});

	test('jobs that end before the webhook is registered are found by the second read, and nothing is left behind', async () => {
		const service = new Service({ a: 'queued', b: 'queued' });
		service.before = (asked) => {
			if (asked === 'POST /webhooks') Object.assign(service.jobs, { a: 'completed', b: 'failed' });
		};
		const { shared, start } = setUp(service, { ids: ['a', 'b'], given: EVENTS });
		expect(seen(await start())).toEqual([
			['a', 'completed', true],
			['b', 'failed', true],
		]);
		expect(shared.parked.until).toBeUndefined();
		expect(service.hooks).toEqual([]);
		expect(shared.nodeMemory).not.toHaveProperty('mediaGenParked');
	});

	test('a second round replaces the webhook of the first', async () => {
		const service = new Service({ a: 'queued' });
		const first = setUp(service, { ids: ['a'], given: EVENTS });
		await first.start();
		const [old] = service.hooks;
		const again = setUp(service, {
			ids: ['a'],
			given: EVENTS,
			nodeMemory: first.shared.nodeMemory,
			credential: first.shared.credential,
		});
		await again.start();
		expect(service.hooks).toHaveLength(1);
		expect(service.hooks[0]?.id).not.toBe(old?.id);
		// A last round that finds all ended leaves none.
		service.jobs.a = 'completed';
		const last = setUp(service, {
			ids: ['a'],
			given: EVENTS,
			nodeMemory: first.shared.nodeMemory,
			credential: first.shared.credential,
		});
		await last.start();
		expect(service.hooks).toEqual([]);
	});

	test('an address without https, or a credential without the scope, is an error before any request', async () => {
		const service = new Service({ a: 'queued' });
		const plain = setUp(service, { ids: ['a'], given: EVENTS, resumeUrl: 'http://n8n.local/x/7' });
		await expect(plain.start()).rejects.toThrow(
			/https addresses only, and the address of this n8n is http:\/\/n8n\.local$|https/,
		);
		const limited = setUp(service, {
			ids: ['a'],
			given: EVENTS,
			credential: { scopes: ['generations:read'] },
		});
		await expect(limited.start()).rejects.toThrow(/webhooks:write/);
		expect(service.log).toEqual([]);
	});

	test('a refused registration fails the wait; one that may pass leaves it to the timer', async () => {
		const refusing = new Service({ a: 'queued' });
		refusing.refused = 403;
		const refused = setUp(refusing, { ids: ['a'], given: EVENTS });
		await expect(refused.start()).rejects.toThrow(/not allowed/);
		expect(refused.shared.parked.until).toBeUndefined();
		const ill = new Service({ a: 'queued' });
		ill.refused = 503;
		const timed = setUp(ill, { ids: ['a'], given: EVENTS });
		expect(seen(await timed.start())).toEqual([['a', 'queued', false]]);
		expect(timed.shared.parked.until).toBeDefined();
		expect(timed.shared.nodeMemory).not.toHaveProperty('mediaGenParked');
	});

	test('an execution that fails or is cancelled before it is parked leaves nothing at the service', async () => {
		const service = new Service({ a: 'queued' });
		const failing = setUp(service, { ids: ['a'], given: EVENTS });
		await failing.start();
		for (const call of failing.shared.atTheEnd) await clock.run(call());
		expect(service.hooks).toEqual([]);
		const cancel = new AbortController();
		const cancelled = setUp(service, { ids: ['a'], given: EVENTS, signal: cancel.signal });
		service.before = (asked) => {
			if (asked === 'GET /jobs/a' && service.hooks.length > 0) cancel.abort();
		};
		await cancelled.start().catch(() => {});
		await clock.run(Promise.resolve());
		expect(service.hooks).toEqual([]);
	});

	test.each(['GET /webhooks', 'POST /webhooks'])(
		'cancelled at %s, before its webhook stands: none stays, and nothing is parked',
		async (at) => {
			const service = new Service({ a: 'queued' });
			const cancel = new AbortController();
			const { shared, start } = setUp(service, {
				ids: ['a'],
				given: EVENTS,
				signal: cancel.signal,
			});
			service.before = (asked) => {
				if (asked === at) cancel.abort();
			};
			await start().catch(() => {});
			await clock.run(Promise.resolve());
			expect(service.hooks).toEqual([]);
			expect(shared.parked.until).toBeUndefined();
		},
	);

	test('webhooks of executions that are over are removed; those of others, of other n8ns and of users are left alone', async () => {
		const until = new Date(clock.now() + 3_600_000).toISOString();
		const past = new Date(clock.now() - 120_000).toISOString();
		const hook = (
			id: string,
			path: string,
			description = `n8n-nodes-mediagen: parked wait until ${until}`,
		) => ({
			id,
			url: `https://n8n.example/webhook-waiting/${path}/mediagen-job`,
			description,
		});
		const service = new Service({ a: 'queued' });
		service.hooks.push(
			hook('finished', '1'),
			hook('deleted', '2'),
			hook('running', '3'),
			hook('waiting', '4'),
			hook('silent', '5'),
			hook('overdue', '6', `n8n-nodes-mediagen: parked wait until ${past}`),
			hook('users', '8', 'mine'),
			{ ...hook('foreign', '1'), url: 'https://other.example/webhook-waiting/1/mediagen-job' },
		);
		const said: Record<string, { statusCode: number; body: unknown }> = {
			1: { statusCode: 409, body: { message: 'The execution "1" has finished with error.' } },
			2: { statusCode: 404, body: { message: 'The execution "2" does not exist.' } },
			3: { statusCode: 409, body: { message: 'The execution "3" is running already.' } },
			4: { statusCode: 404, body: { message: 'does not contain a waiting webhook' } },
			5: { statusCode: 502, body: '' },
		};
		service.n8n = (url) => said[url.split('/').at(-2) ?? ''] ?? { statusCode: 500, body: '' };
		const { start } = setUp(service, { ids: ['a'], given: EVENTS });
		await start();
		expect(service.hooks.map(({ id }) => id)).toEqual([
			'running',
			'waiting',
			'silent',
			'users',
			'foreign',
			expect.stringMatching(/^wh_/),
		]);
		expect(service.log.filter((asked) => asked.startsWith('GET https')).length).toBe(5);
	});

	test('a service that shows no descriptions: webhooks of this n8n are known by their URLs', async () => {
		const service = new Service({ a: 'queued' });
		const hook = (id: string, path: string) => ({
			id,
			url: `https://n8n.example/webhook-waiting/${path}`,
			description: undefined as unknown as string,
		});
		service.hooks.push(
			hook('over', '1/mediagen-job'),
			hook('waiting', '2/mediagen-job'),
			hook('of a user', '1'),
			{ ...hook('foreign', ''), url: 'https://other.example/webhook-waiting/1/mediagen-job' },
			{ ...hook('own', ''), url: OWN_URL },
		);
		service.n8n = (url) =>
			url.includes('/1/')
				? { statusCode: 409, body: 'The execution "1" has finished' }
				: { statusCode: 404, body: 'does not contain a waiting webhook' };
		const { start } = setUp(service, { ids: ['a'], given: EVENTS });
		await start();
		const left = ['waiting', 'of a user', 'foreign', expect.stringMatching(/^wh_/)];
		expect(service.hooks.map(({ id }) => id)).toEqual(left);
	});

	test('an execution is never asked at its resume URL itself: n8n would resume a Wait node or an approval there', async () => {
		const service = new Service({ a: 'queued' });
		const until = new Date(clock.now() + 3_600_000).toISOString();
		const description = `n8n-nodes-mediagen: parked wait until ${until}`;
		service.hooks.push(
			{ id: 'of this version', url: `${OWN_URL.replace('7', '1')}`, description },
			{ id: 'of a stranger', url: URL.replace('7', '2'), description },
		);
		const { start } = setUp(service, { ids: ['a'], given: EVENTS });
		await start();
		const asked = service.log.filter((one) => one.startsWith('GET https'));
		expect(asked).toEqual([`GET ${OWN_URL.replace('7', '1')}`]);
	});

	test('a run that parks while a sweep is at work, or rests, has one follow: none waits for somebody to park again', async () => {
		const until = new Date(clock.now() + 3_600_000).toISOString();
		const service = new Service({ a: 'queued', b: 'queued' });
		const leave = (path: string) =>
			service.hooks.push({
				id: `left${path}`,
				url: `https://n8n.example/webhook-waiting/${path}/mediagen-job`,
				description: `n8n-nodes-mediagen: parked wait until ${until}`,
			});
		service.n8n = () => ({ statusCode: 409, body: 'The execution has finished' });
		const probe = service.request;
		service.request = async (options) => {
			if (!options.baseURL) await clock.sleep(1_000);
			return await probe(options);
		};
		leave('1');
		const credential = { apiKey: 'key-of-both' };
		const first = setUp(service, { ids: ['a'], given: EVENTS, credential });
		await first.start();
		leave('2');
		const resumeUrl = 'https://n8n.example/webhook-waiting/8';
		const second = setUp(service, { ids: ['b'], given: EVENTS, credential, resumeUrl });
		await second.start();
		expect(service.hooks.map(({ id }) => id)).toContain('left2');
		await clock.run(clock.sleep(60_000));
		expect(service.hooks.map(({ id }) => id)).not.toContain('left2');
		expect(service.hooks.map(({ url }) => url)).toContain(`${resumeUrl}/mediagen-job`);
	});
});
