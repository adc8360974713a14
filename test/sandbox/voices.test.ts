import { harnessForEach, type Harness } from './support/harness';

let service: Harness;
harnessForEach((started) => (service = started));

const clone = (more: object = {}) => ({
	kind: 'clone',
	name: 'Mine',
	audio_url: 'https://example.com/me.wav',
	...more,
});
const design = (more: object = {}) => ({
	kind: 'design',
	name: 'Warm',
	description: 'a warm, low voice',
	...more,
});

test('a clone is charged at once, can be heard, read, renamed and deleted', async () => {
	const { status, body } = await service.post('/voices', clone({ noise_reduction: true }));
	expect(status).toBe(201);
	expect(body).toMatchObject({ object: 'voice', name: 'Mine', kind: 'clone', credits_charged: 51 });
	expect((await fetch(body.preview_url)).status).toBe(200);
	expect((await service.get('/credits')).body.spent).toBe(51);
	const renamed = await service.call('PATCH', `/voices/${body.id}`, { body: { name: 'Me' } });
	expect(renamed.body.name).toBe('Me');
	expect((await service.get('/voices')).body.data).toEqual([renamed.body]);
	const deleted = await service.call('DELETE', `/voices/${body.id}`);
	expect(deleted.body).toEqual({ id: body.id, object: 'voice', deleted: true });
	for (const method of ['GET', 'DELETE']) {
		expect((await service.call(method, `/voices/${body.id}`)).status).toBe(404);
	}
	expect((await service.get('/voices')).body.data).toEqual([]);
});

test('402 without the credits, and no voice', async () => {
	await service.admin('POST', '/credits', { workspace: 'studio', amount: -9_970 });
	expect((await service.post('/voices', design())).status).toBe(402);
	expect((await service.get('/voices')).body.data).toEqual([]);
	expect((await service.get('/credits')).body).toMatchObject({ available: 30, spent: 0 });
});

test('creation that takes its time still happens once for a key', async () => {
	await service.admin('PATCH', '/settings', { jobSeconds: { voice: 30 } });
	const headers = { 'idempotency-key': 'v' };
	const all = [1, 2, 3].map(async () => await service.post('/voices', design(), { headers }));
	const look = async () => {
		service.pass(31);
		return await service.get('/voices');
	};
	await service.until(look, ({ data }) => data.length === 1);
	expect(new Set((await Promise.all(all)).map(({ body }) => body.id)).size).toBe(1);
	expect((await service.get('/credits')).body.spent).toBe(31);
});

describe('the preset catalogue', () => {
	const ids = async (query: string) =>
		(await service.get(`/voices/catalog?${query}`)).body.data.map(({ id }: { id: string }) => id);

	test('is the lite model’s by default and names its model', async () => {
		const { body } = await service.get('/voices/catalog');
		expect(body).toMatchObject({ object: 'list', model: 'service/speech-lite' });
		expect(body.data.length).toBeGreaterThan(5);
	});

	test('is as long as it is set, every voice with an id of its own and a sample to hear', async () => {
		await service.admin('PATCH', '/settings', { voices: 2700 });
		const { data } = (await service.get('/voices/catalog')).body;
		expect(new Set(data.map(({ id }: { id: string }) => id)).size).toBe(2700);
		const found = (await service.get('/voices/catalog?search=arthur%2012')).body.data;
		expect(found.map(({ name }: { name: string }) => name)).toContain('Arthur 12');
		const sample = await fetch(found[0].sample_url);
		expect([sample.status, sample.headers.get('content-type')]).toEqual([200, 'audio/wav']);
		expect((await fetch(found[0].sample_url.replace('Arthur', 'Nobody'))).status).toBe(404);
		const blocks = [{ text: 'Hello', voice: found[0].id }];
		const { status } = await service.post('/speech', { model: 'service/speech-lite', blocks });
		expect(status).toBe(202);
	});

	test('is the list that the model catalogue carries', async () => {
		const model = 'vendor/partner/speech-2.8-turbo';
		const { body } = await service.get('/models?mode=audio');
		const entry = body.data.find(({ id }: { id: string }) => id === model);
		const catalog = await service.get(`/voices/catalog?model=${encodeURIComponent(model)}`);
		expect(catalog.body.data).toEqual(entry.capabilities.voices);
	});

	test('filters by locale or base language, by gender and by id or name, in any case', async () => {
		expect(await ids('language=DE')).toEqual(['de-DE-LenaLite', 'de-DE-JonasLite']);
		expect(await ids('language=en-gb')).toEqual(['en-GB-IslaLite', 'en-GB-ArthurLite']);
		expect(await ids('language=de&gender=Male')).toEqual(['de-DE-JonasLite']);
		expect(await ids('search=ARTH')).toEqual(['en-GB-ArthurLite']);
		expect(await ids('search=nobody')).toEqual([]);
		expect((await service.get('/voices/catalog?model=studio/image-1')).status).toBe(400);
	});
});
