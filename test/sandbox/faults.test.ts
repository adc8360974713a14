import { anImage, harnessForEach, type Harness } from './support/harness';

let service: Harness;
harnessForEach((started) => (service = started));

const faults = async (...rules: object[]) => {
	const { status } = await service.admin('PUT', '/faults', { rules });
	expect(status).toBe(200);
};

/** A request whose answer need not be one of the document. */
const plain = async (path: string, body?: object, key = 'k') =>
	await fetch(service.sandbox.baseUrl + path, {
		method: body ? 'POST' : 'GET',
		headers: {
			authorization: `Bearer ${service.keys.all}`,
			...(body && { 'content-type': 'application/json', 'idempotency-key': key }),
		},
		body: body && JSON.stringify(body),
	});

const count = async () => (await service.get('/generations')).body.data.length;

test('an answer lost before the commit leaves nothing behind', async () => {
	await faults({ kind: 'lost_before', operations: ['createGeneration'], times: 1 });
	await expect(plain('/generations', anImage())).rejects.toThrow();
	expect(await count()).toBe(0);
	expect((await plain('/generations', anImage())).status).toBe(202);
});

test('an answer lost after the commit is given again to the same key, and charged once', async () => {
	await faults({ kind: 'lost_after', operations: ['createGeneration'], times: 1 });
	await expect(plain('/generations', anImage())).rejects.toThrow();
	expect(await count()).toBe(1);
	expect((await plain('/generations', anImage())).status).toBe(202);
	expect(await count()).toBe(1);
	expect((await service.get('/credits')).body.reserved).toBe(2);
});

test.each(['status_before', 'status_after'])('%s answers the status given', async (kind) => {
	await faults({ kind, status: 502, retryAfter: '7', operations: ['createGeneration'], times: 1 });
	const answer = await plain('/generations', anImage());
	expect(answer.status).toBe(502);
	expect(answer.headers.get('retry-after')).toBe('7');
	expect(await answer.json()).toMatchObject({ error: { request_id: expect.any(String) } });
	expect(await count()).toBe(kind === 'status_after' ? 1 : 0);
});

test.each([undefined, '1', '-1', 'NaN', '1e9', 'Wed, 21 Oct 2026 07:28:00 GMT'])(
	'a storm of 429 with Retry-After %s has no side effects',
	async (retryAfter) => {
		await faults({ kind: 'storm', retryAfter, times: 3 });
		for (let index = 0; index < 3; index += 1) {
			const { status, headers } = await service.post('/generations', anImage());
			expect([status, headers.get('retry-after')]).toEqual([429, retryAfter ?? null]);
		}
		expect(await count()).toBe(0);
	},
);

test('a truncated body ends before its length', async () => {
	await faults({ kind: 'truncate', operations: ['getCredits'], times: 1 });
	const answer = await plain('/credits');
	expect(answer.status).toBe(200);
	await expect(answer.text()).rejects.toThrow();
});

test('a slow answer takes service seconds', async () => {
	await faults({ kind: 'slow', operations: ['getCredits'], seconds: 30, times: 1 });
	let done = false;
	const answer = service.get('/credits').then(() => (done = true));
	await service.until(
		async () => await service.admin('GET', '/faults'),
		({ rules }) => rules[0].hits === 1,
	);
	service.pass(29);
	await service.admin('GET', '/faults');
	expect(done).toBe(false);
	service.pass(1);
	await answer;
});

test('jobs fail, or fail in part, by rule', async () => {
	await faults(
		{ kind: 'job_fail', contains: 'dog' },
		{ kind: 'job_partial', model: 'studio/image-2' },
	);
	const status = async (body: object) => {
		const { id } = (await service.post('/generations', body)).body;
		service.pass(60);
		return (await service.get(`/generations/${id}`)).body.status;
	};
	const two = { parameters: { count: 2 } };
	expect(await status(anImage({ prompt: 'a dog' }))).toBe('failed');
	expect(await status(anImage(two))).toBe('completed');
	expect(await status(anImage({ ...two, model: 'studio/image-2' }))).toBe('partially_completed');
});

test('links expire early and downloads are cut', async () => {
	const { id } = (await service.post('/generations', anImage())).body;
	service.pass(60);
	const { url } = (await service.get(`/generations/${id}`)).body.outputs[0];
	await faults({ kind: 'expired_link', times: 1 }, { kind: 'cut_download', times: 1 });
	expect((await fetch(url)).status).toBe(403);
	const cut = await fetch(url);
	expect(cut.headers.get('content-length')).toBe('26');
	await expect(cut.arrayBuffer()).rejects.toThrow();
	expect((await (await fetch(url)).text()).length).toBe(26);
});

test('the same seed strikes the same requests', async () => {
	const struck = async () => {
		await service.sandbox.reset();
		await service.admin('PATCH', '/settings', { requestsPerMinute: 1000 });
		await faults({ kind: 'storm', probability: 0.3 });
		const statuses: number[] = [];
		for (let index = 0; index < 40; index += 1) {
			statuses.push((await service.get('/credits')).status);
		}
		return statuses;
	};
	const first = await struck();
	expect(new Set(first)).toEqual(new Set([200, 429]));
	expect(await struck()).toEqual(first);
});

test('skip and times bound a rule, and its hits are shown', async () => {
	await faults({ kind: 'storm', skip: 2, times: 1 });
	const statuses = [];
	for (let index = 0; index < 5; index += 1) statuses.push((await service.get('/credits')).status);
	expect(statuses).toEqual([200, 200, 429, 200, 200]);
	const { body } = await service.admin('GET', '/faults');
	expect(body.rules[0]).toMatchObject({ kind: 'storm', seen: 5, hits: 1 });
});

test('a bad rule is refused and the old ones stay', async () => {
	await faults({ kind: 'storm', times: 0 });
	const { status } = await service.admin('PUT', '/faults', { rules: [{ kind: 'earthquake' }] });
	expect(status).toBe(400);
	expect((await service.admin('GET', '/faults')).body.rules).toHaveLength(1);
});
