import type { INodeExecutionData } from 'n8n-workflow';
import { bodiesOf, runExample, saveExample } from './support/examples';
import { keys, rest, sandbox } from './support/harness';
import { download, sniff } from './support/media';
import { startUnattended } from './support/unattended';

beforeEach(async () => await sandbox.reset());

async function kindOf(item: INodeExecutionData | undefined): Promise<string | undefined> {
	return sniff(await download(rest, item?.binary?.data));
}

it('1: an image, a video, music and a spoken line, as it is imported', async () => {
	const items = await runExample(await saveExample('1'));
	const kinds = await Promise.all(items('Collect Media').map(kindOf));
	expect(kinds).toEqual(['image/png', 'video/mp4', 'audio/wav', 'audio/wav']);
	const bodies = await bodiesOf('createGeneration');
	expect(bodies.map(({ model }) => model).sort()).toEqual([
		'service/speech-lite',
		'studio/image-1',
		'studio/music-1',
		'studio/video-1',
	]);
});

it('2: a picture becomes the first frame of a video', async () => {
	const items = await runExample(await saveExample('2'));
	expect(await kindOf(items('Animate Picture')[0])).toBe('video/mp4');
	const [, video] = await bodiesOf('createGeneration');
	expect(video).toMatchObject({ mode: 'video', input: { start_frame: [expect.any(String)] } });
});

it('3: a script becomes one audio file with two voices', async () => {
	const items = await runExample(await saveExample('3'));
	expect(items('Speak Podcast')).toHaveLength(1);
	expect(await kindOf(items('Speak Podcast')[0])).toBe('audio/wav');
	const [{ blocks } = {}] = await bodiesOf('createSpeech');
	expect(blocks).toEqual([
		{ text: 'Welcome back. Tonight we talk about lighthouses.', voice: 'en-US-MarinTurbo' },
		{ text: 'Thank you. I have kept one for forty years.', voice: 'en-US-ColeTurbo' },
		{ text: 'Did you ever miss a night?', voice: 'en-US-MarinTurbo' },
		{ text: 'Not one. The sea does not take days off.', voice: 'en-US-ColeTurbo' },
	]);
});

it('4: one persona in each scene', async () => {
	const items = await runExample(await saveExample('4'));
	const [persona] = items('Create Persona');
	expect(persona?.json).toMatchObject({ object: 'persona', status: 'ready' });
	const scenes = await bodiesOf('createGeneration');
	expect(new Set(scenes.map(({ prompt }) => prompt)).size).toBe(4);
	for (const scene of scenes) expect(scene.persona_id).toBe(persona?.json.id);
	expect(await Promise.all(items('Generate Scene').map(kindOf))).toEqual(
		Array(4).fill('image/png'),
	);
});

it('5: a cloned voice speaks and is removed', async () => {
	const items = await runExample(await saveExample('5'));
	const [voice] = items('Clone Voice');
	const [{ blocks } = {}] = await bodiesOf('createSpeech');
	expect(blocks).toMatchObject([{ voice: voice?.json.id }, { voice: voice?.json.id }]);
	expect(await kindOf(items('Speak With Voice')[0])).toBe('audio/wav');
	expect(items('Remove Voice')[0]?.json).toMatchObject({ deleted: true, id: voice?.json.id });
});

it('11: the report says what is left and what was used, and npm start prints it', async () => {
	const workflow = await saveExample('11');
	const { lines } = await startUnattended(workflow);
	expect(lines).toEqual(
		expect.arrayContaining(['Send Report:', '  Credits left: 10000', '  nothing']),
	);
});

it('11: it warns below the threshold', async () => {
	await sandbox.addCredits(keys.full.workspace, -9_600);
	const items = await runExample(await saveExample('11'));
	expect(items('Report')[0]?.json).toMatchObject({ left: 400, threshold: 500 });
	expect(items('Send Warning')).toHaveLength(1);
	expect(items('Send Report')).toHaveLength(0);
});

it('12: npm start has an event get lost, and what it reported is fetched', async () => {
	const { files } = await startUnattended(await saveExample('12'));
	expect(files).toEqual(['fetch-the-files.png']);
	expect(await sandbox.settings()).toMatchObject({ deliverySchedule: [0, 5, 30, 120, 600, 3600] });
});
