/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectedTo, nodeAt } from '../../lab/n8n/canvas';
import { signedHeaders } from './support/signed';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

jest.setTimeout(240_000);

/** Where executions are held until they are let through. */
async function startGate() {
	const held: ServerResponse[] = [];
	const server = createServer((_request, response) => void held.push(response));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
		held,
		letThrough() {
			for (const response of held.splice(0)) response.end('{}');
		},
		close: () => void server.close(),
	};
}

/** At most so many production executions at a time. */
const LIMIT = 2;

/** An n8n with this limit. */
async function startWorld() {
	const gate = await startGate();
	const limit = { N8N_CONCURRENCY_PRODUCTION_LIMIT: String(LIMIT) };
	const instance = await TriggerInstance.start(limit);

	/** A workflow that takes calls, passes the gate if it should, and answers. */
	async function answering(name: string, gated: boolean): Promise<void> {
		const webhook = {
			...nodeAt('Call', 0),
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: name,
			parameters: { path: name, responseMode: gated ? 'onReceived' : 'lastNode' },
		};
		const work = gated
			? { type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2, parameters: { url: gate.url } }
			: { type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} };
		const saved = await instance.rest.workflows.create({
			name,
			nodes: [webhook, { ...nodeAt('Work', 1), ...work }],
			connections: { Call: connectedTo('Work') },
		});
		await instance.rest.workflows.publish(saved);
	}
	await answering('other', false);
	await answering('block', true);

	const call = async (name: string) =>
		await instance.call(`${instance.front.url}webhook/${name}`, { method: 'GET' });

	return {
		instance,
		call,
		/** Does something while every production execution is taken, and lets them go on. */
		async whileFull(work: () => Promise<void>): Promise<void> {
			const blocked = Array.from({ length: LIMIT }, async () => await call('block'));
			await until(() => gate.held.length === LIMIT);
			expect(gate.held).toHaveLength(LIMIT);
			await work();
			const other = call('other');
			gate.letThrough();
			const answers = await Promise.all([other, ...blocked]);
			expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
		},
		async stop(): Promise<void> {
			gate.letThrough();
			await instance.stop();
			gate.close();
		},
	};
}

let world: Awaited<ReturnType<typeof startWorld>>;

beforeAll(async () => {
	world = await startWorld();
});

afterAll(async () => await world?.stop());

test('ten polls while n8n is full start one execution for what has finished', async () => {
	const { instance, whileFull } = world;
	const everySecond = Array.from({ length: 60 }, (_, each) => each);
	const workflow = await instance.pollingTrigger(
		{ statuses: ['completed'], downloadOutputs: false },
		everySecond,
	);
	await instance.rest.workflows.publish(workflow);
	const polls = () =>
		instance.sandbox.service.requests
			.list()
			.filter(({ operation }) => operation === 'listGenerations').length;
	const anImage = { mode: 'image', model: 'studio/image-1', prompt: 'A lighthouse' };
	const make = async () => String((await instance.api('POST', '/generations', anImage)).id);
	await until(() => polls() > 0);
	const made = [await make()];
	expect(await instance.items(workflow, 1)).toHaveLength(1);
	await whileFull(async () => {
		made.push(await make());
		const before = polls();
		await until(() => polls() >= before + 10, 90_000);
		expect(polls()).toBeGreaterThanOrEqual(before + 10);
	});
	expect((await instance.items(workflow, 2)).map(({ id }) => id)).toEqual(made);
	expect(await instance.rest.executions.list(workflow.id)).toHaveLength(2);
	await instance.rest.workflows.unpublish(workflow.id);
});

test('events delivered three times while n8n is full start once each, and everything goes on', async () => {
	const { instance, call, whileFull } = world;
	const workflow = await instance.ourTrigger({ events: ['agent.completed'] });
	await instance.rest.workflows.publish(workflow);
	const url = instance.urlOf(workflow);
	const { secret } = instance.registered(url)[0] ?? { secret: '' };
	const deliver = async (id: string) => {
		const type = 'agent.completed';
		const body = JSON.stringify({ id, type, data: { object: { id: `run_${id}` } } });
		return await instance.call(url, { headers: signedHeaders(secret, body) }, body);
	};
	const events = Array.from({ length: LIMIT }, (_, each) => `evt_${each}`);
	let firsts: Array<ReturnType<typeof deliver>> = [];
	await whileFull(async () => {
		firsts = events.map(deliver);
		const queued = async () => await instance.rest.executions.list(workflow.id, ['new']);
		await until(async () => (await queued()).length === LIMIT);
		expect(await queued()).toHaveLength(LIMIT);
		for (let repeat = 0; repeat < 2; repeat += 1) {
			const started = Date.now();
			const repeats = await Promise.all(events.map(deliver));
			expect(Date.now() - started).toBeLessThan(5_000);
			expect(repeats.map(({ status }) => status)).toEqual(events.map(() => 503));
			for (const { headers } of repeats) {
				expect(Number(headers['retry-after'])).toBeGreaterThan(0);
			}
		}
	});
	expect((await Promise.all(firsts)).map(({ status }) => status)).toEqual(events.map(() => 200));
	const started = await instance.items(workflow, LIMIT);
	expect(started.map(({ eventId }) => String(eventId)).sort()).toEqual(events);

	for (const id of events) expect((await deliver(id)).status).toBe(200);
	expect((await call('other')).status).toBe(200);
	expect(await instance.items(workflow, LIMIT + 1, 3_000)).toHaveLength(LIMIT);
	expect(await instance.rest.executions.list(workflow.id)).toHaveLength(LIMIT);
});
