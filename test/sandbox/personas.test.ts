import { anImage, harnessForEach, type Harness } from './support/harness';

let service: Harness;
harnessForEach((started) => (service = started));

const images = (count: number) =>
	Array.from({ length: count }, (_, index) => `https://example.com/${index}.png`);
const upload = (more: object = {}) => ({
	source: 'upload',
	name: 'Fox',
	reference_images: images(3),
	...more,
});
const described = (more: object = {}) => ({
	source: 'describe',
	name: 'Owl',
	description: 'an owl with glasses',
	...more,
});

test('of images it is ready at once and free', async () => {
	const { status, body } = await service.post('/personas', upload());
	expect(status).toBe(201);
	expect(body).toMatchObject({ object: 'persona', status: 'ready', reference_images: images(3) });
	expect((await service.get('/credits')).body.spent).toBe(0);
});

test('of a description it is pending, then ready with a portrait that was paid for', async () => {
	const { status, body } = await service.post('/personas', described());
	expect(status).toBe(202);
	expect(body).toMatchObject({ status: 'pending', preview_url: null });
	expect((await service.get('/credits')).body.reserved).toBe(5);
	const early = await service.post('/generations', anImage({ persona_id: body.id }));
	expect(early.status).toBe(400);
	service.pass(60);
	const { body: ready } = await service.get(`/jobs/${body.id}`);
	expect(ready.status).toBe('ready');
	expect((await fetch(ready.preview_url)).status).toBe(200);
	expect((await service.get('/credits')).body).toMatchObject({ reserved: 0, spent: 5 });
	const used = await service.post('/generations', anImage({ persona_id: body.id }));
	expect(used.status).toBe(202);
});

test('a failed one is free and gives the reason', async () => {
	const { body } = await service.post('/personas', described({ description: '[fail]' }));
	service.pass(60);
	const { body: failed } = await service.get(`/personas/${body.id}`);
	expect(failed).toMatchObject({ status: 'failed', errors: [{ message: expect.any(String) }] });
	expect((await service.get('/credits')).body).toMatchObject({ reserved: 0, spent: 0 });
});

test('without credits a described one fails', async () => {
	await service.admin('POST', '/credits', { workspace: 'studio', amount: -9_999 });
	const { status, body } = await service.post('/personas', described());
	expect(status).toBe(202);
	service.pass(60);
	expect((await service.get(`/personas/${body.id}`)).body.status).toBe('failed');
});

test('it can be renamed, shared or not, and deleted', async () => {
	const { id } = (await service.post('/personas', upload())).body;
	const patch = async (body: object) => await service.call('PATCH', `/personas/${id}`, { body });
	expect((await patch({ name: 'Vixen', shared: false })).body.name).toBe('Vixen');
	expect((await patch({})).body.name).toBe('Vixen');
	expect((await patch({ name: 'n'.repeat(81) })).status).toBe(400);
	expect((await service.call('DELETE', `/personas/${id}`)).status).toBe(200);
	expect((await service.get(`/personas/${id}`)).status).toBe(404);
	expect((await service.get(`/jobs/${id}`)).status).toBe(404);
});

test('deleted while it is made it is gone, and its reservation is settled', async () => {
	const { id } = (await service.post('/personas', described())).body;
	await service.call('DELETE', `/personas/${id}`);
	service.pass(60);
	expect((await service.get(`/personas/${id}`)).status).toBe(404);
	expect((await service.get('/credits')).body.reserved).toBe(0);
});

test.each([
	[400, 2],
	[201, 3],
	[201, 10],
	[400, 11],
])('creation is %i with %i images where the guide holds', async (status, count) => {
	await service.admin('PATCH', '/settings', { personaImages: 'guide' });
	const body = upload({ reference_images: images(count) });
	expect((await service.post('/personas', body)).status).toBe(status);
});
