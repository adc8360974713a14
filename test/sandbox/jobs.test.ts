import { anImage, harnessForEach, type Harness } from './support/harness';
import { LITE, TURBO } from './support/bodies';

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

/** What a kind of job begins and ends as, what it reserves, and what of that it costs. */
const JOBS: Array<
	[
		string,
		string,
		(text: string) => object,
		begun: string,
		done: string,
		held: number,
		cost: number,
	]
> = [
	['an image', '/generations', (prompt) => anImage({ prompt }), 'queued', 'completed', 2, 2],
	['a video', '/generations', film, 'queued', 'completed', 8, 8],
	['music', '/generations', song, 'queued', 'completed', 10, 10],
	// Of a credit that is not yet full, nothing is spent.
	['lite speech', '/speech', (text) => speak(text), 'queued', 'completed', 1, 0],
	['turbo speech', '/speech', (text) => speak(text, TURBO), 'queued', 'completed', 1, 1],
	['a described persona', '/personas', described, 'pending', 'ready', 5, 5],
];

describe.each(JOBS)('%s', (_kind, path, bodyOf, begun, done, held, cost) => {
	test('is accepted with 202, reserves its credits, and is paid for when it is done', async () => {
		const { status, body } = await service.post(path, bodyOf('a fox'));
		expect([status, body.status]).toEqual([202, begun]);
		expect(await balance()).toMatchObject({ available: 10_000 - held, reserved: held, spent: 0 });
		if (path !== '/personas') expect(body.estimated_credits).toBe(held);
		service.pass(60);
		const look = async () => await service.get(`${path}/${body.id}`);
		const { body: job } = await service.until(look, (each) => each.status === done);
		expect(await balance()).toMatchObject({ available: 10_000 - cost, reserved: 0, spent: cost });
		const { url } = job.outputs?.[0] ?? job.output ?? { url: job.preview_url };
		expect((await fetch(url)).status).toBe(200);
		expect((await service.get(`/jobs/${body.id}`)).body).toEqual(job);
	});

	test('is free where it fails, and says why', async () => {
		const { status, errors } = await ended(path, bodyOf('a [fail] fox'));
		expect(status).toBe('failed');
		expect(errors[0]).toMatchObject({ type: 'generation_failed', message: expect.any(String) });
		expect(await balance()).toMatchObject({ available: 10_000, reserved: 0, spent: 0 });
	});

	test('is not made without the credits', async () => {
		await take(10_001 - held);
		const { status, body } = await service.post(path, bodyOf('a fox'));
		// The table of errors has no 402 for a persona: that one fails.
		if (path === '/personas') expect((await ended(path, bodyOf('a fox'))).status).toBe('failed');
		else expect([status, body.error.type]).toEqual([402, 'insufficient_credits']);
		expect(await balance()).toMatchObject({ available: held - 1, reserved: 0 });
		expect((await service.get('/generations')).body.data).toEqual([]);
	});
});

describe('a generation', () => {
	test('with [partial] keeps all outputs but the last and costs only those', async () => {
		const body = anImage({ prompt: '[partial]', parameters: { count: 4 } });
		const { status, outputs, output_ids, errors } = await ended('/generations', body);
		expect([status, outputs.length, errors.length]).toEqual(['partially_completed', 3, 1]);
		expect(outputs.map(({ id }: { id: string }) => id)).toEqual(output_ids);
		expect(await balance()).toMatchObject({ available: 9_994, reserved: 0, spent: 6 });
	});

	test('is the sixth at once: 429 without side effects, until one is done', async () => {
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
});

describe('speech', () => {
	test('says its lines, its characters as code points, and its length', async () => {
		const body = { model: LITE, blocks: [{ text: 'Hello 🦊' }, { text: 'Bye' }] };
		const about = { object: 'speech_generation', line_count: 2, character_count: 10 };
		const { body: queued } = await service.post('/speech', body);
		expect(queued).toMatchObject({ ...about, duration_seconds: null, output: null });
		const media = { media_type: 'audio/wav', expires_at: expect.any(String) };
		expect(await ended('/speech', { ...body, delivery: 'signed_url' })).toMatchObject({
			...about,
			duration_seconds: 2,
			output: media,
		});
	});

	test('by the lite model costs a credit when its characters have added up to one', async () => {
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
});

describe('a persona', () => {
	test('of images is ready at once and free', async () => {
		const reference_images = ['https://example.com/a.png'];
		const { status, body } = await service.post('/personas', {
			source: 'upload',
			name: 'Fox',
			reference_images,
		});
		expect([status, body.status, body.reference_images]).toEqual([201, 'ready', reference_images]);
		expect((await balance()).spent).toBe(0);
	});

	test('is used when it is ready, not before', async () => {
		const { id } = (await service.post('/personas', described('an owl'))).body;
		const use = async () =>
			(await service.post('/generations', anImage({ persona_id: id }))).status;
		expect(await use()).toBe(400);
		service.pass(60);
		expect(await use()).toBe(202);
	});
});

describe('a voice', () => {
	const design = { kind: 'design', name: 'Warm', description: 'a warm, low voice' };

	test('is charged at once, can be heard, spoken with, read, renamed and deleted', async () => {
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
		expect((await service.get('/voices')).body.data).toEqual([renamed.body]);
		expect(renamed.body.name).toBe('Me');
		const deleted = { id: body.id, object: 'voice', deleted: true };
		expect((await service.call('DELETE', path)).body).toEqual(deleted);
		expect((await service.get(path)).status).toBe(404);
	});

	test('is not made without the credits', async () => {
		await take(9_970);
		expect((await service.post('/voices', design)).status).toBe(402);
		expect((await service.get('/voices')).body.data).toEqual([]);
		expect(await balance()).toMatchObject({ available: 30, spent: 0 });
	});
});
