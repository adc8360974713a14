/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import sharp from 'sharp';

import fc, { anyCodePoint } from '../support/fastCheck';
import { cases } from '../support/thorough';
import {
	MEDIA_KINDS,
	render,
	type Media,
	type MediaKind,
	type MediaRequest,
} from '../../sandbox/media';
import { imageSize } from '../../sandbox/media/size';

/** A request with everything that a test does not care about filled in. */
const draw = async (wish: Partial<MediaRequest> & Pick<MediaRequest, 'kind'>) =>
	await render({ prompt: 'A paper boat', seed: 7, index: 0, size: '64x36', ...wish });

/** Seconds that a WAV lasts; throws where its header does not fit the file. */
function secondsOf({ bytes }: Media): number {
	expect(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
	expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
	expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
	return bytes.readUInt32LE(40) / bytes.readUInt32LE(28);
}

/** Root mean square of a WAV's samples, 0 to 1. */
function loudness({ bytes }: Media): number {
	let sum = 0;
	for (let at = 44; at < bytes.length; at += 2) sum += (bytes.readInt16LE(at) / 32_768) ** 2;
	return Math.sqrt((2 * sum) / (bytes.length - 44));
}

/** What an MP4 says of itself, and the kinds of its frames: 5 is a key frame (H.264, table 7-1). */
function readMp4({ bytes }: Media) {
	const movie = bytes.indexOf('mvhd');
	const track = bytes.indexOf('avc1', bytes.indexOf('stsd'));
	const data = bytes.indexOf('mdat') + 4;
	const end = data + bytes.readUInt32BE(data - 8) - 8;
	const kinds = new Set<number>();
	for (let at = data; at < end; at += 4 + bytes.readUInt32BE(at)) {
		kinds.add(bytes.readUInt8(at + 4) & 31);
	}
	return {
		brand: bytes.toString('latin1', 4, 12),
		seconds: bytes.readUInt32BE(movie + 20) / bytes.readUInt32BE(movie + 16),
		width: bytes.readUInt16BE(track + 28),
		height: bytes.readUInt16BE(track + 30),
		kinds: [...kinds],
	};
}

/** Reads the file, and fails where it is damaged or is not as large or as long as was said. */
async function open(kind: MediaKind, media: Media): Promise<void> {
	if (!['image', 'video'].includes(kind))
		return expect(secondsOf(media)).toBe(media.durationSeconds);
	const { width, height } = media;
	if (kind === 'video') return expect(readMp4(media)).toMatchObject({ width, height });
	const { info } = await sharp(media.bytes).raw().toBuffer({ resolveWithObject: true });
	expect(info).toMatchObject({ width, height });
}

const nasty = fc.constantFrom(
	...[
		'',
		' ',
		'\u0000\u0001\u001f\u007f',
		'\ud800',
		'\udfff\ud800',
		'-o /etc/passwd',
		'\n\r\t\u2028',
	],
	...[
		'<svg onload="x"><![CDATA[ & ]]> &amp; &#0; \'"',
		'🦊🏳️‍🌈👩‍👩‍👧‍👦',
		'\u202eשלום مرحبا\u202c',
		'日本語',
	],
	...['Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤', '\ufeff\u200d\ufffe\uffff', 'A'.repeat(10_000), 'Ω'.repeat(10_000)],
);
const anyPrompt = fc.oneof(nasty, fc.string({ unit: anyCodePoint, maxLength: 300 }));
const anySize = fc.constantFrom(undefined, '', 'auto', '0x0', '64x64', '100x20', '16x300', '1x9');

test.each(['image', 'video', 'music', 'sfx'] as const)(
	'another %s is made for another prompt, seed and number',
	async (kind) => {
		const wanted = { kind, durationSeconds: 1 };
		const { bytes } = await draw(wanted);
		for (const other of [{ prompt: 'Something else' }, { index: 1, seed: 8 }]) {
			expect((await draw({ ...wanted, ...other })).bytes.equals(bytes)).toBe(false);
		}
	},
);

test.each(MEDIA_KINDS)('%s is made of any prompt and any settings', async (kind) => {
	const settings = fc.record({
		// A text that takes minutes is one of the others.
		prompt: kind === 'speech' ? anyPrompt.map((text) => text.slice(0, 80)) : anyPrompt,
		seed: fc.integer(),
		index: fc.nat(15),
		size: anySize,
		aspectRatio: fc.constantFrom(undefined, '16:9', '0:0', '1:99', ':'),
		resolution: fc.constantFrom(undefined, '120p', '?'),
		durationSeconds: fc.constantFrom(undefined, 1, 0.001),
		voice: fc.option(fc.string(), { nil: undefined }),
		speed: fc.constantFrom(undefined, 0.5, 1.7, 2),
		volume: fc.constantFrom(undefined, 0.1, 10),
		references: fc.array(
			fc.uint8Array().map((bytes) => Buffer.from(bytes)),
			{ maxLength: 2 },
		),
	});
	await fc.assert(
		fc.asyncProperty(
			settings,
			async (setting) => await open(kind, await render({ kind, ...setting })),
		),
		{ numRuns: cases(kind === 'image' ? 30 : 5) },
	);
});

describe('an image', () => {
	test.each([
		[{ size: '160x90' }, 160, 90],
		[{ size: '160x90', aspectRatio: '1:1' }, 160, 90],
		[{ aspectRatio: '16:9', resolution: '90p' }, 160, 90],
		[{ aspectRatio: '9:16', resolution: '1080p' }, 1080, 1920],
		[{ resolution: '4K' }, 2160, 2160],
		[{ size: '16x300' }, 16, 256],
		[{ size: '9000x4500' }, 4096, 2048],
	])('of %j is %d x %d', (wish, width, height) => {
		expect(imageSize(wish)).toEqual({ width, height });
	});

	test('is a PNG of that size', async () => {
		const wish = { aspectRatio: '16:9', resolution: '90p' };
		const { bytes } = await draw({ kind: 'image', size: undefined, ...wish });
		expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', ...imageSize(wish) });
	});

	test('bears its prompt in white letters', async () => {
		const white = async (prompt: string) => {
			const { bytes } = await draw({ kind: 'image', prompt, size: '600x400' });
			const area = { left: 0, top: 200, width: 600, height: 200 };
			const pixels = await sharp(bytes).extract(area).raw().toBuffer();
			return pixels.filter(
				(_, at) => at % 3 === 0 && Math.min(...pixels.subarray(at, at + 3)) > 235,
			).length;
		};
		const [none, short, long] = [
			await white(''),
			await white('ocean'),
			await white('ocean '.repeat(6)),
		];
		expect(short).toBeGreaterThan(none + 200);
		expect(long).toBeGreaterThan(short * 3);
	});

	test('shows its references, and leaves out what is not a picture', async () => {
		const create = { width: 40, height: 20, channels: 3 as const, background: '#ff0000' };
		const red = await sharp({ create }).webp().toBuffer();
		const references = [Buffer.from('not a picture'), red];
		const { bytes } = await draw({ kind: 'image', size: '500x500', references });
		const spot = { left: 60, top: 60, width: 1, height: 1 };
		expect([...(await sharp(bytes).extract(spot).raw().toBuffer())]).toEqual([
			255,
			expect.any(Number),
			0,
		]);
	});
});

describe('a video', () => {
	test.each([
		[undefined, 3],
		[1, 1],
		[5, 5],
		[60, 12],
		[0, 1],
	])('of %p s lasts %d s, in frames that are all key frames', async (durationSeconds, expected) => {
		const media = await draw({ kind: 'video', durationSeconds });
		const movie = readMp4(media);
		expect(movie).toMatchObject({ brand: 'ftypmp42', width: 64, height: 36 });
		expect(movie.kinds).toContain(5);
		expect(movie.kinds).not.toContain(1);
		expect(movie.seconds).toBeCloseTo(expected, 1);
		expect(media.durationSeconds).toBeCloseTo(expected, 1);
	});

	test('leaves the event loop free while it is made, and no listener behind', async () => {
		const listeners = process.listenerCount('unhandledRejection');
		let turns = 0;
		let next = setImmediate(function turn() {
			turns += 1;
			next = setImmediate(turn);
		});
		await draw({ kind: 'video' });
		clearImmediate(next);
		expect(turns).toBeGreaterThan(20);
		expect(process.listenerCount('unhandledRejection')).toBe(listeners);
	});
});

describe('sound', () => {
	test.each([
		['music', 1.5, 1.5],
		['music', undefined, 8],
		['sfx', 900, 30],
		['sfx', 0.5, 0.5],
		['sfx', 0, 0.2],
	] as const)('%s of %p s lasts %d s', async (kind, durationSeconds, expected) => {
		expect(secondsOf(await draw({ kind, durationSeconds }))).toBe(expected);
	});

	test.each(['music', 'sfx'] as const)('%s is heard, and louder by volume', async (kind) => {
		const at = async (volume: number) => loudness(await draw({ kind, volume, durationSeconds: 1 }));
		const [low, usual, high] = [await at(0.3), await at(1), await at(5)];
		expect(usual).toBeGreaterThan(0.01);
		expect(low).toBeCloseTo(usual * 0.3, 2);
		expect(high).toBeGreaterThan(usual * 1.2);
	});
});

describe('speech', () => {
	/** Each recording is a process, so all tests listen to the same ones. */
	const WISHES = {
		usual: {},
		again: {},
		another: { index: 1 },
		japanese: { prompt: '私たちはみんな家に帰ります' },
		digits: { prompt: '1234567890'.repeat(10) },
		slowAndLow: { speed: 0.5, volume: 0.3 },
		fastAndHigh: { speed: 2, volume: 5 },
		oneVoice: { blocks: talk('a', 'a') },
		twoVoices: { blocks: talk('a', 'd') },
	};
	type Wish = keyof typeof WISHES;
	const recordings = {} as Record<Wish, Media>;

	function talk(...voices: string[]) {
		return voices.map((voice) => ({ text: 'We all go home.', voice }));
	}

	beforeAll(async () => {
		const record = async ([name, wish]: [string, object]) => {
			const media = await draw({ kind: 'speech', prompt: 'We all go home.', ...wish });
			recordings[name as Wish] = media;
		};
		await Promise.all(Object.entries(WISHES).map(record));
	});

	const long = (name: Wish) => secondsOf(recordings[name]);
	const loud = (name: Wish) => loudness(recordings[name]);
	const same = (one: Wish, other: Wish) => recordings[one].bytes.equals(recordings[other].bytes);

	test('takes as long as its text, in any script, and at its speed', () => {
		expect(long('usual')).toBeGreaterThan(0.5);
		expect(long('japanese')).toBeGreaterThan(long('usual'));
		expect(long('digits')).toBeGreaterThan(5 * long('usual'));
		expect(long('slowAndLow')).toBeGreaterThan(1.5 * long('usual'));
		expect(long('fastAndHigh')).toBeLessThan(0.75 * long('usual'));
	});

	test('is heard, and louder by volume', () => {
		expect(loud('usual')).toBeGreaterThan(0.01);
		expect(loud('slowAndLow')).toBeCloseTo(loud('usual') * 0.3, 2);
		expect(loud('fastAndHigh')).toBeGreaterThan(loud('usual') * 1.2);
	});

	test('says each block with its voice, the same one each time', () => {
		expect(same('usual', 'again')).toBe(true);
		expect(same('usual', 'another')).toBe(false);
		expect(same('oneVoice', 'twoVoices')).toBe(false);
		expect(long('twoVoices')).toBeGreaterThan(1.8 * long('usual'));
	});
});
