import type { Clock } from '../../sandbox/clock';
import { Idempotency } from '../../sandbox/http/idempotency';
import { noPersistence } from '../../sandbox/store';
import { anImage, harnessForEach, type Harness } from './support/harness';

let service: Harness;
harnessForEach((started) => (service = started));

const create = async (idempotencyKey: string, body: object = anImage(), key?: string) =>
	await service.post('/generations', body, { key, headers: { 'idempotency-key': idempotencyKey } });

const count = async () => (await service.get('/generations')).body.data.length;

test('a repeat gives the same answer and nothing is charged twice', async () => {
	const first = await create('a');
	service.pass(60);
	const second = await create('a', {
		prompt: 'a fox in the snow',
		model: 'studio/image-1',
		mode: 'image',
	});
	expect(second.body).toEqual(first.body);
	expect(second.status).toBe(202);
	expect(await count()).toBe(1);
	expect((await service.get('/credits')).body.spent).toBe(2);
});

test('another body under the same key is 400', async () => {
	await create('a');
	const { status, body } = await create('a', anImage({ prompt: 'a dog' }));
	expect(status).toBe(400);
	expect(body.error.message).toContain('Idempotency-Key');
});

test('two at once make one generation and get the same answer', async () => {
	const answers = await Promise.all(Array.from({ length: 8 }, async () => await create('a')));
	expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
	expect(await count()).toBe(1);
});

test('a refusal is not stored: the same key works once the reason is gone', async () => {
	await service.admin('POST', '/credits', { workspace: 'studio', amount: -10_000 });
	expect((await create('a')).status).toBe(402);
	await service.admin('POST', '/credits', { workspace: 'studio', amount: 100 });
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
	const file = { filename: 'a.png', content_type: 'image/png', size: 1 };
	const upload = await service.post('/files', file, { headers: { 'idempotency-key': 'a' } });
	expect(upload.status).toBe(201);
});

test('255 characters are accepted, 256 are 400', async () => {
	expect((await create('k'.repeat(255))).status).toBe(202);
	expect((await create('k'.repeat(256))).status).toBe(400);
});

test('a body out of the database is the same body, whatever its prototype', async () => {
	const clock = { now: () => 0, milliseconds: (seconds: number) => seconds * 1_000 } as Clock;
	const idempotency = new Idempotency(clock, noPersistence);
	const reply = { status: 202, body: {} };
	const kept = Object.assign(Object.create(null) as object, { prompt: 'a fox' });
	idempotency.restore([{ id: 'a', body: kept, at: 0, reply }]);
	const run = jest.fn();
	expect(await idempotency.once('a', { prompt: 'a fox' }, run)).toBe(reply);
	expect(run).not.toHaveBeenCalled();
});
