import { BODIES } from './support/bodies';
import { anImage, harnessForEach, type Harness } from './support/harness';

let service: Harness;
harnessForEach((started) => {
	service = started;
});

const create = async (idempotencyKey: string, body: object = anImage(), key?: string) =>
	await service.post('/generations', body, { key, headers: { 'idempotency-key': idempotencyKey } });

test('a repeat gives the same answer and nothing is charged twice', async () => {
	const first = await create('a');
	service.pass(60);
	// The same fields in another order.
	const { mode, model, prompt } = anImage();
	const second = await create('a', { prompt, model, mode });
	expect([second.status, second.body]).toEqual([202, first.body]);
	expect((await service.get('/generations')).body.data).toHaveLength(1);
	expect((await service.get('/credits')).body.spent).toBe(2);
});

test('another body under the same key is 400, and so is a key of more than 255 characters', async () => {
	await create('a');
	const { status, body } = await create('a', anImage({ prompt: 'a dog' }));
	expect(status).toBe(400);
	expect(body.error.message).toContain('Idempotency-Key');
	expect((await create('k'.repeat(255))).status).toBe(202);
	expect((await create('k'.repeat(256))).status).toBe(400);
});

test('a repeat while the first is under way waits for it, and gets the same answer', async () => {
	await service.admin('PATCH', '/settings', { jobSeconds: { voice: 30 } });
	const headers = { 'idempotency-key': 'v' };
	const all = [1, 2, 3].map(
		async () => await service.post('/voices', BODIES.createVoice, { headers }),
	);
	const look = async () => {
		service.pass(31);
		return await service.get('/voices');
	};
	await service.until(look, ({ data }) => data.length === 1);
	expect(new Set((await Promise.all(all)).map(({ body }) => body.id)).size).toBe(1);
	expect((await service.get('/credits')).body.spent).toBe(31);
});

test('a refusal is not stored: the same key works once the reason is gone', async () => {
	const give = async (amount: number) =>
		await service.admin('POST', '/credits', { workspace: 'studio', amount });
	await give(-10_000);
	expect((await create('a')).status).toBe(402);
	await give(100);
	expect((await create('a')).status).toBe(202);
});

test('a key is stored for 24 hours', async () => {
	const first = await create('a');
	service.pass(24 * 3600 - 1);
	expect((await create('a')).body.id).toBe(first.body.id);
	service.pass(2);
	expect((await create('a')).body.id).not.toBe(first.body.id);
});

test('keys are per workspace and path', async () => {
	const first = await create('a');
	const other = await create('a', anImage(), service.keys.other);
	expect(other.body.id).not.toBe(first.body.id);
	const headers = { 'idempotency-key': 'a' };
	expect((await service.post('/speech', BODIES.createSpeech, { headers })).status).toBe(202);
});
