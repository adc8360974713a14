import { EVENTS } from '../../src/api';
import { BODIES } from './support/bodies';
import { anImage, harnessForEach, type Harness } from './support/harness';
import { receiverCa, startReceiver, type Receiver } from './support/receiver';

let service: Harness;
let receiver: Receiver;
harnessForEach(
	(started) => {
		service = started;
	},
	{ deliveryCa: receiverCa },
);
beforeEach(async () => {
	receiver = await startReceiver();
});
afterEach(async () => await receiver.close());

const subscribe = async (more: object = {}, key?: string) => {
	const body = { url: receiver.url, events: [...EVENTS], ...more };
	return (await service.post('/webhooks', body, { key })).body;
};

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

/** Something whose event is due at once, in the same instant. */
const makeVoice = async () => {
	await service.post('/voices', BODIES.createVoice);
	await settle(0);
};

const attempts = async (id: string) => (await service.get(`/webhooks/${id}/deliveries`)).body.data;

describe('an event', () => {
	test('is delivered over TLS, signed, and recorded as an attempt', async () => {
		const { id: webhook, secret } = await subscribe();
		const id = await finish();
		const [delivery] = receiver.received;
		expect(receiver.accepts(delivery!, secret, service.timers.now())).toBe(true);
		expect(delivery?.body).toEqual({
			id: expect.stringMatching(/^evt_/),
			object: 'event',
			type: 'generation.completed',
			created: expect.any(String),
			data: { object: (await service.get(`/generations/${id}`)).body },
		});
		const attempt = { event: 'generation.completed', attempt: 1, status: 'succeeded' };
		expect(await attempts(webhook)).toMatchObject([
			{ ...attempt, response_status: 200, next_attempt_at: null },
		]);
	});

	const id = expect.stringMatching(/^evt_/);
	const jobId = expect.stringMatching(/^gen_/);
	const job = { id: jobId, object: 'generation', status: 'completed' };
	const kind = 'generation.completed';

	test.each([
		['flat', { id, event: kind, data: job }],
		['bare', job],
		['typed', { id, event: kind, data: { ...job, type: 'generation' } }],
		['resource', { id, type: kind, resource: job }],
		['data_job', { id, type: kind, data: { job } }],
		['data_job_id', { id, type: kind, data: { job_id: jobId } }],
		[
			'json_api',
			{
				id,
				event: kind,
				data: { id: jobId, type: 'generation', attributes: { status: 'completed' } },
			},
		],
		['data_list', { id, type: kind, data: [job] }],
		['list', [{ id, type: kind, data: { object: job } }]],
	])('has the shape that is set: %s', async (eventShape, shape) => {
		await subscribe();
		await service.admin('PATCH', '/settings', { eventShape });
		await finish();
		expect(receiver.received[0]?.body).toMatchObject(shape);
	});

	test('reaches only webhooks that want it, of its workspace, and is not sent for speech if so set', async () => {
		await subscribe({ events: ['voice.created'] });
		await subscribe({}, service.keys.other);
		await finish();
		await subscribe();
		await service.admin('PATCH', '/settings', { speechEvents: false });
		const { id } = (await service.post('/speech', BODIES.createSpeech)).body;
		service.pass(60);
		const look = async () => await service.get(`/speech/${id}`);
		await service.until(look, ({ status }) => status === 'completed');
		await settle(60);
		expect(receiver.received).toEqual([]);
	});
});

describe('a delivery that fails', () => {
	test('is tried again after 5 s, 30 s, 2 min, 10 min and 1 h with a new timestamp, then given up', async () => {
		receiver.answer = 500;
		const { id, secret } = await subscribe();
		await makeVoice();
		for (const [index, pause] of [5, 30, 120, 600, 3600].entries()) {
			await settle(pause - 1);
			expect(receiver.received).toHaveLength(index + 1);
			await settle(1);
			expect(receiver.accepts(receiver.received.at(-1)!, secret, service.timers.now())).toBe(true);
		}
		await settle(86_400);
		expect(new Set(receiver.received.map(({ raw }) => raw.toString())).size).toBe(1);
		const list = await attempts(id);
		expect(list.map(({ attempt }: { attempt: number }) => attempt)).toEqual([6, 5, 4, 3, 2, 1]);
		const failed = { status: 'failed', response_status: 500 };
		expect(list[0]).toMatchObject({ ...failed, next_attempt_at: null });
		expect(list[1]).toMatchObject({ ...failed, next_attempt_at: expect.any(String) });
	});

	test.each([
		['answered 204', 204, ['succeeded']],
		['answered 302', 302, ['succeeded', 'failed']],
		['not answered', 0, ['succeeded', 'failed']],
	])(
		'%s (%i) comes to the attempts %j, the second to a good receiver',
		async (_how, answer, statuses) => {
			receiver.answer = answer;
			const { id } = await subscribe();
			await makeVoice();
			receiver.answer = 200;
			await settle(10_000);
			const made = (await attempts(id)).map(({ status }: { status: string }) => status);
			expect(made).toEqual(statuses);
		},
	);

	test('is not tried again when the webhook is gone', async () => {
		receiver.answer = 500;
		const { id } = await subscribe();
		await makeVoice();
		await service.call('DELETE', `/webhooks/${id}`);
		await settle(10_000);
		expect(receiver.received).toHaveLength(1);
	});
});

describe('faults of deliveries', () => {
	const fault = async (rule: object) =>
		await service.admin('PUT', '/faults', { rules: [{ times: 1, ...rule }] });

	test.each([
		[{ kind: 'delivery_duplicate', copies: 3 }, 4, 4],
		[{ kind: 'delivery_lose' }, 0, 0],
		[{ kind: 'delivery_delay', seconds: 500 }, 0, 1],
	])(
		'%j: the event has arrived %i times at first, %i times in the end',
		async (rule, soon, late) => {
			const { id } = await subscribe();
			await fault(rule);
			await finish();
			expect(receiver.received).toHaveLength(soon);
			await settle(10_000);
			expect(receiver.received).toHaveLength(late);
			expect(new Set(receiver.received.map(({ body }) => body.id)).size).toBe(Math.min(late, 1));
			// The service believes that what is lost has arrived.
			expect((await attempts(id))[0].status).toBe('succeeded');
			const { body } = await service.admin('GET', '/deliveries');
			expect(body.data.map((each: { fault: string }) => each.fault)).toContain(rule.kind);
		},
	);

	test('reordered: it arrives after the next one', async () => {
		await subscribe();
		await fault({ kind: 'delivery_reorder', seconds: 1000 });
		const [first, second] = [await finish(), await finish()];
		await settle(5);
		expect(receiver.received.map(({ body }) => body.data.object.id)).toEqual([second, first]);
	});

	test('tampered: the receiver notices, and the next attempt is intact', async () => {
		const { secret } = await subscribe();
		await fault({ kind: 'delivery_tamper' });
		receiver.answer = 401;
		await makeVoice();
		await settle(5);
		const { received, accepts } = receiver;
		const now = service.timers.now();
		expect(received.map((each) => accepts(each, secret, now))).toEqual([false, true]);
	});
});
