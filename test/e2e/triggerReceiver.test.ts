/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { IDataObject } from 'n8n-workflow';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { shuffle } from '../model/shuffle';
import { slowDown, speedUp } from './support/database';
import { signedHeaders } from './support/signed';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

jest.setTimeout(240_000);

let instance: TriggerInstance;
let workflow: SavedWorkflow;
let url: string;
let secret: string;

beforeAll(async () => {
	instance = await TriggerInstance.start();
	workflow = await instance.ourTrigger({ events: ['generation.completed'] });
	await instance.rest.workflows.publish(workflow);
	url = instance.urlOf(workflow);
	secret = instance.registered(url)[0]?.secret ?? '';
});

afterAll(async () => await instance.stop());

type Headers = Record<string, string | string[]>;

const now = () => Math.floor(Date.now() / 1_000);
const event = (id: string, more: object = {}) =>
	JSON.stringify({
		id,
		type: 'generation.completed',
		data: { object: { id: `gen_${id}` } },
		...more,
	});

const deliver = async (body: string | Buffer, headers: Headers = {}, method = 'POST') =>
	await instance.call(
		url,
		{ method, headers: { ...signedHeaders(secret, body), ...headers } },
		body,
	);

/** How often the workflow was started meanwhile; waits for as many starts as are expected. */
async function started(test: () => Promise<void>, expected = 0): Promise<number> {
	const before = instance.of(workflow).length;
	await test();
	const items =
		expected > 0
			? await instance.items(workflow, before + expected)
			: await instance.items(workflow, before + 1, 300);
	return items.length - before;
}

const BODY = event('refused');
const without = (headers: Headers, name: string, value: string | string[] | undefined): Headers => {
	const rest = { ...headers };
	delete rest[name];
	return value === undefined ? rest : { ...rest, [name]: value };
};

test('what is not signed as n8n got it is refused with 401 and no body, and starts nothing', async () => {
	const boundary = 'x'.repeat(8);
	const form = `--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--\r\n`;
	const packed = gzipSync(BODY);
	const isPacked = { 'content-encoding': 'gzip' };
	const refused = await started(async () => {
		const signed = signedHeaders(secret, BODY);
		const answers = [
			await instance.call(url, {}, BODY),
			await instance.call(url, { headers: signedHeaders('whsec_other', BODY) }, BODY),
			await instance.call(url, { headers: signedHeaders(secret, BODY, now() - 302) }, BODY),
			await instance.call(url, { headers: signed }, `${BODY}\n`),
			await instance.call(url, { headers: { ...signed, ...isPacked } }, packed),
			await deliver(packed, isPacked),
			await deliver(form, { 'content-type': `multipart/form-data; boundary=${boundary}` }),
		];
		const given = answers.map(({ status, body }) => [status, body]);
		expect(given).toEqual(answers.map(() => [401, '']));
	});
	expect(refused).toBe(0);
});

test('what never reaches the node starts nothing and does no harm: other methods, headers and bodies past all bounds', async () => {
	const refused = await started(async () => {
		for (const method of ['GET', 'HEAD', 'PUT']) {
			const { status } = await deliver(method === 'PUT' ? BODY : '', {}, method);
			expect([method, status]).toEqual([method, 404]);
		}
		const many = Array<string>(10_000)
			.fill(`v1=${'0'.repeat(64)}`)
			.join(',');
		expect((await deliver(BODY, { 'webhook-signature': many })).status).toBe(431);
		// Types that n8n parses it reads before the node does; 502 is the front's, when n8n hangs up on
		// the rest of the body.
		const large = Buffer.alloc(17 * 1024 * 1024, 0x20);
		for (const type of ['application/json', 'application/octet-stream']) {
			expect([401, 413, 500, 502]).toContain(
				(await deliver(large, { 'content-type': type })).status,
			);
		}
		expect((await deliver('{"not json')).status).toBe(422);
		const broken = { 'content-type': 'multipart/form-data; boundary=x' };
		expect((await deliver('broken', broken)).status).toBe(400);
	});
	expect(refused).toBe(0);
});

test('what is validly signed starts the workflow whatever the content type, with bytes that are not UTF-8, and without a prototype', async () => {
	const bodies: Array<[string | Buffer, string | undefined]> = [
		[event('json'), 'application/json'],
		[event('text'), 'text/plain'],
		[event('unknown'), 'application/x-unknown'],
		[event('none'), undefined],
		[
			Buffer.concat([
				Buffer.from(event('bytes').slice(0, -1) + ',"x":"'),
				Buffer.from([0xff]),
				Buffer.from('"}'),
			]),
			'application/json',
		],
		[event('proto').replace('{', '{"__proto__":{"polluted":true},'), 'application/json'],
	];
	const count = await started(async () => {
		for (const [body, type] of bodies) {
			const headers = without(signedHeaders(secret, body), 'content-type', type);
			expect((await instance.call(url, { headers }, body)).status).toBe(200);
		}
	}, bodies.length);
	expect(count).toBe(bodies.length);
	expect(JSON.stringify(instance.of(workflow))).not.toContain('polluted');
});

test('each review gate of a run starts the workflow once, though its events have no ID', async () => {
	const gates = await instance.ourTrigger({ events: ['agent.review_required'] });
	await instance.rest.workflows.publish(gates);
	const gateUrl = instance.urlOf(gates);
	const [{ secret: gateSecret } = { secret: '' }] = instance.registered(gateUrl);
	const gate = (spent: number, attempt: number) =>
		JSON.stringify({
			type: 'agent.review_required',
			attempt,
			data: { id: 'run_1', object: 'agent_run', status: 'awaiting_review', spent_credits: spent },
		});
	for (const body of [gate(20, 1), gate(20, 2), gate(30, 1), gate(30, 2), gate(20, 3)]) {
		const headers = signedHeaders(gateSecret, body);
		expect((await instance.call(gateUrl, { headers }, body)).status).toBe(200);
	}
	const items = await instance.items(gates, 2);
	expect(items.map(({ payload }) => (payload as { attempt: number }).attempt)).toEqual([1, 1]);
	await instance.rest.workflows.unpublish(gates.id);
});

/** How often each event of a name has started the workflow. */
function starts(name: string): number[] {
	const counts = new Map<string, number>();
	for (const { eventId } of instance.of(workflow) as IDataObject[]) {
		const id = String(eventId);
		if (id.startsWith(name)) counts.set(id, (counts.get(id) ?? 0) + 1);
	}
	return [...counts.values()];
}

/** Events with 1 to 5 deliveries each, shuffled. */
const deliveriesOf = (name: string, count: number) =>
	shuffle(
		Array.from({ length: count }, (_, each) =>
			Array.from({ length: 1 + (each % 5) }, (_copy, copy) => ({
				id: `${name}_${each}`,
				at: now() - copy,
			})),
		).flat(),
	);

test('of 30 events with n8n killed in between none starts twice, also when all are sent again, and only what n8n was at is lost', async () => {
	const all = deliveriesOf('killed', 30);
	const total = all.length;
	let restarting: Promise<void> | undefined;
	const restart = async () => {
		await instance.crash();
		await instance.up();
	};
	/** 0 where n8n is not there, which the front answers with 502. */
	const send = async (id: string, at = now()) => {
		const body = event(id);
		const headers = signedHeaders(secret, body, at);
		const answer = await instance.call(url, { headers }, body).catch(() => undefined);
		return answer?.status ?? 0;
	};
	/** As the service does: what is not answered 2xx is sent again. */
	const worker = async () => {
		for (let next = all.pop(); next; next = all.pop()) {
			if (all.length < total / 2) restarting ??= restart();
			while ((await send(next.id, next.at)) !== 200) {
				await restarting;
				await sleep(50);
			}
		}
	};
	await Promise.all(Array.from({ length: 8 }, worker));
	const underWay = async () => await instance.rest.executions.list(workflow.id, ['new', 'running']);
	await until(async () => (await underWay()).length === 0, 60_000);
	for (let each = 0; each < 30; each += 1) expect(await send(`killed_${each}`)).toBe(200);
	expect(await send('after')).toBe(200);
	await until(() => starts('after').length > 0);
	const counts = starts('killed');
	expect(counts.filter((count) => count > 1)).toEqual([]);
	// What n8n has answered and was still at when it was killed it shows as crashed; nobody sends it again.
	const crashed = await instance.rest.executions.list(workflow.id, ['crashed']);
	expect(30 - counts.length).toBeLessThanOrEqual(crashed.length);
});

/** A sender without a front between, so that n8n notices when it hangs up. */
function sendDirectly(id: string): { status: Promise<number>; hangUp: () => void } {
	const body = event(id);
	const outgoing = request({
		host: '127.0.0.1',
		port: instance.direct.port,
		path: new URL(url).pathname,
		method: 'POST',
		headers: signedHeaders(secret, body),
		agent: false,
	});
	const status = new Promise<number>((resolve, reject) => {
		outgoing.on('response', (response) => {
			response.resume();
			resolve(response.statusCode ?? 0);
		});
		outgoing.on('error', reject);
	});
	outgoing.end(body);
	return { status, hangUp: () => void outgoing.destroy() };
}

const count = (id: string) => instance.of(workflow).filter(({ eventId }) => eventId === id).length;

const failures = () => instance.log().split('Error in handling webhook request').length - 1;

test('a repeat that comes while n8n is still at the first delivery is refused at once, and starts later what n8n failed to start', async () => {
	const { userFolder } = instance.direct;
	await slowDown(userFolder);
	// A sender that gives up while n8n is still at making the execution.
	const { status, hangUp } = sendDirectly('evt_early');
	const given = expect(status).rejects.toThrow('hang up');
	await sleep(500);
	hangUp();
	await given;
	const before = failures();
	// With a 2xx the service would never send it again.
	expect(await sendDirectly('evt_early').status).toBe(503);
	await until(() => failures() > before, 120_000);
	await speedUp(userFolder);
	expect(await sendDirectly('evt_early').status).toBe(200);
	await until(() => count('evt_early') > 0);
	await sleep(1_000);
	expect(count('evt_early')).toBe(1);
});
