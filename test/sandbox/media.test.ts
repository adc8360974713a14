import sharp from 'sharp';
import { WaveFile } from 'wavefile';

import { render, type Media, type MediaRequest } from '../../sandbox/media';
import { imageSize } from '../../sandbox/media/size';

/** A request with everything that a test does not care about filled in. */
const draw = async (wish: Partial<MediaRequest> & Pick<MediaRequest, 'kind'>) =>
	await render({ prompt: 'A boat', seed: 7, index: 0, size: '64x36', durationSeconds: 1, ...wish });

/** Seconds that a WAV lasts, and how loud it is: the root mean square of its samples, 0 to 1. */
function readWav({ bytes }: Media) {
	const wav = new WaveFile(bytes);
	const { sampleRate } = wav.fmt as { sampleRate: number };
	const samples = Array.from(wav.getSamples(true, Int16Array));
	const squares = samples.reduce((sum, sample) => sum + (sample / 32_768) ** 2, 0);
	return { seconds: samples.length / sampleRate, loudness: Math.sqrt(squares / samples.length) };
}

/** Seconds that an MP4 lasts by its header, in a picture of what size. */
function readMp4({ bytes }: Media) {
	const movie = bytes.indexOf('mvhd');
	const track = bytes.indexOf('avc1', bytes.indexOf('stsd'));
	const seconds = bytes.readUInt32BE(movie + 20) / bytes.readUInt32BE(movie + 16);
	return { seconds, width: bytes.readUInt16BE(track + 28), height: bytes.readUInt16BE(track + 30) };
}

/** What a client may write: nothing, what cannot be drawn or spoken, markup, endless words. */
const PROMPTS = ['', '\0\x1f\ud800\u2028', '-o /etc/passwd', '<svg onload="x"> &#0;', '🦊 日本語'];

test.each([...PROMPTS, 'Ω'.repeat(500)])('an image is made of the prompt %j', async (prompt) => {
	const { bytes } = await draw({ kind: 'image', prompt, references: [Buffer.from('x')] });
	expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 64, height: 36 });
});

test('an image bears its prompt and its references, and is the same for the same seed only', async () => {
	const create = { width: 40, height: 20, channels: 3 as const, background: '#ff0000' };
	const red = await sharp({ create }).webp().toBuffer();
	const size = '300x200';
	const wishes = [{}, {}, { seed: 8 }, { prompt: '' }, { references: [red] }];
	const drawn = wishes.map(async (wish) => await draw({ kind: 'image', size, ...wish }));
	const [one, again, ...others] = (await Promise.all(drawn)).map(({ bytes }) => bytes);
	expect(again).toEqual(one);
	for (const other of others) expect(other.equals(one!)).toBe(false);
});

test.each([
	[{ size: '160x90', aspectRatio: '1:1' }, 160, 90],
	[{ aspectRatio: '9:16', resolution: '1080p' }, 1080, 1920],
	[{ resolution: '4K' }, 2160, 2160],
	[{ size: '9000x4500' }, 4096, 2048],
	[{ size: 'auto', aspectRatio: '0:0', resolution: '?' }, 1024, 1024],
])('an image of %j is %d x %d', (wish, width, height) => {
	expect(imageSize(wish)).toEqual({ width, height });
});

test.each([
	[undefined, 3],
	[60, 12],
])('a video of %p s lasts %d s', async (durationSeconds, expected) => {
	const { seconds, ...size } = readMp4(await draw({ kind: 'video', durationSeconds }));
	expect(size).toEqual({ width: 64, height: 36 });
	expect(seconds).toBeCloseTo(expected, 1);
});

test.each([
	['music', 1.5, 1.5],
	['sfx', 0, 0.2],
] as const)('%s of %p s lasts %d s and is heard', async (kind, durationSeconds, lasts) => {
	const { seconds, loudness } = readWav(await draw({ kind, durationSeconds }));
	expect(seconds).toBe(lasts);
	expect(loudness).toBeGreaterThan(0.01);
});

test('speech is heard, as long and as loud as it is set, and takes any text, block by block', async () => {
	const prompt = 'We all go home.';
	const blocks = [prompt, ...PROMPTS, 'Ω '.repeat(9)].map((text) => ({ text, voice: 'a' }));
	const [usual, slow] = await Promise.all([
		draw({ kind: 'speech', prompt, voice: 'a' }),
		draw({ kind: 'speech', blocks, speed: 0.5, volume: 0.3 }),
	]);
	const { seconds, loudness } = readWav(usual);
	expect(seconds).toBeGreaterThan(0.5);
	expect(loudness).toBeGreaterThan(0.01);
	expect(readWav(slow).seconds).toBeGreaterThan(4 * seconds);
	expect(readWav(slow).loudness).toBeLessThan(0.6 * loudness);
});
