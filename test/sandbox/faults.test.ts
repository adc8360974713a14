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
	expect(cut.headers.get('content-length')).toBe('26');
	await expect(cut.arrayBuffer()).rejects.toThrow();
	expect((await (await fetch(url)).text()).length).toBe(26);
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
