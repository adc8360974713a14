/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectedTo, nodeAt } from '../../lab/n8n/canvas';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { signedHeaders } from './support/signed';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

jest.setTimeout(400_000);

const SIX_MINUTES = 6 * 60 * 1_000;

/** n8n's wall clock goes ahead by as many ms as stand in this file. */
const offsetFile = path.join(tmpdir(), `mediagen-clock-${process.pid}`);
const clockFile = `${offsetFile}.cjs`;

const CLOCK = `
	const { readFileSync } = require('node:fs');
	const realNow = Date.now;
	let offset = 0;
	Date.now = () => realNow() + offset;
	setInterval(() => (offset = Number(readFileSync(process.env.CLOCK_OFFSET, 'utf8'))), 50).unref();
`;

let offset = 0;

async function passMinutes(ms: number): Promise<void> {
	offset += ms;
	writeFileSync(offsetFile, String(offset));
	await sleep(500);
}

/** Where executions are held until it is opened. */
async function startGate() {
	const held: ServerResponse[] = [];
	let isOpen = false;
	const server = createServer((_request, response) => {
		if (isOpen) response.end('{}');
		else held.push(response);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
		held,
		open() {
			isOpen = true;
			for (const response of held) response.end('{}');
		},
		close: () => void server.close(),
	};
}

describe.each([1, 5])('with at most %i production executions at a time', (limit) => {
	let instance: TriggerInstance;
	let gate: Awaited<ReturnType<typeof startGate>>;

	beforeAll(async () => {
		offset = 0;
		writeFileSync(offsetFile, '0');
		writeFileSync(clockFile, CLOCK);
		gate = await startGate();
		instance = await TriggerInstance.start({
			N8N_CONCURRENCY_PRODUCTION_LIMIT: String(limit),
			NODE_OPTIONS: `--require ${clockFile}`,
			CLOCK_OFFSET: offsetFile,
		});
	});

	afterAll(async () => {
		gate.open();
		await instance.stop();
		gate.close();
	});

	/** A workflow that takes calls, passes the gate if it should, and answers. */
	async function answering(name: string, gated: boolean): Promise<SavedWorkflow> {
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
		return saved;
	}

	const call = async (name: string) =>
		await instance.call(`${instance.front.url}webhook/${name}`, { method: 'GET' });

	test('an event delivered three times over 12 minutes and 30 polls while n8n is full start one execution each, and everything goes on', async () => {
		const byEvent = await instance.ourTrigger({ events: ['agent.completed'] });
		const seconds = Array.from({ length: 30 }, (_, each) => 2 * each);
		const byPolling = await instance.pollingTrigger(
			{ statuses: ['completed'], downloadOutputs: false },
			seconds,
		);
		await instance.rest.workflows.publish(byEvent);
		await instance.rest.workflows.publish(byPolling);
		await answering('other', false);
		await answering('block', true);
		const polls = () =>
			instance.sandbox.service.requests
				.list()
				.filter(({ operation }) => operation === 'listGenerations').length;
		await until(() => polls() > 0);

		const blocked = Array.from({ length: limit }, async () => await call('block'));
		await until(() => gate.held.length === limit);
		expect(gate.held).toHaveLength(limit);

		const url = instance.urlOf(byEvent);
		const { secret } = instance.registered(url)[0] ?? { secret: '' };
		const events = Array.from({ length: limit }, (_, each) => `evt_${each}`);
		const deliver = async (id: string) => {
			const type = 'agent.completed';
			const body = JSON.stringify({ id, type, data: { object: { id: `run_${id}` } } });
			const at = Math.floor((Date.now() + offset) / 1_000);
			return await instance.call(url, { headers: signedHeaders(secret, body, at) }, body);
		};
		const firsts = events.map(deliver);
		await sleep(2_000);
		for (let repeat = 0; repeat < 2; repeat += 1) {
			await passMinutes(SIX_MINUTES);
			const started = Date.now();
			const repeats = await Promise.all(events.map(deliver));
			expect(Date.now() - started).toBeLessThan(5_000);
			expect(repeats.map(({ status }) => status)).toEqual(events.map(() => 503));
			for (const { headers } of repeats) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
		}

		const anImage = { mode: 'image', model: 'studio/image-1', prompt: 'A lighthouse' };
		const { id: generation } = await instance.api('POST', '/generations', anImage);
		const before = polls();
		await until(() => polls() >= before + 30, 90_000);
		expect(polls()).toBeGreaterThanOrEqual(before + 30);

		const other = call('other');
		gate.open();
		expect((await other).status).toBe(200);
		expect((await Promise.all([...firsts, ...blocked])).map(({ status }) => status)).toEqual(
			[...firsts, ...blocked].map(() => 200),
		);
		const started = await instance.items(byEvent, limit);
		expect(started.map(({ eventId }) => String(eventId)).sort()).toEqual(events);
		expect((await instance.items(byPolling, 1)).map(({ id }) => id)).toEqual([generation]);
		expect(await instance.rest.executions.list(byPolling.id)).toHaveLength(1);

		for (const id of events) expect((await deliver(id)).status).toBe(200);
		expect((await call('other')).status).toBe(200);
		expect(await instance.items(byEvent, limit + 1, 3_000)).toHaveLength(limit);
		expect(await instance.rest.executions.list(byEvent.id)).toHaveLength(limit);
	});
});
