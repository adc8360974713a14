/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { Request, Response } from 'express';
import { setTimeout as sleep } from 'node:timers/promises';
import { saveCredential } from '../../lab/n8n/credential';
import { startScriptedService, type ScriptedService } from '../model/scriptedService';
import { rest, runOurs } from './support/harness';
import { bytesOf } from './support/media';

/*
 * A file on its way from a real n8n to a storage that is slow, stands still, refuses or sends elsewhere. The
 * answer of a storage has two seconds where the file is large, which takes longer. Each test has a storage of
 * its own, and they wait side by side.
 */

const ANSWER_MS = 2_000;

/** Far more than what is kept between n8n and a storage that does not read. */
const SIZE = 24_000_000;

/** So much of it is taken slowly; the rest at once, as the time of the answer starts when it has left n8n. */
const SLOW = 10_000_000;

/** A file of that size is made where it is used: n8n takes no such workflow. */
const MAKE = `
const png = Buffer.concat([Buffer.from('\\x89PNG\\r\\n\\x1a\\n', 'latin1'), Buffer.alloc(${SIZE - 8}, 'a')]);
return [{ json: {}, binary: { photo: await this.helpers.prepareBinaryData(png, 'photo.png', 'image/png') } }];`;

const SMALL = 300_000;

const photo = { data: bytesOf('image/png', SMALL), fileName: 'photo.png', mimeType: 'image/png' };

const services: ScriptedService[] = [];

afterAll(async () => await Promise.all(services.map(async (service) => await service.close())));

/** Reads a body to its end. @returns its length; less where it was cut off */
async function drain(request: Request): Promise<number> {
	let size = 0;
	try {
		for await (const chunk of request) size += (chunk as Buffer).length;
	} catch {
		// Cut off.
	}
	return size;
}

type Put = (request: Request, response: Response, number: number) => void;

/**
 * @param put answers the PUT of that number, from 1 on, at whatever address
 * @param isLarge whether the file is too large for what is kept on the way
 */
async function startStorage(put: Put, isLarge = false) {
	const service = await startScriptedService();
	services.push(service);
	const sent = (method: string) => service.requests.filter((one) => one.method === method);
	service.on('*', (request, response) => {
		if (request.method === 'PUT') return put(request, response, sent('PUT').length);
		if (request.method === 'GET') return void response.sendStatus(404);
		const number = sent('POST').length;
		const url = `https://files.example.com/${number}.png`;
		response.status(201).json({ upload_url: `${service.origin}/put/${number}`, url });
	});
	const access = { apiKey: 'key', baseUrl: service.baseUrl };
	const credential = await saveCredential(rest, service.origin, access);
	const began = Date.now();
	const run = await runOurs({
		node: 'mediaGenFile',
		credential,
		items: [{ binary: { photo } }],
		between: isLarge ? MAKE : undefined,
		parameters: {
			operation: 'upload',
			inputBinaryField: 'photo',
			...(isLarge && { requestOptions: { timeout: ANSWER_MS } }),
		},
	});
	const puts = sent('PUT').map(({ path }) => path);
	return { run, puts, posts: sent('POST').length, ms: Date.now() - began };
}

it.concurrent(
	'a storage that takes bytes slowly gets all of them, however long that lasts',
	async () => {
		const seen = { size: 0, ms: 0 };
		const { run, puts, posts } = await startStorage(async (request, response) => {
			const began = Date.now();
			for await (const chunk of request) {
				seen.size += (chunk as Buffer).length;
				if (seen.size < SLOW) await sleep(30);
			}
			seen.ms = Date.now() - began;
			response.sendStatus(200);
		}, true);
		expect(run.error).toBeUndefined();
		expect(run.items[0]?.json).toMatchObject({
			size: SIZE,
			url: 'https://files.example.com/1.png',
		});
		expect(seen.size).toBe(SIZE);
		expect(seen.ms).toBeGreaterThan(2 * ANSWER_MS);
		expect([puts.length, posts]).toEqual([1, 1]);
	},
);

it.concurrent(
	'a storage that takes no more is given up after its minute of silence, in one try',
	async () => {
		const { run, puts, ms } = await startStorage((request) => void request.pause(), true);
		expect(run.error?.message).toMatch(
			/could not be uploaded: the storage took nothing more for 60 s, after .* of 24 MB had gone at .* a second/,
		);
		expect(puts).toHaveLength(1);
		expect(ms).toBeGreaterThanOrEqual(60_000);
	},
	180_000,
);

const inXml = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;

it.concurrent('400 ExpiredToken is a link that is renewed once', async () => {
	const put =
		(most: number): Put =>
		async (request, response, number) => {
			await drain(request);
			if (number > most) return void response.sendStatus(200);
			response.status(400).type('xml').send(inXml('ExpiredToken'));
		};
	const [renewed, refused] = await Promise.all([startStorage(put(1)), startStorage(put(9))]);
	expect(renewed.run.error).toBeUndefined();
	expect([renewed.puts, renewed.posts]).toEqual([['/put/1', '/put/2'], 2]);
	expect(refused.run.error?.message).toMatch(/the storage answered 400/);
	expect(refused.puts).toEqual(['/put/1', '/put/2']);
});

it.concurrent('400 RequestTimeout is tried again at the same link', async () => {
	const { run, puts, posts } = await startStorage(async (request, response, number) => {
		await drain(request);
		if (number > 1) return void response.sendStatus(200);
		response.status(400).type('xml').send(inXml('RequestTimeout'));
	});
	expect(run.error).toBeUndefined();
	expect([puts, posts]).toEqual([['/put/1', '/put/1'], 1]);
});

it.concurrent(
	'behind a redirect the file goes out once a try, and not to the one who redirects again',
	async () => {
		const taken: Array<[path: string, bytes: number]> = [];
		const { run, puts, posts } = await startStorage(async (request, response, number) => {
			const size = await drain(request);
			// Nobody learns of it before: in the first try it gets the file as well.
			if (request.path === '/put/1') return void response.redirect(307, '/elsewhere');
			taken.push([request.path, size]);
			response.sendStatus(number > 2 ? 200 : 503);
		});
		expect(run.error).toBeUndefined();
		expect([puts, posts]).toEqual([['/put/1', '/elsewhere', '/elsewhere'], 1]);
		expect(taken).toEqual([
			['/elsewhere', SMALL],
			['/elsewhere', SMALL],
		]);
	},
);
