/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- not published */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { EVENTS } from '../../src/contract';
import { ATTEMPT_MILLISECONDS } from '../../sandbox/deliveries';
import type { Workspace } from '../../sandbox/store';
import { anImage, startHarness, type Harness } from './support/harness';
import { receiverCa, receiverIdentity, startReceiver, type Receiver } from './support/receiver';
import { until } from '../e2e/support/until';
import { elementAt } from './support/elementAt';

let service: Harness;
let receiver: Receiver;

beforeEach(async () => {
	service = await startHarness({ deliveryCa: receiverCa });
	receiver = await startReceiver();
});

afterEach(async () => {
	expect(service.reported).toEqual([]);
	await service.close();
	await receiver.close();
});

const subscribe = async (more: object = {}) =>
	(await service.post('/webhooks', { url: receiver.url, events: [...EVENTS], ...more })).body;

/** Lets time pass and waits for what is on its way. */
const settle = async (seconds: number) => {
	service.pass(seconds);
	await service.sandbox.service.dispatcher.idle();
};

const finish = async (body: object = anImage()) => {
	const { id } = (await service.post('/generations', body)).body;
	await settle(60);
	return id as string;
};

const attempts = async (id: string) => (await service.get(`/webhooks/${id}/deliveries`)).body.data;

describe('a webhook', () => {
	test('reveals its secret at creation and never again', async () => {
		const { status, body } = await service.post('/webhooks', {
			url: receiver.url,
			description: 'mine',
			events: ['generation.completed'],
		});
		expect(status).toBe(201);
		expect(body).toEqual({
			id: expect.stringMatching(/^wh_/),
			object: 'webhook',
			url: receiver.url,
			description: 'mine',
			events: ['generation.completed'],
			secret: expect.stringMatching(/^whsec_[0-9a-f]{48}$/),
		});
		const { secret, ...shown } = body;
		expect((await service.get(`/webhooks/${body.id}`)).body).toEqual(shown);
		expect((await service.get('/webhooks')).body.data).toEqual([shown]);
		expect(JSON.stringify(shown)).not.toContain(secret);
	});

	test('can be updated and deleted', async () => {
		const { id } = await subscribe();
		const path = `/webhooks/${id}`;
		const body = { events: ['voice.created'], description: 'new' };
		expect((await service.call('PATCH', path, { body })).body).toMatchObject(body);
		expect((await service.call('PATCH', path, { body: { url: 'http://x.example' } })).status).toBe(
			400,
		);
		expect((await service.call('DELETE', path)).status).toBe(200);
		expect((await service.get(path)).status).toBe(404);
		expect((await service.get(`${path}/deliveries`)).status).toBe(404);
	});
});

describe('an event', () => {
	test('is delivered over TLS, signed, and recorded as an attempt', async () => {
		const { id: webhook, secret } = await subscribe();
		const id = await finish();
		expect(receiver.received).toHaveLength(1);
		const delivery = elementAt(receiver.received, 0);
		expect(receiver.accepts(delivery, secret, service.timers.now())).toBe(true);
		expect(delivery.body).toEqual({
			id: expect.stringMatching(/^evt_/),
			object: 'event',
			type: 'generation.completed',
			created: expect.any(String),
			data: { object: (await service.get(`/generations/${id}`)).body },
		});
		expect(await attempts(webhook)).toEqual([
			expect.objectContaining({
				event: 'generation.completed',
				attempt: 1,
				status: 'succeeded',
				response_status: 200,
				next_attempt_at: null,
			}),
		]);
	});

	test('has the shape that is set', async () => {
		await subscribe();
		await service.admin('PATCH', '/settings', { eventShape: 'flat' });
		const flat = await finish();
		await service.admin('PATCH', '/settings', { eventShape: 'bare' });
		const bare = await finish();
		expect(elementAt(receiver.received, 0).body).toMatchObject({
			event: 'generation.completed',
			data: { id: flat },
		});
		expect(elementAt(receiver.received, 1).body).toMatchObject({ id: bare, object: 'generation' });
	});

	test('reaches only webhooks that want it, of its workspace', async () => {
		await subscribe({ events: ['voice.created'] });
		await service.post(
			'/webhooks',
			{ url: receiver.url, events: [...EVENTS] },
			{ key: service.keys.other },
		);
		await finish();
		expect(receiver.received).toEqual([]);
	});

	test('waits while twenty others are under way to its receiver, and is sent then', async () => {
		let answer = () => {};
		receiver.answersAfter = new Promise((resolve) => (answer = resolve));
		const { id } = await subscribe();
		await subscribe();
		const { dispatcher, store } = service.sandbox.service;
		const workspace = [...store.workspaces.values()].find(({ webhooks }) => webhooks.get(id));
		for (let count = 0; workspace && count < 25; count += 1)
			dispatcher.emit(workspace, 'voice.created', {});
		service.pass(1);
		await until(() => receiver.received.length >= 20);
		await sleep(100);
		expect(receiver.received).toHaveLength(20);
		answer();
		await dispatcher.idle();
		expect(receiver.received).toHaveLength(50);
	});

	test('of each of the eight kinds is sent', async () => {
		await subscribe();
		await finish();
		await finish(anImage({ prompt: '[fail]' }));
		await service.post('/voices', { kind: 'design', name: 'a', description: 'b' });
		for (const description of ['owl', '[fail]']) {
			await service.post('/personas', { source: 'describe', name: 'a', description });
		}
		for (const brief of ['film', '[fail]']) {
			const { id } = (await service.post('/agents/runs', { brief })).body;
			await service.post(`/agents/runs/${id}/approve`, { max_credits: 50 });
			await settle(100);
			await service.post(`/agents/runs/${id}/review`, { decision: 'assemble' });
		}
		await settle(1);
		const kinds = receiver.received.map(({ body }) => body.type);
		expect([...kinds].sort()).toEqual([...EVENTS].sort());
	});

	test('of partial completion is one of completion, and speech has some where it is set', async () => {
		await subscribe();
		const speech = async () => {
			const body = { model: 'service/speech-lite', blocks: [{ text: 'a' }] };
			const { id } = (await service.post('/speech', body)).body;
			service.pass(60);
			const look = async () => await service.get(`/speech/${id}`);
			await service.until(look, ({ status }) => status === 'completed');
			await settle(1);
		};
		const partial = anImage({ prompt: '[partial]', parameters: { count: 2 } });
		await speech();
		await finish(partial);
		await service.admin('PATCH', '/settings', { speechEvents: false });
		await speech();
		expect(receiver.received.map(({ body }) => [body.type, body.data.object.status])).toEqual([
			['generation.completed', 'completed'],
			['generation.completed', 'partially_completed'],
		]);
	});
});

describe('a delivery that fails', () => {
	test('is tried again after 5 s, 30 s, 2 min, 10 min and 1 h with a new timestamp, then given up', async () => {
		receiver.answer = 500;
		const { id, secret } = await subscribe();
		await finish();
		const counts = [receiver.received.length];
		for (const pause of [5, 30, 120, 600, 3600, 86_400]) {
			await settle(pause - 1);
			counts.push(receiver.received.length);
			await settle(1);
			expect(receiver.accepts(receiver.received.at(-1)!, secret, service.timers.now())).toBe(
				pause < 86_400,
			);
		}
		// The first retry fell due while the test let the first minute pass.
		expect(receiver.received).toHaveLength(6);
		expect(new Set(receiver.received.map(({ raw }) => raw.toString())).size).toBe(1);
		const list = await attempts(id);
		expect(list.map(({ attempt }: { attempt: number }) => attempt)).toEqual([6, 5, 4, 3, 2, 1]);
		expect(list[0]).toMatchObject({
			status: 'failed',
			response_status: 500,
			next_attempt_at: null,
		});
		expect(list[1].next_attempt_at).not.toBeNull();
	});

	test('ends with the first success', async () => {
		receiver.answer = 0;
		const { id } = await subscribe();
		await finish();
		receiver.answer = 204;
		await settle(10);
		await settle(10_000);
		expect(receiver.received).toHaveLength(2);
		expect((await attempts(id)).map(({ status }: { status: string }) => status)).toEqual([
			'succeeded',
			'failed',
		]);
	});

	test('a redirect is not a success and is not followed', async () => {
		receiver.answer = 302;
		const { id } = await subscribe();
		await finish();
		expect((await attempts(id))[0]).toMatchObject({ status: 'failed', response_status: 302 });
	});

	test('is not tried again when the webhook is gone', async () => {
		receiver.answer = 500;
		const { id } = await subscribe();
		await finish();
		await service.call('DELETE', `/webhooks/${id}`);
		await settle(10_000);
		expect(receiver.received).toHaveLength(1);
	});
});

describe('an attempt whose receiver never comes to an end', () => {
	/** Receivers that accept a connection and then keep it: idle, or busy without end. */
	const MANNERS: Array<[string, (met: (socket: Socket) => void) => Server]> = [
		['does not even begin TLS', (met) => createServer(met)],
		[
			'sends its headers a byte at a time',
			(met) =>
				createTlsServer(receiverIdentity, (socket) => {
					met(socket);
					socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
					setInterval(() => socket.write('x'), 20).unref();
				}),
		],
	];

	test.each(MANNERS)('has one deadline over all of it: it %s', async (_name, open) => {
		const sockets: Socket[] = [];
		const endless = open((socket) => void sockets.push(socket.on('error', () => undefined)));
		endless.listen(0, '127.0.0.1');
		await once(endless, 'listening');
		const { port } = endless.address() as AddressInfo;
		const { id } = await subscribe({
			url: `https://127.0.0.1:${port}/`,
			events: ['voice.created'],
		});
		await service.post('/voices', { kind: 'design', name: 'a', description: 'b' });
		service.pass(1);
		await until(() => sockets.length > 0);
		service.pass(ATTEMPT_MILLISECONDS / 1000);
		await service.sandbox.service.dispatcher.idle();
		expect((await attempts(id)).at(-1)).toMatchObject({
			status: 'failed',
			response_status: null,
			error: 'The receiver did not answer in time.',
		});
		sockets.forEach((socket) => socket.destroy());
		endless.close();
	});

	test('is cut off by the end of the sandbox, and not lost', async () => {
		receiver.answersAfter = new Promise(() => undefined);
		await subscribe();
		await service.post('/voices', { kind: 'design', name: 'a', description: 'b' });
		service.pass(1);
		await until(() => receiver.received.length > 0);
		const { dispatcher, store } = service.sandbox.service;
		await dispatcher.close();
		const [{ deliveries }] = [...store.workspaces.values()] as [Workspace];
		expect([...deliveries.values()].flatMap((table) => table.all())).toEqual([]);
	});
});

describe('faults of deliveries', () => {
	const fault = async (rule: object) =>
		await service.admin('PUT', '/faults', { rules: [{ times: 1, ...rule }] });

	test('duplicate: the same event arrives several times', async () => {
		await subscribe();
		await fault({ kind: 'delivery_duplicate', copies: 3 });
		await finish();
		expect(receiver.received).toHaveLength(4);
		expect(new Set(receiver.received.map(({ body }) => body.id)).size).toBe(1);
	});

	test('lost: it never arrives, and the service believes that it did', async () => {
		const { id } = await subscribe();
		await fault({ kind: 'delivery_lose' });
		await finish();
		await settle(10_000);
		expect(receiver.received).toEqual([]);
		expect((await attempts(id))[0].status).toBe('succeeded');
		const { body } = await service.admin('GET', '/deliveries');
		expect(body.data[0]).toMatchObject({ state: 'lost', fault: 'delivery_lose' });
	});

	test('delayed: it arrives that many seconds later', async () => {
		await subscribe();
		await fault({ kind: 'delivery_delay', seconds: 500 });
		await finish();
		expect(receiver.received).toEqual([]);
		await settle(500);
		expect(receiver.received).toHaveLength(1);
	});

	test('reordered: it arrives after the next one', async () => {
		await subscribe();
		await fault({ kind: 'delivery_reorder', seconds: 1000 });
		const first = await finish();
		const second = await finish();
		await settle(5);
		const order = receiver.received.map(({ body }) => body.data.object.id);
		expect(order).toEqual([second, first]);
	});

	test('tampered: the receiver notices, and the next attempt is intact', async () => {
		const { secret } = await subscribe();
		await fault({ kind: 'delivery_tamper' });
		receiver.answer = 401;
		await finish();
		expect(
			receiver.accepts(elementAt(receiver.received, 0), secret, service.timers.now() - 60_000),
		).toBe(false);
		await settle(10);
		expect(receiver.accepts(elementAt(receiver.received, 1), secret, service.timers.now())).toBe(
			true,
		);
	});
});
