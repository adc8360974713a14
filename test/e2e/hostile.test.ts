/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { saveCredential } from '../../lab/n8n/credential';
import { startTlsFront } from '../../lab/n8n/tlsFront';
import { filesFolder, n8nLog, rest, runOurs, startOurs } from './support/harness';
import {
	startScriptedService,
	type Answer,
	type ScriptedService,
} from '../../testing/scriptedService';
import { createParameters, download } from './support/media';
import { until } from './support/until';

const node = 'mediaGen';

/** A key that must appear nowhere but in the requests, and a presigned signature likewise. */
const canary = `canary_${randomUUID()}`;
const signature = `signature_${randomUUID()}`;

const PIXEL = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

const job = (more: Record<string, unknown> = {}) => ({
	id: 'gen_1',
	object: 'generation',
	status: 'queued',
	mode: 'image',
	model: 'm',
	...more,
});

/**
 * A service that behaves, to be spoiled in one place, and a node with a credential for it. Each test has its
 * own, so that they wait for real retries and time-outs side by side.
 */
async function startWorld() {
	const service = await startScriptedService();
	services.push(service);
	const finished = () =>
		job({
			status: 'completed',
			outputs: [{ id: 'out_1', url: `${service.origin}/files/1`, media_type: 'image/png' }],
		});
	service.on('POST /v1/generations', (_, response) => void response.status(202).json(job()));
	service.on('GET /v1/generations/gen_1', (_, response) => void response.json(finished()));
	service.on('GET /files/1', (_, response) => void response.type('png').send(PIXEL));
	const none = { object: 'list', data: [], has_more: false, next_cursor: null };
	service.on('GET /v1/generations', (_, response) => void response.json(none));
	service.on('POST /v1/files', (_, response) => {
		response.status(201).json({
			upload_url: `${service.origin}/put?X-Signature=${signature}`,
			upload_headers: {
				'Content-Type': 'image/png',
				'X-Token': 't',
			},
			url: 'https://files.example.com/photo.png',
		});
	});
	service.on('PUT /put', (_, response) => void response.sendStatus(200));
	const access = { apiKey: canary, baseUrl: service.baseUrl, clockScale: 60 };
	// Named by its service: a credential of the same name would take its place.
	const credential = await saveCredential(rest, service.origin, access);
	const create = async (given: Record<string, unknown> = {}, more: object = {}) =>
		await runOurs({
			node,
			credential,
			parameters: createParameters({ model: 'm', ...given }),
			...more,
		});
	const sent = (route: string) =>
		service.requests.filter(({ method, path: at }) => `${method} ${at}` === route);
	return { service, credential, create, sent, finished };
}

type World = Awaited<ReturnType<typeof startWorld>>;

const services: ScriptedService[] = [];

afterAll(async () => await Promise.all(services.map(async (service) => await service.close())));

/** A download that stands still. */
async function stalledDownload() {
	const { service, create } = await startWorld();
	let tries = 0;
	let isClosed = false;
	service.on('GET /files/1', (_, response) => {
		tries += 1;
		if (tries > 1) return void response.type('png').send(PIXEL);
		response.on('close', () => (isClosed = true));
		response.type('png').set('Content-Length', String(PIXEL.length));
		response.write(PIXEL.subarray(0, 20));
	});
	const run = await create({}, { timeoutMs: 600_000 });
	return { run, tries, isClosed };
}

/** A creation that is refused once, and how long the next one was waited for. */
async function throttledCreation() {
	const { service, create } = await startWorld();
	let first = Date.now();
	let tries = 0;
	let waited = 0;
	service.on('POST /v1/generations', (_, response) => {
		tries += 1;
		if (tries === 1) {
			first = Date.now();
			response
				.status(429)
				.set('Retry-After', '2')
				.json({ error: { type: 'rate', message: 'Slow down' } });
			return;
		}
		waited = Date.now() - first;
		response.status(202).json(job());
	});
	const run = await create();
	return { run, tries, waited };
}

/**
 * Begun first and looked at where their rules stand: they take a minute, in which the other tests run.
 */
let stalled: ReturnType<typeof stalledDownload>;
let throttled: ReturnType<typeof throttledCreation>;

beforeAll(() => {
	stalled = stalledDownload();
	throttled = throttledCreation();
	for (const begun of [stalled, throttled]) begun.catch(() => {});
});

describe('the key', () => {
	it.concurrent('goes with every request of the API, and with no download', async () => {
		const { service, create, sent } = await startWorld();
		const run = await create();
		expect(run.error).toBeUndefined();
		expect(await download(rest, run.items[0]?.binary.data)).toEqual(PIXEL);
		const withKey = service.requests.filter(
			({ headers }) => headers.authorization === `Bearer ${canary}`,
		);
		expect(withKey.map(({ path: at }) => at).every((at) => at.startsWith('/v1/'))).toBe(true);
		expect(sent('GET /files/1')[0]?.headers).not.toHaveProperty('authorization');
	});

	it.concurrent('follows no redirect', async () => {
		const { service, create } = await startWorld();
		const other = await startScriptedService();
		service.on('POST /v1/generations', (_, response) =>
			response.redirect(307, `${other.origin}/v1/generations`),
		);
		const run = await create();
		expect(run.error?.message).toMatch(/answered with status 307/);
		expect(other.requests).toEqual([]);
		await other.close();
	});

	it.concurrent('echoed by the service is in no output and no error', async () => {
		const { service, create } = await startWorld();
		service.on('POST /v1/generations', (request, response) => {
			const message = `No such key: ${String(request.headers.authorization)}`;
			response
				.status(401)
				.json({ error: { type: canary, message, request_id: canary, details: request.headers } });
		});
		const refused = await create();
		expect(refused.error?.message).toMatch(
			/^The API key is invalid or missing: No such key: Bearer \*\*\*/,
		);
		service.on('POST /v1/generations', (request, response) => {
			response.status(202).json(job({ note: request.headers.authorization, [canary]: [canary] }));
		});
		const taken = await create({ waitForCompletion: false });
		expect(taken.items[0]?.json.note).toBe('Bearer ***');
	});
});

describe('odd answers', () => {
	it.concurrent('a status that is unknown, missing or goes back is waited through', async () => {
		const { service, create, sent, finished } = await startWorld();
		const statuses = ['processing', undefined, 'queued', 'completed'];
		service.on('GET /v1/generations/gen_1', (_, response) => {
			const status = statuses.shift();
			response.json(status === 'completed' ? finished() : job({ status }));
		});
		const run = await create();
		expect(run.items[0]?.json.status).toBe('completed');
		expect(sent('GET /v1/generations/gen_1')).toHaveLength(4);
	});

	it.concurrent('a success that is not JSON is requested again under the same key', async () => {
		const { service, create, sent } = await startWorld();
		let first = true;
		service.on('POST /v1/generations', (_, response) => {
			if (first) response.status(202).type('json').send('{"id": "gen_1", "sta');
			else response.status(202).json(job());
			first = false;
		});
		const run = await create();
		expect(run.items[0]?.json.status).toBe('completed');
		const keys = sent('POST /v1/generations').map(({ headers }) => headers['idempotency-key']);
		expect(keys).toHaveLength(2);
		expect(new Set(keys).size).toBe(1);
	});

	it.concurrent(
		'a connection that breaks after the commit is tried again under the same key',
		async () => {
			const { service, create, sent } = await startWorld();
			let tries = 0;
			service.on('POST /v1/generations', (request, response) => {
				tries += 1;
				if (tries < 3) request.socket.destroy();
				else response.status(202).json(job());
			});
			const run = await create();
			expect(run.items[0]?.json.status).toBe('completed');
			expect(
				new Set(sent('POST /v1/generations').map(({ headers }) => headers['idempotency-key'])).size,
			).toBe(1);
		},
	);

	it.concurrent('an endless answer is not read to its end', async () => {
		const { service, create } = await startWorld();
		service.on('GET /v1/generations/gen_1', (_, response) => {
			response.type('json');
			const chunk = `"${'x'.repeat(1024 * 1024)}",`;
			const write = () => {
				while (!response.destroyed && response.write(chunk));
			};
			response.write('[');
			response.on('drain', write);
			write();
		});
		const run = await create({ options: { waitTimeout: 0.1 } });
		expect(run.error?.message).toMatch(/^Not finished after .* \(job gen_1\)/);
	});

	it('a 429 with Retry-After is waited for as asked', async () => {
		const { run, tries, waited } = await throttled;
		expect(run.items[0]?.json.status).toBe('completed');
		expect(tries).toBe(2);
		expect(waited).toBeGreaterThanOrEqual(1_900);
	}, 240_000);

	it.concurrent('a 400 is final: one request', async () => {
		const status = 400;
		const { service, create, sent } = await startWorld();
		service.on('POST /v1/generations', (_, response) => {
			response
				.status(status)
				.json({ error: { type: 'x', message: 'Not like this', request_id: 'req_7' } });
		});
		const run = await create();
		expect(run.error?.message).toMatch(/Not like this$/);
		expect(run.error?.description).not.toMatch(/req_7/);
		expect(run.error?.context).toMatchObject({ data: { requestId: 'req_7', httpStatus: status } });
		expect(sent('POST /v1/generations')).toHaveLength(1);
	});

	it.concurrent(
		'a key that may not read what it has made: the job, the scope that is missing, and no untruth',
		async () => {
			const { service, create } = await startWorld();
			service.on('GET /v1/generations/gen_1', (_, response) => {
				response.status(403).json({ error: { type: 'x', message: 'Missing scope' } });
			});
			const run = await create();
			expect(run.error?.message).toBe(
				'The key is not allowed to read the job: Missing scope (job gen_1)',
			);
			expect(run.error?.description).toMatch(/^The key needs the scope generations:read\./);
			expect(run.error?.description).toMatch(/The job goes on at the service/);
			expect(run.error?.description).not.toMatch(/generations:write|Nothing was|no credits/);
		},
	);

	it.concurrent('a failed job without a reason says so, and names the job', async () => {
		const { service, create } = await startWorld();
		service.on(
			'GET /v1/generations/gen_1',
			(_, response) => void response.json(job({ status: 'failed' })),
		);
		const run = await create();
		expect(run.error?.message).toBe('The job failed: failed without a stated reason (job gen_1)');
	});
});

describe('downloads', () => {
	it.concurrent('a link that has expired is renewed once', async () => {
		const { service, create, finished } = await startWorld();
		let isFresh = false;
		service.on('GET /files/1', (_, response) => void response.status(403).send('expired'));
		service.on('GET /files/2', (_, response) => void response.type('png').send(PIXEL));
		service.on('GET /v1/generations/gen_1', (_, response) => {
			const name = isFresh ? 2 : 1;
			isFresh = true;
			response.json({
				...finished(),
				outputs: [{ id: 'out_1', url: `${service.origin}/files/${name}`, media_type: 'image/png' }],
			});
		});
		const run = await create();
		expect(await download(rest, run.items[0]?.binary.data)).toEqual(PIXEL);
	});

	it.concurrent('an incomplete file is downloaded again, never kept', async () => {
		const { service, create } = await startWorld();
		let tries = 0;
		service.on('GET /files/1', (request, response) => {
			tries += 1;
			response.type('png').set('Content-Length', String(PIXEL.length));
			if (tries > 1) return void response.send(PIXEL);
			response.write(PIXEL.subarray(0, 20));
			setTimeout(() => request.socket.destroy(), 50);
		});
		const run = await create();
		expect(tries).toBe(2);
		expect(await download(rest, run.items[0]?.binary.data)).toEqual(PIXEL);
	});

	it.concurrent('a file name is ours, whatever the service says', async () => {
		const { service, create, finished } = await startWorld();
		service.on(
			'POST /v1/generations',
			(_, response) => void response.status(202).json(job({ id: '../../evil' })),
		);
		service.on(
			'GET /v1/generations/..%2F..%2Fevil',
			(_, response) => void response.json({ ...finished(), id: '../../evil' }),
		);
		const run = await create();
		expect(run.items[0]?.binary.data?.fileName).toMatch(/^[\w-]+\.png$/);
	});
});

/** Ways to answer that are none. Each goes on as it likes once the request has been carried out. */
const FAULTS: Record<string, Answer> = {
	'garbage, then the end': ({ socket }) => void socket.end('\x16\x03\x01 garbage \x00\xff\r\n\r\n'),
	'nothing at all, and the end': ({ socket }) => void socket.end(),
	'a head without a body': (_, response) => void response.status(200).end(),
	'a body that is cut': ({ socket }) =>
		void socket.end('HTTP/1.1 202 Accepted\r\nContent-Length: 500\r\n\r\n{"id": "gen_1"'),
	'a body that dribbles': (_, response) => {
		response.type('json').write('{"id": "gen_1", "x": "');
		const dribble = setInterval(() => response.write('.'), 100);
		response.on('close', () => clearInterval(dribble));
	},
	'a body that stands still': (_, response) => void response.type('json').write('{"id": "gen_1"'),
	'an HTML page with 502': (_, response) =>
		void response.status(502).type('html').send('<html><h1>Bad gateway</h1></html>'),
	'an HTML page with 200': (_, response) =>
		void response.status(200).type('html').send('<html><h1>Sign in</h1></html>'),
};

/** The answers to a route of a service: the fault twice, then the good one. */
function spoil(own: ScriptedService, route: string, fault: Answer, good: Answer): void {
	let left = 2;
	own.on(route, (request, response) => {
		left -= 1;
		return left >= 0 ? fault(request, response) : good(request, response);
	});
}

it.concurrent(
	'whatever comes in place of an answer, a creation that was carried out is paid for once and continues; so does a wait that polls a job',
	async () => {
		const outcomes = Object.entries(FAULTS).map(async ([name, fault]) => {
			const [creating, waiting] = await Promise.all([startWorld(), startWorld()]);
			spoil(creating.service, 'POST /v1/generations', fault, (_, response) => {
				response.status(202).json(job());
			});
			spoil(waiting.service, 'GET /v1/generations/gen_1', fault, (_, response) => {
				response.json(waiting.finished());
			});
			const runs = await Promise.all(
				[creating, waiting].map(
					async ({ create }) => await create({ requestOptions: { timeout: 2_000 } }),
				),
			);
			const posts = [creating, waiting].map(({ service: own }) =>
				own.requests
					.filter(({ method }) => method === 'POST')
					.map(({ headers }) => headers['idempotency-key']),
			);
			return {
				name,
				statuses: runs.map(({ items: [item], error }) => item?.json.status ?? error?.message),
				posts: posts.map((keys) => keys.length),
				keys: posts.map((keys) => new Set(keys).size),
			};
		});
		expect(await Promise.all(outcomes)).toEqual(
			Object.keys(FAULTS).map((name) => ({
				name,
				statuses: ['completed', 'completed'],
				posts: [3, 1],
				keys: [1, 1],
			})),
		);
	},
	240_000,
);

describe('what never reaches the service', () => {
	const elsewhere = async ({ create }: World, baseUrl: string, apiKey = canary) => {
		const access = { apiKey, baseUrl, clockScale: 60 };
		return await create({}, { credential: await saveCredential(rest, randomUUID(), access) });
	};

	it.concurrent('a refused connection leaves no unknown outcome', async () => {
		const world = await startWorld();
		const closed = await startScriptedService();
		await closed.close();
		const run = await elsewhere(world, closed.baseUrl);
		expect(run.error?.message).toMatch(/ECONNREFUSED/);
		expect(JSON.stringify(run.error)).not.toMatch(/not known|"unknown"/);
		expect(run.error?.description).toMatch(/[Nn]othing was/);
	});

	it.concurrent('an untrusted certificate gets no request, let alone the key', async () => {
		const world = await startWorld();
		const front = await startTlsFront(Number(new URL(world.service.origin).port));
		const run = await elsewhere(world, `${front.url}v1`);
		await front.stop();
		expect(run.error?.message).toMatch(/certificate/);
		expect(JSON.stringify(run.error)).not.toMatch(/not known|"unknown"/);
		expect(world.service.requests).toEqual([]);
	});

	it.concurrent(
		'a credential whose key cannot be resolved is reported once, in the words of n8n',
		async () => {
			const world = await startWorld();
			const run = await elsewhere(
				world,
				world.service.baseUrl,
				"={{ $('Nowhere').first().json.key }}",
			);
			expect(run.status).toBe('error');
			expect(JSON.stringify(run.error)).not.toMatch(/not known|"unknown"|did not respond|Tried/);
			expect(world.service.requests).toEqual([]);
		},
	);
});

describe('packed outputs', () => {
	const text = Buffer.from(`<svg>${'<circle/>'.repeat(5_000)}</svg>`);
	const packers = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync };

	it.concurrent('they arrive whole and right, whatever packed them', async () => {
		const fetched = Object.entries(packers).flatMap(([coding, pack]) =>
			[text, PIXEL].map(async (file) => {
				const { service: own, create } = await startWorld();
				own.on('GET /files/1', (_, response) => {
					const packed = pack(file);
					response.set({ 'Content-Encoding': coding, 'Content-Length': String(packed.length) });
					response.type('png').end(packed);
				});
				const run = await create();
				const got = await download(rest, run.items[0]?.binary.data);
				return [coding, run.error, got.equals(file)];
			}),
		);
		const right = Object.keys(packers).flatMap((coding) =>
			[1, 2].map(() => [coding, undefined, true]),
		);
		expect(await Promise.all(fetched)).toEqual(right);
	});

	it.concurrent('cut, they are fetched again', async () => {
		const { service, create } = await startWorld();
		let tries = 0;
		service.on('GET /files/1', ({ socket }, response) => {
			tries += 1;
			const packed = gzipSync(text);
			response.set({ 'Content-Encoding': 'gzip', 'Content-Length': String(packed.length) });
			if (tries > 1) return void response.end(packed);
			response.write(packed.subarray(0, packed.length / 2));
			setTimeout(() => socket.destroy(), 50);
		});
		const run = await create();
		expect(tries).toBe(2);
		expect(await download(rest, run.items[0]?.binary.data)).toEqual(text);
	});

	it.concurrent('answers of the API may be packed too', async () => {
		const { service, create, finished } = await startWorld();
		service.on('GET /v1/generations/gen_1', (_, response) => {
			response
				.set('Content-Encoding', 'gzip')
				.type('json')
				.end(gzipSync(JSON.stringify(finished())));
		});
		expect((await create()).items[0]?.json.status).toBe('completed');
	});
});

describe('a download that does not end', () => {
	it('is aborted when its body stalls, closed, and downloaded again', async () => {
		const { run, tries, isClosed } = await stalled;
		expect(tries).toBe(2);
		expect(isClosed).toBe(true);
		expect(await download(rest, run.items[0]?.binary.data)).toEqual(PIXEL);
	}, 600_000);

	it.concurrent('ends with the execution', async () => {
		const { service, credential, sent } = await startWorld();
		let isClosed = false;
		service.on('GET /files/1', (_, response) => {
			response.on('close', () => (isClosed = true));
			response.type('png').set('Content-Length', String(PIXEL.length));
			response.write(PIXEL.subarray(0, 20));
		});
		const parameters = createParameters({ model: 'm' });
		const { executionId } = await startOurs({ node, credential, parameters });
		await until(() => sent('GET /files/1').length > 0);
		await rest.executions.stop(executionId);
		await until(() => isClosed);
		expect(isClosed).toBe(true);
		expect(sent('GET /files/1')).toHaveLength(1);
	});

	it.concurrent('is not read further than needed', async () => {
		const { service, create } = await startWorld();
		let isClosed = false;
		service.on('GET /files/1', (_, response) => {
			response.on('close', () => (isClosed = true));
			const write = () => {
				while (!response.destroyed && response.write(Buffer.alloc(65_536)));
			};
			response.status(400).on('drain', write);
			write();
		});
		expect((await create()).error?.message).toMatch(/the storage answered 400/);
		await until(() => isClosed);
		expect(isClosed).toBe(true);
	});
});

const items = [
	{ binary: { photo: { data: PIXEL, fileName: '..\\..\\CON.png', mimeType: 'image/png' } } },
];
const parameters = { input: { reference_images: 'binary:photo' } };

describe('abandoned jobs', () => {
	it.concurrent(
		'hold a slot no longer than they run: a new creation is sent when any of them has ended',
		async () => {
			const { service, create, sent, finished } = await startWorld();
			let created = 0;
			service.on('POST /v1/generations', (_, response) => {
				created += 1;
				response.status(202).json(job({ id: `gen_${created}` }));
			});
			const list = ['gen_1', 'gen_2', 'gen_3', 'gen_4', 'gen_5'].map((id) =>
				id === 'gen_1' ? job({ id }) : { ...finished(), id },
			);
			service.on('GET /v1/generations', (_, response) => {
				response.json({ object: 'list', data: list, has_more: false, next_cursor: null });
			});
			service.on('GET /v1/generations/gen_1', (_, response) => void response.json(job()));
			const five = Array.from({ length: 5 }, () => ({ json: {} }));
			const left = await create({ waitForCompletion: false }, { items: five });
			expect(left.items).toHaveLength(5);
			// The first one never ends. Whoever waits for it waits until this test gives up.
			const next = await create({ waitForCompletion: false, prompt: 'One more' });
			expect(next.items[0]?.json.id).toBe('gen_6');
			expect(sent('GET /v1/generations')).not.toEqual([]);
		},
	);
});

describe('uploads', () => {
	it.concurrent('send exactly the headers given, and the final URL', async () => {
		const { create, sent } = await startWorld();
		const run = await create(parameters, { items });
		expect(run.error).toBeUndefined();
		const [put] = sent('PUT /put');
		expect(put?.headers).toMatchObject({
			'content-type': 'image/png',
			'x-token': 't',
			'content-length': String(PIXEL.length),
		});
		expect(put?.headers).not.toHaveProperty('authorization');
		expect(put?.headers).not.toHaveProperty('cookie');
		expect(sent('POST /v1/files')[0]?.body).toMatchObject({ filename: '_CON.png' });
		expect(sent('POST /v1/generations')[0]?.body).toMatchObject({
			input: { reference_images: ['https://files.example.com/photo.png'] },
		});
	});

	it.concurrent.each([
		['authorization', { Authorization: 'Bearer other' }, '"Authorization"'],
		['a cookie', { cookie: 'a=b' }, '"cookie"'],
		['a host', { Host: 'evil.example' }, '"Host"'],
		['a list', [{ name: 'x-token', value: 't' }], 'a list'],
		['a value that is a list', { 'x-token': ['t'] }, '"x-token"'],
	])('that should carry %s are refused by name', async (_what, upload_headers, named) => {
		const { service, create, sent } = await startWorld();
		service.on('POST /v1/files', (_, response) => {
			const upload_url = `${service.origin}/put?X-Signature=${signature}`;
			response.status(201).json({ upload_url, upload_headers, url: `${service.origin}/files/1` });
		});
		const run = await create(parameters, { items });
		expect(run.error?.message).toContain('The binary field "photo" could not be uploaded');
		expect(run.error?.message).toContain(named);
		expect(sent('PUT /put')).toEqual([]);
		expect(sent('POST /v1/generations')).toEqual([]);
	});

	it.concurrent('follow a 307 with the same headers and bytes, without credentials', async () => {
		const { service, create, sent } = await startWorld();
		service.on('PUT /put', (_, response) => void response.redirect(307, '/put2?X-Signature=b'));
		service.on('PUT /put2', (_, response) => void response.sendStatus(200));
		expect((await create(parameters, { items })).error).toBeUndefined();
		const [put] = sent('PUT /put2');
		expect(put?.headers).toMatchObject({
			'content-type': 'image/png',
			'x-token': 't',
			'content-length': String(PIXEL.length),
		});
		expect(put?.headers).not.toHaveProperty('authorization');
	});

	it.concurrent('announce what the bytes are', async () => {
		const { create, sent } = await startWorld();
		const data = { data: PIXEL, fileName: 'photo.jpg', mimeType: 'application/octet-stream' };
		expect(
			(await create(parameters, { items: [{ binary: { photo: data } }] })).error,
		).toBeUndefined();
		expect(sent('POST /v1/files')[0]?.body).toEqual({
			filename: 'photo.png',
			content_type: 'image/png',
			size: PIXEL.length,
		});
	});

	it.concurrent.each([
		['nothing', ''],
		['a page', '<!doctype html><title>Sign in</title>'],
		['JSON', '{"error": "gone"}'],
	])('are not begun where the file holds %s', async (_what, text) => {
		const { service, create } = await startWorld();
		const data = { data: Buffer.from(text), fileName: 'photo.png', mimeType: 'image/png' };
		const run = await create(parameters, { items: [{ binary: { photo: data } }] });
		expect(run.error?.message).toMatch(/could not be uploaded: its file is/);
		expect(service.requests.filter(({ method }) => method === 'POST')).toEqual([]);
	});

	it.concurrent(
		'that the key may not make name the scope for files, and do not stop items without files',
		async () => {
			const { service, create } = await startWorld();
			service.on('POST /v1/files', (_, response) => {
				response.status(403).json({ error: { type: 'x', message: 'No' } });
			});
			const run = await create(
				{ input: { reference_images: '={{ $json.start }}' } },
				{
					items: [{ ...items[0], json: { start: 'binary:photo' } }, { json: { start: '' } }],
					onError: 'continueRegularOutput',
				},
			);
			expect(run.items[0]?.json).toMatchObject({
				start: 'binary:photo',
				details: { description: expect.stringMatching(/needs the scope files:write/) },
			});
			expect(run.items[1]?.json.status).toBe('completed');
		},
	);

	it.concurrent.each([429, 503])(
		'that are put off with %i are tried again, at the same address',
		async (status) => {
			const { service, create, sent } = await startWorld();
			let tries = 0;
			service.on('PUT /put', (_, response) => {
				tries += 1;
				response.set('Retry-After', '1').sendStatus(tries > 1 ? 200 : status);
			});
			const run = await create(parameters, { items });
			expect(run.error).toBeUndefined();
			expect(sent('PUT /put')).toHaveLength(2);
			expect(sent('POST /v1/files')).toHaveLength(1);
			expect(sent('POST /v1/generations')).toHaveLength(1);
		},
	);

	it.concurrent.each([
		['was refused once are sent to it again', 1, 1],
		['has expired get a new one', 2, 2],
	])('to an address that %s', async (_name, refusals, addresses) => {
		const { service, create, sent } = await startWorld();
		let tries = 0;
		service.on('PUT /put', (_, response) => {
			tries += 1;
			response.sendStatus(tries > refusals ? 200 : 403);
		});
		expect((await create(parameters, { items })).error).toBeUndefined();
		expect(sent('POST /v1/files')).toHaveLength(addresses);
	});

	it.concurrent('do not wait for an answer that has no end', async () => {
		const { service, create, sent } = await startWorld();
		service.on('PUT /put', (_, response) => void response.status(200).write('so far'));
		expect((await create(parameters, { items })).error).toBeUndefined();
		expect(sent('PUT /put')).toHaveLength(1);
	});

	it.concurrent('that fail name the field and never the presigned address', async () => {
		const { service, create, sent } = await startWorld();
		service.on('PUT /put', (_, response) => void response.status(400).send('bad'));
		const run = await create(parameters, { items });
		expect(run.error?.message).toMatch(
			/^The binary field "photo" could not be uploaded: the storage answered 400/,
		);
		expect(sent('POST /v1/generations')).toEqual([]);
	});
});

describe('after all of this', () => {
	it('neither key nor presigned URL is in anything that n8n has stored or printed', async () => {
		const { service, create } = await startWorld();
		// By itself, this run tries all ways by which they could get there; its prompt proves that the
		// search would find them.
		const marker = `marker_${randomUUID()}`;
		const echo = (authorization: unknown) => ({ note: authorization, [canary]: [canary] });
		service.on('POST /v1/generations', (request, response) => {
			response.status(202).json(job(echo(request.headers.authorization)));
		});
		service.on('GET /v1/generations/gen_1', (request, response) => {
			const errors = [{ message: `No: ${String(request.headers.authorization)}` }];
			response.json(job({ status: 'failed', errors, ...echo(request.headers.authorization) }));
		});
		service.on('POST /v1/files', (_, response) => {
			response.status(201).json({
				upload_url: `${service.origin}/put?X-Signature=${signature}`,
				upload_headers: {},
				url: `${service.origin}/files/1`,
			});
		});
		service.on('PUT /put', (_, response) => void response.status(400).send(signature));
		const failed = await create({ prompt: marker });
		expect(failed.error?.message).toContain('Bearer ***');
		const refused = await create({ ...parameters, prompt: marker }, { items });
		expect(refused.error?.message).toContain('could not be uploaded');
		expect(
			service.requests.some(({ headers }) => String(headers.authorization).includes(canary)),
		).toBe(true);
		expect(service.requests.some(({ method }) => method === 'PUT')).toBe(true);

		const folder = path.dirname(filesFolder);
		const files = [n8nLog];
		for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
			const isOurs = !entry.parentPath.includes('node_modules');
			if (entry.isFile() && isOurs) files.push(path.join(entry.parentPath, entry.name));
		}
		const holding = (...texts: string[]) =>
			files.filter((file) => {
				const content = readFileSync(file).toString('latin1');
				return texts.some((text) => content.includes(text));
			});
		expect(holding(marker)).toContainEqual(expect.stringMatching(/\.sqlite/));
		expect(holding(canary, signature)).toEqual([]);
	});
});
