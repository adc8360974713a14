import { harnessForEach, startHarness, type Harness } from './support/harness';

const LITE = 'service/speech-lite';
const TURBO = 'vendor/partner/speech-2.8-turbo';

let service: Harness;
harnessForEach((started) => (service = started));

const speak = (text: string, more: object = {}) => ({ model: LITE, blocks: [{ text }], ...more });

const finished = async (body: object) => {
	const { status, body: queued } = await service.post('/speech', body);
	expect(status).toBe(202);
	service.pass(60);
	const look = async () => await service.get(`/speech/${queued.id}`);
	return (await service.until(look, (each) => each.status !== 'queued')).body;
};

const spent = async () => (await service.get('/credits')).body.spent;

test('is queued with counts and the most that it can cost, then completed with one output', async () => {
	const body = speak('Hello', { blocks: [{ text: 'Hello 🦊' }, { text: 'Bye' }] });
	const { body: queued } = await service.post('/speech', body);
	expect(queued).toMatchObject({
		object: 'speech_generation',
		status: 'queued',
		model: LITE,
		line_count: 2,
		character_count: 10,
		estimated_credits: 1,
		duration_seconds: null,
		output: null,
	});
	service.pass(60);
	const look = async () => await service.get(`/jobs/${queued.id}`);
	const { body: done } = await service.until(look, ({ status }) => status === 'completed');
	expect(done).toMatchObject({ duration_seconds: 2, output: { media_type: 'audio/wav' } });
	expect((await fetch(done.output.url)).status).toBe(200);
});

test('a signed output carries its expiry', async () => {
	const { output } = await finished(speak('Hello', { delivery: 'signed_url' }));
	expect(Date.parse(output.expires_at)).toBe(service.timers.now() + 900_000);
});

describe('the lite model is metered exactly to the character', () => {
	test('short requests accumulate toward the next credit', async () => {
		// 300 credits a million: the first credit is full at character 3,334, not before.
		await finished(speak('x'.repeat(3_333)));
		expect(await spent()).toBe(0);
		await finished(speak('x'));
		expect(await spent()).toBe(1);
		// The second is full at character 6,667.
		await finished(speak('x'.repeat(3_332)));
		expect(await spent()).toBe(1);
		await finished(speak('x'));
		expect(await spent()).toBe(2);
	});

	test('a million characters cost 300 credits however they are cut', async () => {
		for (const size of [499_999, 1, 333_333, 166_667]) await finished(speak('x'.repeat(size)));
		expect(await spent()).toBe(300);
	});

	test('the reservation is the most it can cost, and what was not used comes back', async () => {
		const { body } = await service.post('/speech', speak('x'.repeat(3_334)));
		expect(body.estimated_credits).toBe(2);
		expect((await service.get('/credits')).body).toMatchObject({ reserved: 2, available: 9_998 });
		service.pass(60);
		const look = async () => await service.get('/credits');
		await service.until(look, ({ reserved }) => reserved === 0);
		expect((await look()).body).toMatchObject({ available: 9_999, spent: 1 });
	});

	test('characters of a failed request are free and not carried', async () => {
		const failed = await finished(speak(`[fail]${'x'.repeat(3_333)}`));
		expect(failed).toMatchObject({ status: 'failed', output: null });
		await finished(speak('x'.repeat(3_333)));
		expect(await spent()).toBe(0);
	});

	test('speech by POST /generations counts into the same credit', async () => {
		await finished(speak('x'.repeat(3_333)));
		const body = { mode: 'audio', model: LITE, prompt: 'x' };
		await service.post('/generations', body);
		service.pass(60);
		expect(await spent()).toBe(1);
	});
});

test('custom voices are taken by the cloning model only', async () => {
	const withVoice = (model: string, voice: string) => ({ model, blocks: [{ text: 'a', voice }] });
	const design = { kind: 'design', name: 'Mine', description: 'warm' };
	const { id } = (await service.post('/voices', design)).body;
	expect((await service.post('/speech', withVoice(TURBO, id))).status).toBe(202);
	expect((await service.post('/speech', withVoice(LITE, id))).status).toBe(400);
});

test('speech does not count as a concurrent media job', async () => {
	await service.admin('PATCH', '/settings', { concurrentJobs: 1 });
	for (let index = 0; index < 3; index += 1) {
		expect((await service.post('/speech', speak('a'))).status).toBe(202);
	}
});

test('an unknown speech generation is 404', async () => {
	expect((await service.get('/speech/nothing')).status).toBe(404);
});

test('a recording that cannot be made ends the job and is an error where it is read', async () => {
	const render = async () => await Promise.reject(new Error('No synthesizer'));
	const broken = await startHarness({ render });
	const { id } = (await broken.post('/speech', speak('Hello'))).body;
	broken.pass(60);
	const look = async () => await broken.get(`/speech/${id}`);
	const { body } = await broken.until(look, ({ status }) => status !== 'queued');
	expect((await fetch(body.output.url)).status).toBe(500);
	expect(broken.reported).toHaveLength(2);
	await broken.close();
});
