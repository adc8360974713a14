import sharp from 'sharp';

import { render, type Media, type MediaRequest } from '../../sandbox/media';
import { imageSize } from '../../sandbox/media/size';

/** A request with everything that a test does not care about filled in. */
const draw = async (wish: Partial<MediaRequest> & Pick<MediaRequest, 'kind'>) =>
	await render({ prompt: 'A boat', seed: 7, index: 0, size: '64x36', durationSeconds: 1, ...wish });

/** Seconds that a WAV lasts, and how loud it is: the root mean square of its samples, 0 to 1. */
function readWav({ bytes }: Media) {
	expect(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
	expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
	let sum = 0;
	for (let at = 44; at < bytes.length; at += 2) sum += (bytes.readInt16LE(at) / 32_768) ** 2;
	const seconds = bytes.readUInt32LE(40) / bytes.readUInt32LE(28);
	return { seconds, loudness: Math.sqrt((2 * sum) / (bytes.length - 44)) };
}

/** What an MP4 says of itself, and the kinds of its frames: 5 is a key frame (H.264, table 7-1). */
function readMp4({ bytes }: Media) {
	const movie = bytes.indexOf('mvhd');
	const track = bytes.indexOf('avc1', bytes.indexOf('stsd'));
	const data = bytes.indexOf('mdat') + 4;
	const end = data + bytes.readUInt32BE(data - 8) - 8;
	const kinds = new Set<number>();
	for (let at = data; at < end; at += 4 + bytes.readUInt32BE(at))
		kinds.add(bytes.readUInt8(at + 4) & 31);
	return {
		brand: bytes.toString('latin1', 4, 12),
		seconds: bytes.readUInt32BE(movie + 20) / bytes.readUInt32BE(movie + 16),
		width: bytes.readUInt16BE(track + 28),
		height: bytes.readUInt16BE(track + 30),
		kinds: [...kinds],
	};
}

/** Reads the file, and fails where it is damaged or is not as large or as long as was said. */
async function open(kind: string, media: Media): Promise<void> {
	const { width, height, durationSeconds } = media;
	if (kind === 'video') expect(readMp4(media)).toMatchObject({ width, height });
	else if (kind !== 'image') expect(readWav(media).seconds).toBe(durationSeconds);
	else expect(await sharp(media.bytes).metadata()).toMatchObject({ format: 'png', width, height });
}

/** What a client may write: nothing, what cannot be drawn or spoken, markup, endless words. */
const PROMPTS = [
	'',
	'\0\x1f\ud800\u2028',
	'-o /etc/passwd',
	'<svg onload="x"> &#0;',
	'🦊 日本語',
	'Ω'.repeat(500),
];

test.each(PROMPTS)('an image is made of the prompt %j', async (prompt) => {
	await open('image', await draw({ kind: 'image', prompt, references: [Buffer.from('x')] }));
});

test.each(['image', 'video', 'sfx'] as const)(
	'another %s is made for another number, the same one for the same',
	async (kind) => {
		const [one, again, another] = await Promise.all(
			[0, 0, 2].map(async (index) => await draw({ kind, index, seed: 7 + index })),
		);
		await open(kind, one!);
		// The instant at which it was made stands in a film.
		if (kind === 'video') expect(again!.bytes).toHaveLength(one!.bytes.length);
		else expect(again!.bytes.equals(one!.bytes)).toBe(true);
		expect(another!.bytes.equals(one!.bytes)).toBe(false);
	},
);

test.each([
	[{ size: '160x90', aspectRatio: '1:1' }, 160, 90],
	[{ aspectRatio: '16:9', resolution: '90p' }, 160, 90],
	[{ aspectRatio: '9:16', resolution: '1080p' }, 1080, 1920],
	[{ resolution: '4K' }, 2160, 2160],
	[{ size: '16x300' }, 16, 256],
	[{ size: '9000x4500' }, 4096, 2048],
	[{ size: 'auto', aspectRatio: '0:0', resolution: '?' }, 1024, 1024],
])('an image of %j is %d x %d', (wish, width, height) => {
	expect(imageSize(wish)).toEqual({ width, height });
});

test('an image bears its prompt in white letters, and its references', async () => {
	const create = { width: 40, height: 20, channels: 3 as const, background: '#ff0000' };
	const red = await sharp({ create }).webp().toBuffer();
	/** How many pixels of an image are white, and how many red. */
	const count = async (prompt: string, references: Buffer[]) => {
		const { bytes } = await draw({ kind: 'image', prompt, size: '300x200', references });
		const pixels = await sharp(bytes).raw().toBuffer();
		const found = { white: 0, red: 0 };
		for (let at = 0; at < pixels.length; at += 3) {
			const [r = 0, g = 0, b = 0] = [pixels[at], pixels[at + 1], pixels[at + 2]];
			if (Math.min(r, g, b) > 235) found.white += 1;
			if (r > 250 && g + b < 10) found.red += 1;
		}
		return found;
	};
	const [plain, full] = await Promise.all([count('', []), count('ocean '.repeat(6), [red])]);
	expect(full.white).toBeGreaterThan(plain.white + 500);
	expect([plain.red, full.red > 100]).toEqual([0, true]);
});

test.each([
	[undefined, 3],
	[60, 12],
])(
	'a video of %p s lasts %d s, in frames that are all key frames',
	async (durationSeconds, expected) => {
		const media = await draw({ kind: 'video', durationSeconds });
		const movie = readMp4(media);
		expect(movie).toMatchObject({ brand: 'ftypmp42', width: 64, height: 36 });
		expect([movie.kinds.includes(5), movie.kinds.includes(1)]).toEqual([true, false]);
		expect(movie.seconds).toBeCloseTo(expected, 1);
		expect(media.durationSeconds).toBeCloseTo(expected, 1);
	},
);

test.each([
	['music', 1.5, 1.5],
	['sfx', 0, 0.2],
] as const)(
	'%s of %p s lasts %d s, is heard, and louder by volume',
	async (kind, durationSeconds, lasts) => {
		const { seconds, loudness } = readWav(await draw({ kind, durationSeconds }));
		expect(seconds).toBe(lasts);
		expect(loudness).toBeGreaterThan(0.01);
		const quiet = await draw({ kind, durationSeconds, volume: 0.3 });
		expect(readWav(quiet).loudness).toBeCloseTo(loudness * 0.3, 2);
	},
);

test('speech is heard, as long and as loud as it is set, and takes any text, block by block', async () => {
	const text = 'We all go home.';
	const strange = [text, ...PROMPTS.slice(0, -1), 'Ω '.repeat(9)].map((each) => ({
		text: each,
		voice: 'a',
	}));
	const [usual, slow] = await Promise.all([
		draw({ kind: 'speech', prompt: text, voice: 'a' }),
		draw({ kind: 'speech', blocks: strange, speed: 0.5, volume: 0.3 }),
	]);
	const { seconds, loudness } = readWav(usual);
	expect(seconds).toBeGreaterThan(0.5);
	expect(loudness).toBeGreaterThan(0.01);
	expect(readWav(slow).seconds).toBeGreaterThan(4 * seconds);
	expect(readWav(slow).loudness).toBeLessThan(0.6 * loudness);
});
