/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import fc from '../../support/fastCheck';
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
	const wanted = request({
		kind,
		prompt: 'A boat',
		size: '64x36',
		durationSeconds: kind === 'sfx' ? 0.3 : 0.5,
	});

	it('gives the same bytes for the same request', async () => {
		const [first, second] = [await render(wanted), await render({ ...wanted })];
		expect(first.bytes.equals(second.bytes)).toBe(true);
	});

	it('gives the same bytes when several are rendered at once', async () => {
		const other = { ...wanted, seed: 99 };
		const alone = await render(wanted);
		const [together] = await Promise.all([render(wanted), render(other), render(other)]);
		expect(together.bytes.equals(alone.bytes)).toBe(true);
	});

	it.each([
		['prompt', { prompt: 'Something else altogether' }],
		['seed', { seed: 8 }],
		['number of the output', { index: 1 }],
	])('gives other bytes for another %s', async (_, change) => {
		const [first, second] = [await render(wanted), await render({ ...wanted, ...change })];
		expect(first.bytes.equals(second.bytes)).toBe(false);
	});

	it('makes a sound file of any prompt and any settings', async () => {
		const settings = fc.record({
			// What a text of two minutes takes is tested where the two minutes are.
			prompt: kind === 'speech' ? anyPrompt.map((text) => text.slice(0, 80)) : anyPrompt,
			seed: fc.integer(),
			index: fc.nat(15),
			aspectRatio: anySetting,
			// Small: the property is about damaged files.
			size: fc.constantFrom('64x64', '100x20', '16x300', '48x32'),
			resolution: fc.constantFrom(undefined, '120p', '?'),
			// Without a usable length it is that of the kind, which for music is eight times the
			// shortest.
			durationSeconds: fc.oneof(
				{ weight: 9, arbitrary: fc.constantFrom(1, 0, -1) },
				{ weight: 1, arbitrary: fc.constantFrom(undefined, Number.NaN) },
			),
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
			{ numRuns: kind === 'video' ? 6 : 20 },
		);
	}, 60_000);
});

describe('render', () => {
	it('leaves the event loop free while a video is made', async () => {
		let turns = 0;
		let next = setImmediate(function turn() {
			turns += 1;
			next = setImmediate(turn);
		});
		await render(request({ kind: 'video', size: '64x36' }));
		clearImmediate(next);
		expect(turns).toBeGreaterThan(20);
	});

	it('leaves no listener that would end the process at an unhandled rejection', async () => {
		const count = () => process.listenerCount('unhandledRejection');
		const before = count();
		await render(request({ kind: 'video', size: '64x64', durationSeconds: 1 }));
		expect(count()).toBe(before);
	});
});
