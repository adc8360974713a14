import { anImage, harnessForEach, type Harness } from './support/harness';
import { BODIES, LITE, TURBO } from './support/bodies';

let service: Harness;
harnessForEach((started) => (service = started));

const balance = async () => (await service.get('/credits')).body;
const take = async (amount: number) =>
	await service.admin('POST', '/credits', { workspace: 'studio', amount: -amount });

/** A job when it has ended. */
const ended = async (path: string, body: object) => {
	const { id } = (await service.post(path, body)).body;
	service.pass(60);
	const look = async () => await service.get(`/jobs/${id}`);
	return (await service.until(look, ({ status }) => !['queued', 'pending'].includes(status))).body;
};

const speak = (text: string, model = LITE) => ({ model, blocks: [{ text }] });
const described = (description: string) => ({ source: 'describe', name: 'Owl', description });
const film = (prompt: string) => ({ mode: 'video', model: 'studio/video-1', prompt });
const song = (prompt: string) => ({ mode: 'audio', model: 'studio/music-1', prompt });

/** A kind of job, the credits that it reserves, and what of them it costs. */
const JOBS: Array<[string, string, (text: string) => object, held: number, cost: number]> = [
	['an image', '/generations', (prompt) => anImage({ prompt }), 2, 2],
	['a video', '/generations', film, 8, 8],
	['music', '/generations', song, 10, 10],
	// Of a credit that is not yet full, nothing is spent.
	['lite speech', '/speech', (text) => speak(text), 1, 0],
	['turbo speech', '/speech', (text) => speak(text, TURBO), 1, 1],
	['a described persona', '/personas', described, 5, 5],
];

describe.each(JOBS)('%s', (_kind, path, bodyOf, held, cost) => {
	test('is accepted with 202, reserves its credits, and is paid for when it is done', async () => {
		const { status, body } = await service.post(path, bodyOf('a fox'));
		expect(status).toBe(202);
		expect(body.status).toBe(path === '/personas' ? 'pending' : 'queued');
		expect(await balance()).toMatchObject({ available: 10_000 - held, reserved: held, spent: 0 });
		if (path !== '/personas') expect(body.estimated_credits).toBe(held);
		service.pass(60);
		const look = async () => await service.get(`${path}/${body.id}`);
		const { body: job } = await service.until(look, ({ status: now }) => now !== body.status);
		expect(job.status).toBe(path === '/personas' ? 'ready' : 'completed');
		expect(await balance()).toMatchObject({ available: 10_000 - cost, reserved: 0, spent: cost });
		const { url } = job.outputs?.[0] ?? job.output ?? { url: job.preview_url };
		expect((await fetch(url)).status).toBe(200);
		expect((await service.get(`/jobs/${body.id}`)).body).toEqual(job);
	});

	test('is free where it fails, and is not made without the credits', async () => {
		const { status, errors } = await ended(path, bodyOf('a [fail] fox'));
		expect([status, errors[0].type]).toEqual(['failed', 'generation_failed']);
		expect(await balance()).toMatchObject({ available: 10_000, reserved: 0, spent: 0 });
		await take(10_001 - held);
		// The table of errors has no 402 for a persona: that one fails.
		if (path === '/personas') expect((await ended(path, bodyOf('a fox'))).status).toBe('failed');
		else expect((await service.post(path, bodyOf('a fox'))).status).toBe(402);
		expect(await balance()).toMatchObject({ available: held - 1, reserved: 0 });
	});
});

test('a generation with [partial] keeps all outputs but the last and costs only those', async () => {
	const body = anImage({ prompt: '[partial]', parameters: { count: 4 } });
	const { status, outputs, output_ids, errors } = await ended('/generations', body);
	expect([status, outputs.length, errors.length]).toEqual(['partially_completed', 3, 1]);
	expect(outputs.map(({ id }: { id: string }) => id)).toEqual(output_ids);
	expect(await balance()).toMatchObject({ available: 9_994, reserved: 0, spent: 6 });
});

test('the sixth generation at once is 429 without side effects, until one is done', async () => {
	const create = async (key?: string) => await service.post('/generations', anImage(), { key });
	for (let index = 0; index < 5; index += 1) expect((await create()).status).toBe(202);
	const refused = await create();
	expect([refused.status, refused.body.error.type]).toEqual([429, 'concurrency_limit']);
	expect((await balance()).reserved).toBe(10);
	expect((await create(service.keys.other)).status).toBe(202);
	expect((await service.post('/speech', speak('a'))).status).toBe(202);
	service.pass(60);
	expect((await create()).status).toBe(202);
});

test('speech says its lines, its characters as code points, and its length', async () => {
	const body = { model: LITE, blocks: [{ text: 'Hello 🦊' }, { text: 'Bye' }] };
	const done = await ended('/speech', { ...body, delivery: 'signed_url' });
	expect(done).toMatchObject({ line_count: 2, character_count: 10, duration_seconds: 2 });
	const output = { media_type: 'audio/wav', expires_at: expect.any(String) };
	expect(done.output).toMatchObject(output);
});

test('speech by the lite model costs a credit when its characters have added up to one', async () => {
	const spentAfter = async (path: string, body: object) => {
		await ended(path, body);
		return (await balance()).spent;
	};
	// 300 credits a million: the first credit is full at character 3,334, the second at 6,667.
	expect(await spentAfter('/speech', speak('x'.repeat(3_333)))).toBe(0);
	expect(await spentAfter('/speech', speak(`[fail]${'x'.repeat(3_333)}`))).toBe(0);
	expect(await spentAfter('/speech', speak('x'))).toBe(1);
	expect(await spentAfter('/speech', speak('x'.repeat(3_332)))).toBe(1);
	const prompt = { mode: 'audio', model: LITE, prompt: 'x' };
	expect(await spentAfter('/generations', prompt)).toBe(2);
	expect(await spentAfter('/speech', speak('x'.repeat(1_000_000)))).toBe(302);
});

test('a persona of images is ready at once and free; a described one is used when it is ready', async () => {
	const reference_images = ['https://example.com/a.png'];
	const upload = { source: 'upload', name: 'Fox', reference_images };
	const { status, body } = await service.post('/personas', upload);
	expect([status, body.status, body.reference_images]).toEqual([201, 'ready', reference_images]);
	expect((await balance()).spent).toBe(0);
	const { id: persona_id } = (await service.post('/personas', described('an owl'))).body;
	const use = async () => (await service.post('/generations', anImage({ persona_id }))).status;
	expect(await use()).toBe(400);
	service.pass(60);
	expect(await use()).toBe(202);
});

test('a voice is charged at once, can be heard, spoken with, renamed and deleted', async () => {
	const clone = { kind: 'clone', name: 'Mine', audio_url: 'https://example.com/me.wav' };
	const { status, body } = await service.post('/voices', clone);
	expect(status).toBe(201);
	expect(body).toMatchObject({ name: 'Mine', kind: 'clone', credits_charged: 51 });
	expect((await balance()).spent).toBe(51);
	expect((await fetch(body.preview_url)).status).toBe(200);
	const speakBy = async (model: string) => {
		const blocks = [{ text: 'a', voice: body.id }];
		return (await service.post('/speech', { model, blocks })).status;
	};
	expect([await speakBy(TURBO), await speakBy(LITE)]).toEqual([202, 400]);
	const path = `/voices/${body.id}`;
	const renamed = await service.call('PATCH', path, { body: { name: 'Me' } });
	expect((await service.get('/voices')).body.data).toMatchObject([{ id: body.id, name: 'Me' }]);
	expect((await service.get(path)).body).toEqual(renamed.body);
	const deleted = { id: body.id, object: 'voice', deleted: true };
	expect((await service.call('DELETE', path)).body).toEqual(deleted);
	await take(9_949 - 30);
	expect((await service.post('/voices', BODIES.createVoice)).status).toBe(402);
	expect((await service.get('/voices')).body.data).toEqual([]);
});
