/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdtemp, rm } from 'fs/promises';
import { tmpdir } from 'os';
import { join } from 'path';

import { createSandbox, type SandboxOptions } from '../../sandbox/server';
import { anImage, startHarness, type Harness } from './support/harness';
import { BODIES } from './support/bodies';
import { receiverCa, startReceiver } from './support/receiver';

let directory: string;
let service: Harness;

const start = async (port = 0, more: SandboxOptions = {}) => {
	service = await startHarness({ data: directory, seed: 1, port, ...more });
};

const restart = async (more: SandboxOptions = {}) => {
	expect(service.reported).toEqual([]);
	await service.close();
	// The same port again, so that addresses in answers stay good.
	await start(Number(new URL(service.sandbox.baseUrl).port), more);
};

const make = async (path: string, body?: object) => (await service.post(path, body)).body;

beforeEach(async () => {
	directory = await mkdtemp(join(tmpdir(), 'mediagen-kept-'));
	await start();
});

afterEach(async () => {
	await service.close();
	await rm(directory, { recursive: true, force: true });
});

test('after a restart everything is there again, and nothing is charged twice', async () => {
	const headers = { 'idempotency-key': 'a' };
	const { id } = (await service.post('/generations', anImage(), { headers })).body;
	await make('/voices', BODIES.createVoice);
	await make('/webhooks', BODIES.createWebhook);
	await make('/agents/runs', BODIES.createAgentRun);
	const file = { filename: 'a.txt', content_type: 'text/plain', size: 2 };
	const { upload_url, upload_headers, url } = await make('/files', file);
	await fetch(upload_url, { method: 'PUT', headers: upload_headers, body: 'hi' });
	service.pass(60);
	const lists = ['/generations', '/agents/runs', '/voices', '/webhooks', '/credits', '/usage'];
	const look = async () => [
		...(await Promise.all(lists.map(async (path) => (await service.get(path)).body))),
		(await service.admin('GET', '/ledger?workspace=studio')).body,
	];
	const before = await look();
	await restart();
	expect(await look()).toEqual(before);
	expect((await service.post('/generations', anImage(), { headers })).body.id).toBe(id);
	const [output] = (await service.get(`/generations/${id}`)).body.outputs;
	expect((await fetch(output.url)).status).toBe(200);
	expect(await (await fetch(url)).text()).toBe('hi');

	await service.admin('POST', '/reset');
	await restart();
	expect((await service.get('/generations')).body.data).toEqual([]);
	expect((await fetch(url)).status).toBe(404);
});

test('running jobs continue, new ids are unique, and what nobody waits for is given back', async () => {
	const ids = [
		(await make('/generations', anImage())).id,
		(await make('/personas', BODIES.createPersona)).id,
		(await make('/speech', BODIES.createSpeech)).id,
	];
	const gone = await make('/personas', BODIES.createPersona);
	await service.call('DELETE', `/personas/${gone.id}`);
	await restart();
	expect((await service.get('/credits')).body.reserved).toBe(2 + 5 + 1);
	expect(ids).not.toContain((await make('/generations', anImage())).id);
	service.pass(100);
	for (const id of ids) {
		const look = async () => await service.get(`/jobs/${id}`);
		await service.until(look, ({ status }) => status === 'completed' || status === 'ready');
	}
	expect((await service.get('/credits')).body.reserved).toBe(0);
});

test('an undelivered event is retried after the restart, and its attempts are preserved', async () => {
	const receiver = await startReceiver();
	receiver.answer = 500;
	await restart({ deliveryCa: receiverCa });
	const { id } = await make('/webhooks', { url: receiver.url, events: ['voice.created'] });
	await make('/voices', BODIES.createVoice);
	service.pass(1);
	await service.sandbox.service.dispatcher.idle();
	receiver.answer = 200;
	await restart({ deliveryCa: receiverCa });
	service.pass(120);
	await service.sandbox.service.dispatcher.idle();
	const [first, second] = receiver.received;
	expect(second?.raw).toEqual(first?.raw);
	const { data } = (await service.get(`/webhooks/${id}/deliveries`)).body;
	expect(data).toMatchObject([{ status: 'succeeded' }, { status: 'failed' }]);
	await receiver.close();
});

test('a directory is one sandbox’s, with the seed that it was begun with', async () => {
	await expect(createSandbox({ data: directory })).rejects.toThrow('Another sandbox uses');
	await service.close();
	await expect(startHarness({ data: directory, seed: 2 })).rejects.toThrow('seed 1');
	await start();
});
