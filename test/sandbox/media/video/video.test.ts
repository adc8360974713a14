import { render } from '../../../../src/sandbox/media';
import { overlay } from '../../../../src/sandbox/media/video/overlay';
import { readMp4 } from '../support/mp4';
import { request } from '../support/request';

/** As small as a video can be, and a second long. */
const video = (wish: object) =>
	render(request({ kind: 'video', size: '64x36', durationSeconds: 1, ...wish }));
const KEY_FRAME = 5;
const OTHER_FRAME = 1;

describe('a video', () => {
	it('is an MP4 of H.264 whose every frame lies whole in the file', async () => {
		const media = await video({});
		const movie = readMp4(media.bytes);
		expect(media).toMatchObject({ mediaType: 'video/mp4', extension: 'mp4' });
		expect(movie).toMatchObject({ brand: 'mp42', codec: 'avc1', width: 64, height: 36 });
		expect(movie.nalUnits[0]).toContain(KEY_FRAME);
		for (const types of movie.nalUnits) {
			expect(types.some((type) => type === KEY_FRAME || type === OTHER_FRAME)).toBe(true);
		}
	});

	it.each([undefined, 1, 2.5, 5, 10, 60, 0])(
		'lasts as long as it says when %p s were asked',
		async (durationSeconds) => {
			const media = await video({ durationSeconds });
			const movie = readMp4(media.bytes);
			expect(movie.duration).toBeCloseTo(media.durationSeconds ?? 0, 2);
			expect(movie.sampledDuration).toBeCloseTo(media.durationSeconds ?? 0, 2);
			const wanted = Math.min(12, Math.max(1, durationSeconds ?? 3));
			expect(media.durationSeconds).toBeCloseTo(wanted, 1);
		},
	);

	it('names as key frames, to which players seek, those that are: one a second', async () => {
		const { keyFrames, nalUnits } = readMp4((await video({ durationSeconds: 3 })).bytes);
		const real = nalUnits.flatMap((types, i) => (types.includes(KEY_FRAME) ? [i] : []));
		expect(keyFrames).toEqual(real);
		expect(keyFrames).toHaveLength(3);
		expect(nalUnits.length).toBeGreaterThan(30);
	});

	it('keeps the requested aspect ratio, and reports its real size', async () => {
		const media = await video({ size: '2160x3840' });
		expect(readMp4(media.bytes)).toMatchObject({ width: media.width, height: media.height });
		expect((media.width ?? 0) / (media.height ?? 1)).toBeCloseTo(9 / 16, 1);
	});

	it('bears no time of creation, which would make each one differ', async () => {
		expect(readMp4((await video({})).bytes).createdAt).toBe(0);
	});
});

describe('overlay', () => {
	it('lets the ground shine through by the alpha of what lies over it', () => {
		const ground = Buffer.from([0, 100, 200, 255, 10, 20, 30, 255, 0, 0, 0, 255]);
		const top = Buffer.from([255, 255, 255, 0, 1, 2, 3, 255, 200, 100, 50, 128]);
		expect([...overlay(ground, top)]).toEqual([0, 100, 200, 255, 1, 2, 3, 255, 100, 50, 25, 255]);
	});
});
