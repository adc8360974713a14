/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import fc from 'fast-check';
import { MEDIA_KINDS, render, type MediaKind } from '../../../src/sandbox/media';
import { readMp4 } from './support/mp4';
import { anyPrompt, anySetting } from './support/prompts';
import { request } from './support/request';
import { readWav } from './support/wav';
import sharp from 'sharp';

/** Reads the file through, and fails where it is damaged or is not as long as was said. */
async function open(kind: MediaKind, media: Awaited<ReturnType<typeof render>>): Promise<void> {
	if (kind === 'image') {
		const { info } = await sharp(media.bytes).raw().toBuffer({ resolveWithObject: true });
		expect(info).toMatchObject({ width: media.width, height: media.height });
	} else if (kind === 'video') {
		expect(readMp4(media.bytes)).toMatchObject({ width: media.width, height: media.height });
	} else {
		expect(readWav(media.bytes).duration).toBe(media.durationSeconds);
	}
}

describe.each(MEDIA_KINDS)('render %s', (kind) => {
	const wish = request({ kind, size: '320x180', durationSeconds: 1 });

	it('gives the same bytes for the same request', async () => {
		const [first, second] = [await render(wish), await render({ ...wish })];
		expect(first.bytes.equals(second.bytes)).toBe(true);
	});

	it('gives the same bytes when several are rendered at once', async () => {
		const other = { ...wish, seed: 99 };
		const alone = await render(wish);
		const [together] = await Promise.all([render(wish), render(other), render(other)]);
		expect(together.bytes.equals(alone.bytes)).toBe(true);
	});

	it.each([
		['prompt', { prompt: 'Something else altogether' }],
		['seed', { seed: 8 }],
		['number of the output', { index: 1 }],
	])('gives other bytes for another %s', async (_, change) => {
		const [first, second] = [await render(wish), await render({ ...wish, ...change })];
		expect(first.bytes.equals(second.bytes)).toBe(false);
	});

	it('makes a sound file of any prompt and any settings', async () => {
		const settings = fc.record({
			prompt: anyPrompt,
			seed: fc.integer(),
			index: fc.nat(15),
			aspectRatio: anySetting,
			// Small, so that the property is about damage and not about patience.
			size: fc.constantFrom('64x64', '200x40', '16x300', 'nonsense:1'),
			resolution: fc.constantFrom(undefined, '120p', '?'),
			durationSeconds: fc.constantFrom(undefined, 1, 0, -1, Number.NaN),
			voice: fc.option(anySetting, { nil: undefined }),
			speed: fc.constantFrom(undefined, 0, 2, Number.NaN, Number.POSITIVE_INFINITY),
			volume: fc.constantFrom(undefined, 0.1, 10, Number.NaN),
			loop: fc.boolean(),
			references: fc.array(
				fc.uint8Array().map((bytes) => Buffer.from(bytes)),
				{ maxLength: 2 },
			),
		});
		await fc.assert(
			fc.asyncProperty(settings, async (setting) => {
				await open(kind, await render({ kind, ...setting }));
			}),
			{ numRuns: kind === 'video' ? 8 : 25 },
		);
	}, 60_000);
});

describe('render', () => {
	it('leaves the event loop free while a video is made', async () => {
		let turns = 0;
		const timer = setInterval(() => turns++, 1);
		await render(request({ kind: 'video' }));
		clearInterval(timer);
		expect(turns).toBeGreaterThan(20);
	});

	it('leaves no listener that would end the process at an unhandled rejection', async () => {
		const count = () => process.listenerCount('unhandledRejection');
		const before = count();
		await render(request({ kind: 'video', size: '64x64', durationSeconds: 1 }));
		expect(count()).toBe(before);
	});
});
