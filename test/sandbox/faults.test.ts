/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { BODIES, OPERATIONS } from './support/bodies';
import { anImage, harnessForEach, type Harness } from './support/harness';

let service: Harness;
harnessForEach((started) => {
	service = started;
});

const faults = async (...rules: object[]) => await service.admin('PUT', '/faults', { rules });

/** A creation under one key, whose answer need not be one of the document; undefined where it was cut off. */
const create = async () => {
	const headers = { 'idempotency-key': 'k' };
	const url = `${service.sandbox.baseUrl}/generations`;
	return await service.send('POST', url, { body: anImage(), headers }).catch(() => undefined);
};

const count = async () => (await service.get('/generations')).body.data.length;

/** Faults of a request, what the client sees (0 is no answer), and how many generations there are then. */
const STRIKES: Array<[rule: { kind: string; [field: string]: unknown }, number, number]> = [
	[{ kind: 'lost_before' }, 0, 0],
	[{ kind: 'lost_after' }, 0, 1],
	[{ kind: 'status_before', status: 502, retryAfter: '7' }, 502, 0],
	[{ kind: 'status_after', status: 502, retryAfter: '7' }, 502, 1],
	[{ kind: 'storm', retryAfter: '~!"NaN' }, 429, 0],
	[{ kind: 'truncate' }, 0, 1],
];

test.each(STRIKES)(
	'%j: the answer is %i, %i are made; repeated it is one',
	async (rule, status, made) => {
		await faults({ ...rule, operations: ['createGeneration'], times: 1 });
		const answer = await create();
		expect(answer?.status ?? 0).toBe(status);
		expect(answer?.headers.get('retry-after') ?? undefined).toBe(rule.retryAfter);
		expect(await count()).toBe(made);
		expect((await create())?.status).toBe(202);
		expect(await count()).toBe(1);
		expect((await service.get('/credits')).body.reserved).toBe(2);
	},
);

test('jobs fail, or fail in part, by rule', async () => {
	await faults(
		{ kind: 'job_fail', contains: 'dog' },
		{ kind: 'job_partial', model: 'studio/image-2' },
	);
	const status = async (more: object) => {
		const body = anImage({ parameters: { count: 2 }, ...more });
		const { id } = (await service.post('/generations', body)).body;
		service.pass(60);
		return (await service.get(`/generations/${id}`)).body.status;
	};
	expect(await status({ prompt: 'a dog' })).toBe('failed');
	expect(await status({})).toBe('completed');
	expect(await status({ model: 'studio/image-2' })).toBe('partially_completed');
});

test('links expire early and downloads are cut', async () => {
	const { id } = (await service.post('/generations', anImage())).body;
	service.pass(60);
	const { url } = (await service.get(`/generations/${id}`)).body.outputs[0];
	await faults({ kind: 'expired_link', times: 1 }, { kind: 'cut_download', times: 1 });
	expect((await fetch(url)).status).toBe(403);
	const cut = await fetch(url);
	expect(cut.headers.get('content-length')).toBe('34');
	await expect(cut.arrayBuffer()).rejects.toThrow();
	expect((await (await fetch(url)).text()).length).toBe(34);
});

/** A status of no document, when it shows, and what the webhook is told of the end. */
const STRANGE: Array<[path: string, when: string, event: string | undefined]> = [
	['/generations', 'running', 'generation.completed'],
	['/speech', 'running', 'generation.completed'],
	['/personas', 'running', 'persona.ready'],
	['/agents/runs', 'running', 'agent.review_required'],
	['/generations', 'ended', undefined],
	['/speech', 'ended', undefined],
	['/personas', 'ended', undefined],
	['/agents/runs', 'ended', undefined],
];

test.each(STRANGE)(
	'of %s a status that no document names shows while it is %s',
	async (...given) => {
		const [path, when, event] = given;
		const { service: inside } = service.sandbox;
		const emitted = jest.spyOn(inside.dispatcher, 'emit');
		await faults({ kind: 'job_status', status: 'on_hold', when, times: 1 });
		const { name } = OPERATIONS.find((one) => one.method === 'POST' && one.path === path)!;
		const url = service.sandbox.baseUrl;
		const body = { ...BODIES[name], ...(path === '/agents/runs' && { auto_approve: true }) };
		const { id, status } = (await service.send('POST', url + path, { body })).body;
		const isRunning = when === 'running';
		expect(status === 'on_hold').toBe(isRunning);
		const { available } = inside.ledger.balance('studio');
		service.pass(300);
		const read = async () => await service.send('GET', `${url}/jobs/${id}`, {});
		await service.until(read, () => inside.ledger.balance('studio').reserved === 0);
		expect((await read()).body.status === 'on_hold').toBe(!isRunning);
		expect(emitted.mock.calls.map(([, kind]) => kind)).toEqual(event === undefined ? [] : [event]);
		// What has not ended well gives back what it had reserved, but for an agent's steps that were made.
		if (!isRunning) expect(inside.ledger.balance('studio').available).toBeGreaterThan(available);
	},
);

test('a storage answers an error in XML, is slow, or falls silent, up and down', async () => {
	const bytes = Buffer.from('x'.repeat(100));
	const file = { filename: 'a.png', content_type: 'image/png', size: bytes.length };
	const { upload_url, upload_headers, url } = (await service.post('/files', file)).body;
	const put = async () =>
		await fetch(upload_url, { method: 'PUT', headers: upload_headers, body: bytes });
	const strike = async (rule: object) => await faults({ times: 1, ...rule });
	/** Asks for something that takes its time, which passes while the service waits for it. */
	const slowly = async (ask: () => Promise<Response>) => {
		const begun = service.timers.now();
		const atRest = service.timers.pending;
		let isOver = false;
		const answer = ask().finally(() => {
			isOver = true;
		});
		while (!isOver) {
			await new Promise((resolve) => setTimeout(resolve, 1));
			if (service.timers.pending > atRest) service.pass(1);
		}
		return [(await answer).status, Math.round((service.timers.now() - begun) / 60_000)];
	};
	for (const code of ['ExpiredToken', 'RequestTimeout']) {
		await strike({ kind: 'storage_status', code });
		const refused = await put();
		expect([refused.status, refused.headers.get('content-type')]).toEqual([
			400,
			'application/xml; charset=utf-8',
		]);
		expect(await refused.text()).toContain(`<Code>${code}</Code>`);
	}
	await strike({ kind: 'storage_deaf', operations: ['upload'] });
	const signal = AbortSignal.timeout(100);
	const silent = fetch(upload_url, { method: 'PUT', headers: upload_headers, body: bytes, signal });
	await expect(silent).rejects.toThrow('aborted');
	await strike({ kind: 'storage_slow', operations: ['upload'], seconds: 180 });
	expect(await slowly(put)).toEqual([200, 3]);

	await strike({ kind: 'storage_status', operations: ['readFile'], status: 503, code: 'SlowDown' });
	expect((await fetch(url)).status).toBe(503);
	await strike({ kind: 'storage_slow', seconds: 300 });
	const whole = async () => {
		const answer = await fetch(url);
		expect(await answer.text()).toBe(bytes.toString());
		return answer;
	};
	expect(await slowly(whole)).toEqual([200, 5]);
	await strike({ kind: 'storage_deaf' });
	await expect(fetch(url, { signal: AbortSignal.timeout(100) })).rejects.toThrow('aborted');
	await strike({ kind: 'storage_deaf', bytes: 7 });
	const begun = await fetch(url);
	expect(begun.headers.get('content-length')).toBe('100');
	const reader = begun.body!.getReader();
	expect(Buffer.from((await reader.read()).value!).toString()).toBe('xxxxxxx');
	await reader.cancel();
	await whole();
	const { data } = (await service.admin('GET', '/requests')).body;
	const struck = data.map((entry: { fault: string | null }) => entry.fault);
	expect(struck).toEqual(
		expect.arrayContaining(['storage_status', 'storage_deaf', 'storage_slow']),
	);
});

test('skip, times and probability bound a rule, a workspace has its own, and a seed repeats them', async () => {
	const struck = async (rule: object) => {
		await service.sandbox.reset();
		await faults({ kind: 'storm', workspace: 'studio', ...rule });
		const statuses: number[] = [];
		for (let index = 0; index < 30; index += 1)
			statuses.push((await service.get('/credits')).status);
		expect((await service.get('/credits', { key: service.keys.other })).status).toBe(200);
		return statuses;
	};
	expect((await struck({ skip: 2, times: 1 })).slice(0, 5)).toEqual([200, 200, 429, 200, 200]);
	const { body } = await service.admin('GET', '/faults');
	expect(body.rules[0]).toMatchObject({ kind: 'storm', seen: 30, hits: 1 });
	const some = await struck({ probability: 0.3 });
	expect(new Set(some)).toEqual(new Set([200, 429]));
	expect(await struck({ probability: 0.3 })).toEqual(some);
});

describe('scenes', () => {
	const play = async (name: string) => {
		const { scenes } = (await service.admin('GET', '/forms')).body.faults;
		const scene = scenes.find((each: { name: string }) => each.name === name);
		const rules = scene.rules.map((rule: object) => ({ ...rule, name }));
		expect((await faults(...rules)).body.rules).toMatchObject(rules);
	};

	test('429 storm', async () => {
		await play('429 storm');
		const answers = [await create(), await service.get('/credits')];
		expect(answers.map((answer) => answer?.status)).toEqual([429, 429]);
		expect(answers[1]?.headers.get('retry-after')).toBe('2');
	});

	test('Outage, of files too', async () => {
		const { id } = (await service.post('/generations', anImage())).body;
		service.pass(60);
		const [{ url }] = (await service.get(`/generations/${id}`)).body.outputs;
		await play('Outage');
		expect([(await create())?.status, (await fetch(url)).status]).toEqual([503, 503]);
	});

	test('Lost answer, of the next that makes something', async () => {
		await play('Lost answer');
		await service.get('/credits');
		expect(await create()).toBeUndefined();
		expect((await create())?.status).toBe(202);
		expect(await count()).toBe(1);
	});

	test('Slow jobs', async () => {
		await service.admin('PATCH', '/settings', { jobJitter: 0 });
		await play('Slow jobs');
		const { id } = (await service.post('/generations', anImage())).body;
		const status = async () => (await service.get(`/generations/${id}`)).body.status;
		service.pass(600);
		expect(await status()).toBe('queued');
		service.pass(10);
		expect(await status()).toBe('completed');
	});

	test('Expired links', async () => {
		const { id } = (await service.post('/generations', anImage())).body;
		service.pass(60);
		const [{ url }] = (await service.get(`/generations/${id}`)).body.outputs;
		await play('Expired links');
		expect((await fetch(url)).status).toBe(403);
	});
});
