/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { IDataObject } from 'n8n-workflow';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { sign } from '../../src/events/signature';
import { shuffle } from '../../testing/shuffle';
import { slowDown, speedUp } from './support/database';
import { signedHeaders } from './support/signed';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

jest.setTimeout(600_000);

let instance: TriggerInstance;
let workflow: SavedWorkflow;
let url: string;
let secret: string;

beforeAll(async () => {
	// n8n sets up an isolate for every delivery otherwise, which takes longer than all the rest.
	instance = await TriggerInstance.start({ N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' });
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
const T = () => String(now());
const hex = () => sign(secret, T(), BODY).slice(3);

const SIGNATURES: Array<[name: string, signature: () => string | string[] | undefined]> = [
	['none', () => undefined],
	['empty', () => ''],
	['no digits', () => 'v1='],
	['63 digits', () => `v1=${hex().slice(1)}`],
	['65 digits', () => `v1=${hex()}0`],
	['not hex', () => `v1=${'g'.repeat(64)}`],
	['not ASCII', () => `v1=${'é'.repeat(64)}`],
	['only v0', () => `v0=${hex()}`],
	['only v2', () => `v2=${hex()}`],
	['bare hex', () => hex()],
	['base64', () => `v1=${Buffer.from(hex(), 'hex').toString('base64')}`],
	[
		'100 wrong ones',
		() =>
			Array<string>(100)
				.fill(`v1=${'0'.repeat(64)}`)
				.join(','),
	],
	['over 8 KiB before a valid one', () => `${'x'.repeat(8_200)} v1=${hex()}`],
	['of another secret', () => sign('whsec_other', T(), BODY)],
	['of the secret with a blank', () => sign(`${secret} `, T(), BODY)],
];

const TIMESTAMPS: Array<[name: string, timestamp: () => string | string[] | undefined]> = [
	['none', () => undefined],
	['abc', () => 'abc'],
	['milliseconds', () => String(Date.now())],
	['with a plus', () => `+${T()}`],
	['1e9', () => '1e9'],
	['hex', () => '0x65531f80'],
	['twice', () => [T(), T()]],
	['negative', () => `-${T()}`],
	['2^53', () => '9007199254740992'],
	['NaN', () => 'NaN'],
	['301 s old', () => String(now() - 302)],
	['301 s ahead', () => String(now() + 302)],
	['the dot moved out of the body', () => `${T()}.1`],
];

const without = (headers: Headers, name: string, value: string | string[] | undefined): Headers => {
	const rest = { ...headers };
	delete rest[name];
	return value === undefined ? rest : { ...rest, [name]: value };
};

describe('is refused with 401 and no body, and starts nothing', () => {
	test('a signature that is malformed, missing or of another secret', async () => {
		const refused = await started(async () => {
			for (const [name, signature] of SIGNATURES) {
				const headers = without(signedHeaders(secret, BODY), 'webhook-signature', signature());
				const { status, body } = await instance.call(url, { headers }, BODY);
				expect([name, status, body]).toEqual([name, 401, '']);
			}
		});
		expect(refused).toBe(0);
	});

	test('a timestamp that is malformed, missing or too far away, though validly signed', async () => {
		const refused = await started(async () => {
			for (const [name, timestamp] of TIMESTAMPS) {
				const value = timestamp();
				const signed = sign(secret, Array.isArray(value) ? (value[0] ?? '') : (value ?? ''), BODY);
				const headers = without({ 'webhook-signature': signed }, 'webhook-timestamp', value);
				const { status, body } = await instance.call(url, { headers }, BODY);
				expect([name, status, body]).toEqual([name, 401, '']);
			}
		});
		expect(refused).toBe(0);
	});

	test('a body other than the signed one', async () => {
		const refused = await started(async () => {
			const headers = signedHeaders(secret, BODY);
			for (const body of [event('other'), `${BODY}\n`, `\ufeff${BODY}`, ` ${BODY}`, '{}', '']) {
				expect((await instance.call(url, { headers }, body)).status).toBe(401);
			}
		});
		expect(refused).toBe(0);
	});

	test('multipart and packed bodies', async () => {
		const boundary = 'x'.repeat(8);
		const form = `--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--\r\n`;
		const refused = await started(async () => {
			const type = `multipart/form-data; boundary=${boundary}`;
			expect((await deliver(form, { 'content-type': type })).status).toBe(401);
			const packed = gzipSync(BODY);
			const signed = { ...signedHeaders(secret, BODY), 'content-encoding': 'gzip' };
			expect((await instance.call(url, { headers: signed }, packed)).status).toBe(401);
			expect((await deliver(packed, { 'content-encoding': 'gzip' })).status).toBe(401);
		});
		expect(refused).toBe(0);
	});
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
	});
	expect(refused).toBe(0);
});

describe('validly signed', () => {
	test('a delivery that is not an event is accepted and starts nothing', async () => {
		const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
		const deepObject = `{"id":"evt_deep","a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
		const ignored = await started(async () => {
			for (const body of ['', '[]', 'null', '"text"', '1', deep, deepObject]) {
				const { status } = await deliver(body);
				expect([body.slice(0, 20), status]).toEqual([body.slice(0, 20), 200]);
			}
			const text = { 'content-type': 'text/plain' };
			expect((await deliver('{"not json', text)).status).toBe(200);
			expect((await deliver(Buffer.from([0, 0xff, 0x80]), text)).status).toBe(200);
		});
		expect(ignored).toBe(0);
	});

	test('it starts the workflow whatever the content type, with bytes that are not UTF-8, and without a prototype', async () => {
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

	test('a valid signature among bad ones is enough', async () => {
		const count = await started(async () => {
			const bad = `v1=${'0'.repeat(64)}`;
			const [first, second] = [event('before'), event('after')];
			await deliver(first, { 'webhook-signature': `${sign(secret, T(), first)},${bad}` });
			await deliver(second, { 'webhook-signature': `${bad}, ${sign(secret, T(), second)}` });
		}, 2);
		expect(count).toBe(2);
	});

	test('a replay and a repeat with a new timestamp are answered 200 and start nothing more', async () => {
		const count = await started(async () => {
			const body = event('again');
			const headers = signedHeaders(secret, body);
			const replies = [
				await instance.call(url, { headers }, body),
				await instance.call(url, { headers }, body),
				await deliver(body, signedHeaders(secret, body, now() - 30)),
			];
			expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
		}, 1);
		expect(count).toBe(1);
	});

	test('an unknown kind of event is emitted', async () => {
		const before = instance.of(workflow).length;
		await deliver(event('kind', { type: 'generation.archived' }));
		expect((await instance.items(workflow, before + 1)).slice(before)).toMatchObject([
			{ event: 'generation.archived', eventId: 'kind' },
		]);
	});
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

test('100 events, each delivered 1 to 5 times, shuffled and at once, start the workflow 100 times', async () => {
	const all = deliveriesOf('bulk', 100);
	const statuses = new Set<number>();
	const worker = async () => {
		for (let next = all.pop(); next; next = all.pop()) {
			const body = event(next.id);
			const headers = signedHeaders(secret, body, next.at);
			const send = async () => (await instance.call(url, { headers }, body)).status;
			let status = await send();
			// A repeat of one that n8n is still at is put off; the service sends it again.
			for (; status === 503; status = await send()) await sleep(50);
			statuses.add(status);
		}
	};
	await Promise.all(Array.from({ length: 16 }, worker));
	expect([...statuses]).toEqual([200]);
	await until(() => starts('bulk').length === 100, 60_000);
	expect(starts('bulk')).toEqual(Array<number>(100).fill(1));
});

test('of 60 events with n8n killed in between none starts twice, also when all are sent again, and only what n8n was at is lost', async () => {
	const all = deliveriesOf('killed', 60);
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
	for (let each = 0; each < 60; each += 1) expect(await send(`killed_${each}`)).toBe(200);
	expect(await send('after')).toBe(200);
	await until(() => starts('after').length > 0);
	const counts = starts('killed');
	expect(counts.filter((count) => count > 1)).toEqual([]);
	// What n8n has answered and was still at when it was killed it shows as crashed; nobody sends it again.
	const crashed = await instance.rest.executions.list(workflow.id, ['crashed']);
	expect(60 - counts.length).toBeLessThanOrEqual(crashed.length);
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

/** A sender that gives up while n8n is still at making the execution. */
async function deliverAndGiveUp(id: string, { refuse }: { refuse: boolean }): Promise<void> {
	await slowDown(instance.direct.userFolder, { refuse });
	const { status, hangUp } = sendDirectly(id);
	const given = expect(status).rejects.toThrow('hang up');
	await sleep(500);
	hangUp();
	await given;
}

const recover = async () => await speedUp(instance.direct.userFolder);

test('an event whose sender gave up before n8n failed to start it starts the workflow when it is repeated', async () => {
	const before = failures();
	await deliverAndGiveUp('evt_lost', { refuse: true });
	await until(() => failures() > before, 120_000);
	expect(failures()).toBe(before + 1);
	await recover();
	expect(count('evt_lost')).toBe(0);
	expect(await sendDirectly('evt_lost').status).toBe(200);
	await until(() => count('evt_lost') > 0);
	expect(await sendDirectly('evt_lost').status).toBe(200);
	await sleep(1_000);
	expect(count('evt_lost')).toBe(1);
});

test('an event that n8n has started after all is not started again for a sender that gave up', async () => {
	await deliverAndGiveUp('evt_slow', { refuse: false });
	await until(() => count('evt_slow') > 0, 120_000);
	await recover();
	expect(await sendDirectly('evt_slow').status).toBe(200);
	await sleep(1_000);
	expect(count('evt_slow')).toBe(1);
});

test('a repeat that comes while n8n is still at the first delivery is refused at once, and starts later what n8n failed to start', async () => {
	await deliverAndGiveUp('evt_early', { refuse: true });
	const before = failures();
	// With a 2xx the service would never send it again.
	expect(await sendDirectly('evt_early').status).toBe(503);
	await until(() => failures() > before, 120_000);
	await recover();
	expect(await sendDirectly('evt_early').status).toBe(200);
	await until(() => count('evt_early') > 0);
	await sleep(1_000);
	expect(count('evt_early')).toBe(1);
});
