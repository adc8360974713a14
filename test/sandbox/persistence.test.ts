/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { spawn, type ChildProcess } from 'child_process';
import { mkdtemp, rm } from 'fs/promises';
import { tmpdir } from 'os';
import { join } from 'path';

import type { LedgerLine } from '../../sandbox/credits/ledger';
import type { SandboxOptions } from '../../sandbox/server';
import { anImage, startHarness, type Harness } from './support/harness';
import { receiverCa, startReceiver } from './support/receiver';
import { elementAt } from './support/elementAt';

let directory: string;

beforeEach(async () => {
	directory = await mkdtemp(join(tmpdir(), 'mediagen-kept-'));
});

afterEach(async () => {
	await rm(directory, { recursive: true, force: true });
});

describe('persisted state after a clean restart', () => {
	let service: Harness;
	const start = async (port = 0, more: SandboxOptions = {}) =>
		(service = await startHarness({ data: directory, seed: 1, port, ...more }));
	const restart = async (more: SandboxOptions = {}) => {
		expect(service.reported).toEqual([]);
		await service.close();
		// The same port again, so that addresses in answers stay good.
		return await start(Number(new URL(service.sandbox.baseUrl).port), more);
	};

	afterEach(async () => await service.close());

	test('everything that was there is there again, and nothing is charged twice', async () => {
		await start();
		const headers = { 'idempotency-key': 'a' };
		const done = (await service.post('/generations', anImage(), { headers })).body.id;
		const voice = (await service.post('/voices', { kind: 'design', name: 'a', description: 'b' }))
			.body;
		await service.post('/webhooks', { url: 'https://127.0.0.1:9/', events: ['voice.created'] });
		const run = (await service.post('/agents/runs', { brief: 'a' })).body.id;
		service.pass(60);
		const look = async () => [
			(await service.get('/credits')).body,
			(await service.get('/usage')).body,
			(await service.get('/voices')).body,
			(await service.get('/webhooks')).body,
			(await service.get(`/agents/runs/${run}`)).body,
			(await service.get('/generations')).body.data.map(({ id }: { id: string }) => id),
			(await service.admin('GET', '/ledger?workspace=studio')).body,
		];
		const before = await look();
		await restart();
		expect(await look()).toEqual(before);
		const again = await service.post('/generations', anImage(), { headers });
		expect(again.body.id).toBe(done);
		expect((await service.get(`/voices/${voice.id}`)).status).toBe(200);
		const { url } = (await service.get(`/generations/${done}`)).body.outputs[0];
		expect((await fetch(url)).status).toBe(200);
	});

	test('running jobs continue, and new ids are unique', async () => {
		await start();
		const ids = [
			(await service.post('/generations', anImage())).body.id,
			(await service.post('/personas', { source: 'describe', name: 'a', description: 'b' })).body
				.id,
			(await service.post('/speech', { model: 'service/speech-lite', blocks: [{ text: 'a' }] }))
				.body.id,
		];
		await restart();
		expect(ids).not.toContain((await service.post('/generations', anImage())).body.id);
		service.pass(100);
		for (const id of ids) {
			const look = async () => await service.get(`/jobs/${id}`);
			await service.until(look, ({ status }) => status === 'completed' || status === 'ready');
		}
		expect((await service.get('/credits')).body.reserved).toBe(0);
	});

	test('credits reserved for a deleted persona are returned', async () => {
		await start();
		const body = { source: 'describe', name: 'a', description: 'b' };
		const { id } = (await service.post('/personas', body)).body;
		await service.call('DELETE', `/personas/${id}`);
		await restart();
		expect((await service.get('/credits')).body).toMatchObject({ available: 10_000, reserved: 0 });
	});

	test('uploads are still there, and a reset clears all', async () => {
		await start();
		const given = { filename: 'a.txt', content_type: 'text/plain', size: 2 };
		const { upload_url, upload_headers, url } = (await service.post('/files', given)).body;
		await fetch(upload_url, { method: 'PUT', headers: upload_headers, body: 'hi' });
		await restart();
		expect(await (await fetch(url)).text()).toBe('hi');
		await service.admin('POST', '/reset');
		expect((await fetch(url)).status).toBe(404);
		await restart();
		expect((await fetch(url)).status).toBe(404);
	});

	test('an undelivered event is retried after the restart, and its attempts are preserved', async () => {
		const receiver = await startReceiver();
		const listening = { deliveryCa: receiverCa };
		receiver.answer = 500;
		await start(0, listening);
		const body = { url: receiver.url, events: ['generation.completed'] };
		const { id, secret } = (await service.post('/webhooks', body)).body;
		await service.post('/generations', anImage());
		service.pass(60);
		await service.sandbox.service.dispatcher.idle();
		receiver.answer = 200;
		await restart(listening);
		service.pass(120);
		await service.sandbox.service.dispatcher.idle();
		expect(receiver.received).toHaveLength(2);
		const [first, second] = [elementAt(receiver.received, 0), elementAt(receiver.received, 1)];
		expect(second.raw).toEqual(first.raw);
		expect(receiver.accepts(second, secret, service.timers.now() - 60_000)).toBe(true);
		const { data } = (await service.get(`/webhooks/${id}/deliveries`)).body;
		expect(data.map(({ attempt }: { attempt: number }) => attempt)).toEqual([2, 1]);
		await receiver.close();
	});

	test('another seed than the one it was begun with is refused', async () => {
		await start();
		await service.close();
		await expect(startHarness({ data: directory, seed: 2 })).rejects.toThrow('seed 1');
		await start();
	});
});

describe('persisted state after a kill', () => {
	const running: ChildProcess[] = [];

	const start = async () => {
		const main = join(__dirname, '..', '..', 'sandbox', 'main.ts');
		const options = ['--port', '0', '--clock-scale', '50', '--json', '--data', directory];
		const child = spawn(process.execPath, ['--import', 'tsx', main, ...options]);
		running.push(child);
		const line = await new Promise<string>((resolve, reject) => {
			child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
			child.stderr.on('data', (chunk: Buffer) => reject(new Error(chunk.toString())));
		});
		return { child, ...(JSON.parse(line) as { baseUrl: string; adminUrl: string }) };
	};

	afterEach(() => running.splice(0).forEach((child) => child.kill('SIGKILL')));

	test('no ledger line that a client has seen is lost', async () => {
		const first = await start();
		await fetch(`${first.adminUrl}/settings`, {
			method: 'PATCH',
			body: JSON.stringify({ requestsPerMinute: 10_000, concurrentJobs: 1000 }),
			headers: { 'content-type': 'application/json' },
		});
		const accepted: string[] = [];
		const create = async (baseUrl: string, index: number) => {
			const response = await fetch(`${baseUrl}/generations`, {
				method: 'POST',
				headers: {
					authorization: 'Bearer mgs_live_studio_all',
					'content-type': 'application/json',
					'idempotency-key': `k${index}`,
				},
				body: JSON.stringify(anImage()),
			});
			const { id } = (await response.json()) as { id: string };
			accepted[index] = id;
		};
		const sending = Array.from({ length: 200 }, async (_, index) => {
			await create(first.baseUrl, index).catch(() => undefined);
		});
		while (accepted.length < 60) await new Promise((resolve) => setTimeout(resolve, 1));
		first.child.kill('SIGKILL');
		await Promise.all(sending);
		const acknowledged = accepted.filter((id) => id !== undefined);
		expect(acknowledged.length).toBeGreaterThan(0);

		const second = await start();
		const ledger = await fetch(`${second.adminUrl}/ledger?workspace=studio`);
		const { lines } = (await ledger.json()) as { lines: LedgerLine[] };
		const reserved = lines
			.filter(({ movement }) => movement === 'reserve')
			.map((each) => each.resource);
		expect(reserved).toEqual(expect.arrayContaining(acknowledged));
		// The repeat of a request that was answered before the kill is the same generation.
		const index = accepted.findIndex((id) => id !== undefined);
		const [id] = acknowledged;
		await create(second.baseUrl, index);
		expect(accepted[index]).toBe(id);
	});
});
