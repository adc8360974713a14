import { anImage, harnessForEach, type Harness } from './support/harness';
import { BODIES, LITE, TURBO } from './support/bodies';

let service: Harness;
harnessForEach((started) => {
	service = started;
});

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
		if (path === '/personas') {
			const message = 'This needs 5 credits; the workspace has 4 available.';
			const unpaid = [{ type: 'insufficient_credits', message }];
			expect(await ended(path, bodyOf('a fox'))).toMatchObject({
				status: 'failed',
				errors: unpaid,
			});
		} else expect((await service.post(path, bodyOf('a fox'))).status).toBe(402);
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

test('speech by the lite model costs a credit when its characters have added up to one', async () => {
	const spentAfter = async (text: string) => {
		await ended('/speech', speak(text));
		return (await balance()).spent;
	};
	// 300 credits a million: the first credit is full at character 3,334.
	expect(await spentAfter('x'.repeat(3_333))).toBe(0);
	expect(await spentAfter(`[fail]${'x'.repeat(3_333)}`)).toBe(0);
	expect(await spentAfter('🦊')).toBe(1);
	expect(await spentAfter('x'.repeat(1_000_000))).toBe(301);
});

test('a voice of null is the default of the model, as none is', async () => {
	const body = { model: TURBO, blocks: [{ text: 'a', voice: null }, { text: 'b' }] };
	expect(await ended('/speech', body)).toMatchObject({ status: 'completed', line_count: 2 });
});

test('a voice is charged at once, and not made without the credits', async () => {
	const clone = { kind: 'clone', name: 'Mine', audio_url: 'https://example.com/me.wav' };
	const { status, body } = await service.post('/voices', clone);
	expect([status, body.credits_charged, (await balance()).spent]).toEqual([201, 51, 51]);
	expect((await fetch(body.preview_url)).status).toBe(200);
	await take(9_949 - 30);
	expect((await service.post('/voices', BODIES.createVoice)).status).toBe(402);
	expect((await service.get('/voices')).body.data).toHaveLength(1);
});
