/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { saveCredential } from '../../lab/n8n/credential';
import { startTlsFront } from '../../lab/n8n/tlsFront';
import { filesFolder, n8nLog, rest, runOurs, startOurs } from './support/harness';
import { startScriptedService, type Answer, type ScriptedService } from '../model/scriptedService';
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
	const outputs = [{ id: 'out_1', url: `${service.origin}/files/1`, media_type: 'image/png' }];
	const finished = job({ status: 'completed', outputs });
	service.on('POST /v1/generations', (_, response) => void response.status(202).json(job()));
	service.on('GET /v1/generations/gen_1', (_, response) => void response.json(finished));
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
	return { service, credential, create, sent };
}

type World = Awaited<ReturnType<typeof startWorld>>;

const services: ScriptedService[] = [];

afterAll(async () => await Promise.all(services.map(async (service) => await service.close())));

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

it.concurrent(
	'whatever comes in place of an answer, a creation that was carried out is paid for once and continues',
	async () => {
		const outcomes = Object.entries(FAULTS).map(async ([name, fault]) => {
			const { service, create, sent } = await startWorld();
			let left = 2;
			service.on('POST /v1/generations', (request, response) => {
				left -= 1;
				return left >= 0 ? fault(request, response) : void response.status(202).json(job());
			});
			const { items: made, error } = await create({ requestOptions: { timeout: 2_000 } });
			const keys = sent('POST /v1/generations').map(({ headers }) => headers['idempotency-key']);
			const status = made[0]?.json.status ?? error?.message;
			return { name, status, posts: keys.length, keys: new Set(keys).size };
		});
		expect(await Promise.all(outcomes)).toEqual(
			Object.keys(FAULTS).map((name) => ({ name, status: 'completed', posts: 3, keys: 1 })),
		);
	},
);

describe('an execution that fails', () => {
	const reason = 'canceled by a moderator';

	it.concurrent.each<[string, string, Answer]>([
		[
			'the service refuses a request',
			'POST /v1/generations',
			(_, response) => {
				const error = { type: 'invalid_request', message: reason };
				response.status(400).json({ error });
			},
		],
		[
			'its job fails',
			'GET /v1/generations/gen_1',
			(_, response) => void response.json(job({ status: 'failed', errors: [{ message: reason }] })),
		],
	])('is none that somebody has stopped, in whatever words %s', async (_, route, answer) => {
		const { service, create } = await startWorld();
		service.on(route, answer);
		const run = await create();
		expect(run.error?.message).toMatch(/Canceled by a moderator/);
		expect(run.status).toBe('error');
	});
});

describe('what never reaches the service', () => {
	const elsewhere = async ({ create }: World, baseUrl: string, apiKey = canary) => {
		const access = { apiKey, baseUrl, clockScale: 60 };
		return await create({}, { credential: await saveCredential(rest, randomUUID(), access) });
	};

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
	const packers = { gzip: gzipSync, br: brotliCompressSync };

	it.concurrent.each(Object.keys(packers) as Array<keyof typeof packers>)(
		'by %s, they arrive whole, and cut they are fetched again',
		async (coding) => {
			const { service, create } = await startWorld();
			let tries = 0;
			service.on('GET /files/1', ({ socket }, response) => {
				tries += 1;
				const packed = packers[coding](text);
				response.set({ 'Content-Encoding': coding, 'Content-Length': String(packed.length) });
				if (tries > 1) return void response.end(packed);
				response.write(packed.subarray(0, packed.length / 2));
				setTimeout(() => socket.destroy(), 50);
			});
			const run = await create();
			expect(tries).toBe(2);
			expect(await download(rest, run.items[0]?.binary.data)).toEqual(text);
		},
	);
});

describe('a download that does not end', () => {
	it.concurrent('ends with the execution', async () => {
		const { service, credential, sent } = await startWorld();
		let isClosed = false;
		service.on('GET /files/1', (_, response) => {
			response.on('close', () => {
				isClosed = true;
			});
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
});

const items = [
	{ binary: { photo: { data: PIXEL, fileName: '..\\..\\CON.png', mimeType: 'image/png' } } },
];
const parameters = { input: { reference_images: 'binary:photo' } };

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
				// Where no file is, so that it was not put there either.
				url: `${service.origin}/files/none`,
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
