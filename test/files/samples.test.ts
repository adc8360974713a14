import sharp from 'sharp';
import { WaveFile } from 'wavefile';
import { sampleMp4, samplePng, sampleWav } from '../../src/files/samples';

test.each([
	[480, 270],
	[13, 7],
])('a PNG of %i x %i pixels can be decoded', async (width, height) => {
	const { data, info } = await sharp(samplePng(width, height))
		.raw()
		.toBuffer({ resolveWithObject: true });
	expect(info).toMatchObject({ width, height });
	expect(data.length).toBe(width * height * info.channels);
});

test('the WAV has a second of sound', () => {
	const wav = new WaveFile(sampleWav());
	expect(wav.fmt).toMatchObject({ sampleRate: 8_000, numChannels: 1, bitsPerSample: 8 });
	const samples = wav.getSamples() as unknown as ArrayLike<number>;
	expect(samples.length).toBe(8_000);
	expect(new Set(Array.from(samples)).size).toBeGreaterThan(10);
});

test('the MP4 is one of H.264, with its index', () => {
	const text = sampleMp4().toString('latin1');
	expect(text.slice(4, 8)).toBe('ftyp');
	for (const box of ['moov', 'avc1', 'mdat']) expect(text).toContain(box);
});
