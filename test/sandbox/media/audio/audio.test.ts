import { render } from '../../../../src/sandbox/media';
import { musicSeconds } from '../../../../src/sandbox/media/audio/music';
import { sfxSeconds } from '../../../../src/sandbox/media/audio/sfx';
import { request } from '../support/request';
import { brightness, correlation, loudness, peak, readWav } from '../support/wav';
import { elementAt } from '../../../../src/sandbox/elementAt';

const AUDIO = ['music', 'sfx', 'speech'] as const;
/** A second and a word, where a test does not say otherwise. */
const short = (wish: Parameters<typeof request>[0]) =>
	request({ durationSeconds: 1, ...(wish.kind === 'speech' && { prompt: 'sunset' }), ...wish });
const play = async (wish: Parameters<typeof request>[0]) =>
	readWav((await render(short(wish))).bytes);

describe.each(AUDIO)('%s', (kind) => {
	it('is a mono WAV of 16 bits that can be heard and does not clip', async () => {
		const media = await render(short({ kind }));
		expect(media).toMatchObject({ mediaType: 'audio/wav', extension: 'wav' });
		const wav = readWav(media.bytes);
		expect(wav).toMatchObject({ channels: 1, sampleRate: 22_050, bitsPerSample: 16 });
		expect(media.durationSeconds).toBe(wav.duration);
		expect(loudness(wav.samples)).toBeGreaterThan(0.02);
		expect(peak(wav.samples)).toBeLessThan(0.95);
	});

	it('is quieter at a lower volume, and louder at a higher one, still without clipping', async () => {
		const at = async (volume: number) => loudness((await play({ kind, volume })).samples);
		const [low, usual, high] = [await at(0.3), await at(1), await at(5)];
		expect(low).toBeCloseTo(usual * 0.3, 2);
		expect(high).toBeGreaterThan(usual * 1.2);
	});
});

describe('music and sound effects', () => {
	it.each([
		[musicSeconds, 3, 3],
		[musicSeconds, undefined, 8],
		[musicSeconds, 10_000, 120],
		[musicSeconds, -5, 1],
		[sfxSeconds, 1.5, 1.5],
		[sfxSeconds, undefined, 2.5],
		[sfxSeconds, 900, 30],
		[sfxSeconds, 0, 0.2],
	])('by %p, %p s asked are %d s', (secondsOf, durationSeconds, expected) => {
		expect(secondsOf({ durationSeconds })).toBe(expected);
	});

	it.each([
		['music', 1.5, 1.5],
		['music', -5, 1],
		['sfx', 0.5, 0.5],
		['sfx', 0, 0.2],
	] as const)('%s of %d s lasts %d s', async (kind, durationSeconds, expected) => {
		expect((await play({ kind, durationSeconds })).duration).toBeCloseTo(expected, 3);
	});

	it.each(['music', 'sfx'] as const)(
		'a loop of %s leads from its end to its beginning',
		async (kind) => {
			const prompt = 'ocean';
			const { samples } = await play({ kind, prompt, loop: true, durationSeconds: 2 });
			const steps = samples.slice(1).map((sample, i) => Math.abs(sample - elementAt(samples, i)));
			const seam = Math.abs(elementAt(samples, 0) - elementAt(samples, samples.length - 1));
			expect(seam).toBeLessThanOrEqual(Math.max(...steps));
			// A loop does not fade out: its last tenth of a second is as loud as others.
			expect(loudness(samples.slice(-2205))).toBeGreaterThan(loudness(samples) * 0.2);
		},
	);

	it('is not what is sung when there are lyrics', async () => {
		const plain = await play({ kind: 'music', durationSeconds: 2 });
		const sung = await play({ kind: 'music', durationSeconds: 2, lyrics: 'la la la, my love' });
		expect(correlation(plain.samples, sung.samples)).toBeLessThan(0.9);
	});

	it('is darker for thunder than for birds', async () => {
		const hear = async (prompt: string) =>
			brightness(await play({ kind: 'sfx', prompt, durationSeconds: 2.5 }));
		const [thunder, birds] = [await hear('thunder'), await hear('birds chirping')];
		expect(birds).toBeGreaterThan(thunder * 3);
	});
});

it('music, sound effects and speech of one prompt have nothing in common', async () => {
	const waves = await Promise.all(AUDIO.map((kind) => play({ kind })));
	for (const [i, a] of waves.entries()) {
		for (const b of waves.slice(i + 1)) expect(correlation(a.samples, b.samples)).toBeLessThan(0.2);
	}
});
