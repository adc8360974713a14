import { anImage, harnessForEach, type Harness } from './support/harness';

let service: Harness;
harnessForEach((started) => (service = started));

test('a reset brings back state and settings of the start, and the same ids', async () => {
	const first = (await service.post('/generations', anImage())).body.id;
	await service.admin('PATCH', '/settings', { concurrentJobs: 1, clockScale: 7 });
	await service.admin('PUT', '/faults', { rules: [{ kind: 'storm' }] });
	expect((await service.admin('POST', '/reset')).status).toBe(200);
	expect((await service.get('/generations')).body.data).toEqual([]);
	expect((await service.admin('GET', '/settings')).body).toMatchObject({
		concurrentJobs: 5,
		clockScale: 1,
	});
	expect((await service.post('/generations', anImage())).body.id).toBe(first);
});

test('settings are shown with every default, and a wrong one changes nothing', async () => {
	const { body: before } = await service.admin('GET', '/settings');
	expect(before).toMatchObject({ personaImages: 'schema', eventShape: 'nested', voices: 12 });
	for (const change of [{ eventShape: 'round' }, { nothing: 1 }, { concurrentJobs: 0 }]) {
		expect((await service.admin('PATCH', '/settings', change)).status).toBe(400);
	}
	expect((await service.admin('GET', '/settings')).body).toEqual(before);
	const { body } = await service.admin('PATCH', '/settings', { nothing: 1 });
	expect(body.error).toMatchObject({ type: 'invalid_request' });
	for (const name of Object.keys(before)) expect(body.error.message).toContain(name);
});

test('a group of settings is changed field by field', async () => {
	const { body } = await service.admin('PATCH', '/settings', { jobSeconds: { image: 1 } });
	expect(body.jobSeconds).toMatchObject({ image: 1, video: 40 });
});

test('a new clock scale holds for what is pending, too', async () => {
	await service.admin('PATCH', '/settings', { jobJitter: 0, jobSeconds: { image: 100 } });
	const { id } = (await service.post('/generations', anImage())).body;
	service.pass(50);
	await service.admin('PATCH', '/settings', { clockScale: 10 });
	const status = async () => (await service.get(`/generations/${id}`)).body.status;
	service.pass(4.9);
	expect(await status()).toBe('queued');
	service.pass(0.2);
	expect(await status()).toBe('completed');
});

test('credits are added, and taken away down to 0', async () => {
	const change = async (amount: number) =>
		(await service.admin('POST', '/credits', { workspace: 'studio', amount })).body;
	expect(await change(5)).toEqual({ available: 10_005, reserved: 0, spent: 0 });
	expect(await change(-99_999)).toEqual({ available: 0, reserved: 0, spent: 0 });
	const unknown = { workspace: 'nowhere', amount: 1 };
	expect((await service.admin('POST', '/credits', unknown)).status).toBe(404);
	expect((await service.admin('POST', '/credits', { amount: 1.5 })).status).toBe(400);
});

test('a top-up entitles a workspace, as any historical one does; taking credits away does not', async () => {
	const key = service.keys.unentitled;
	await service.admin('POST', '/credits', { workspace: 'trial', amount: -5 });
	expect((await service.get('/credits', { key })).status).toBe(403);
	await service.admin('POST', '/credits', { workspace: 'trial', amount: 1 });
	expect((await service.get('/credits', { key })).status).toBe(200);
	await service.admin('POST', '/credits', { workspace: 'trial', amount: -99_999 });
	expect((await service.get('/credits', { key })).status).toBe(200);
});

test('the ledger shows every movement of a workspace', async () => {
	await service.post('/generations', anImage());
	service.pass(60);
	const { body } = await service.admin('GET', '/ledger?workspace=studio');
	expect(body.balance).toEqual({ available: 9_998, reserved: 0, spent: 2 });
	expect(body.lines.map(({ movement }: { movement: string }) => movement)).toEqual([
		'grant',
		'reserve',
		'spend',
	]);
});

test('requests are recorded without the key', async () => {
	await service.post('/generations', anImage(), { headers: { 'idempotency-key': 'mine' } });
	const { body } = await service.admin('GET', '/requests');
	expect(body.data[0]).toMatchObject({
		method: 'POST',
		path: '/v1/generations',
		operation: 'createGeneration',
		workspace: 'studio',
		status: 202,
		answered: true,
		idempotencyKey: 'mine',
		authorized: true,
		body: anImage(),
	});
	expect(JSON.stringify(body)).not.toContain(service.keys.all);
});

test('a workspace loses and regains its entitlement', async () => {
	await service.admin('PATCH', '/workspaces/studio', { entitled: false });
	expect((await service.get('/credits')).status).toBe(403);
	await service.admin('PATCH', '/workspaces/studio', { entitled: true });
	expect((await service.get('/credits')).status).toBe(200);
});

describe('settings for what the specification leaves open', () => {
	const set = async (change: object) => {
		expect((await service.admin('PATCH', '/settings', change)).status).toBe(200);
	};
	test('modelChecks', async () => {
		const body = anImage({ parameters: { lyrics: 'la', size: 'large' } });
		expect((await service.post('/generations', body)).status).toBe(400);
		await set({ modelChecks: false });
		expect((await service.post('/generations', body)).status).toBe(202);
		const video = {
			mode: 'video',
			model: 'studio/video-1',
			prompt: 'rain',
			parameters: { duration: '-1' },
		};
		expect((await service.post('/generations', video)).status).toBe(202);
	});

	test('paginateAll', async () => {
		for (const brief of ['a', 'b', 'c']) await service.post('/agents/runs', { brief });
		expect((await service.get('/agents/runs?limit=2')).body).toMatchObject({ has_more: false });
		await set({ paginateAll: true });
		const first = (await service.get('/agents/runs?limit=2')).body;
		expect(first).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
		const next = await service.get(`/agents/runs?limit=2&cursor=${first.next_cursor}`);
		expect(next.body.data).toHaveLength(1);
	});
});

test('GET /jobs/{id} asks for any scope that reads', async () => {
	for (const [key, scope] of [
		['k', 'usage:read'],
		['w', 'files:write'],
	]) {
		await service.admin('POST', '/keys', { key, workspace: 'studio', scopes: [scope] });
	}
	const status = async (key: string) => (await service.get('/jobs/x', { key })).status;
	expect([await status('k'), await status('w')]).toEqual([404, 403]);
});

test('usage is summed by mode, also since an instant', async () => {
	await service.post('/generations', anImage({ parameters: { count: 2 } }));
	service.pass(60);
	const since = new Date(service.timers.now()).toISOString();
	await service.post('/generations', { mode: 'audio', model: 'studio/sfx-1', prompt: 'rain' });
	service.pass(60);
	expect((await service.get('/usage')).body).toMatchObject({
		object: 'usage',
		data: [
			{ mode: 'image', jobs: 1, outputs: 2, credits: 4 },
			{ mode: 'audio', jobs: 1, outputs: 1, credits: 3 },
		],
		total_credits: 7,
	});
	const recent = (await service.get(`/usage?since=${since}`)).body;
	expect(recent.data).toEqual([{ mode: 'audio', jobs: 1, outputs: 1, credits: 3 }]);
	expect((await service.get('/usage?since=soon')).status).toBe(400);
});
