import sharp from 'sharp';
import { render } from '../../../../src/sandbox/media';
import { request } from '../support/request';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const image = (wish: object) => render(request({ kind: 'image', ...wish }));

/** Red, green and blue of a region. */
async function region(bytes: Buffer, left: number, top: number, width: number, height: number) {
	return await sharp(bytes).extract({ left, top, width, height }).raw().toBuffer();
}

describe('an image', () => {
	it('is a PNG of exactly the asked size', async () => {
		const media = await image({ size: '160x90' });
		expect(media.bytes.subarray(0, 8)).toEqual(PNG);
		expect(await sharp(media.bytes).metadata()).toMatchObject({
			format: 'png',
			width: 160,
			height: 90,
		});
		expect(media).toMatchObject({
			mediaType: 'image/png',
			extension: 'png',
			width: 160,
			height: 90,
		});
	});

	it('is of the asked aspect ratio when no size was asked', async () => {
		const { width, height } = await sharp(
			(await image({ aspectRatio: '16:9', resolution: '90p' })).bytes,
		).metadata();
		expect(width * 9).toBe(height * 16);
	});

	it('is scaled down if a size is out of bounds, with a note', async () => {
		const media = await image({ size: '16x300' });
		const { width, height } = await sharp(media.bytes).metadata();
		expect(media).toMatchObject({ width, height });
		expect([width, height]).toEqual([16, 256]);
	});

	it('bears the prompt: with another one only the caption changes, not a scene that both name', async () => {
		// The scene is seeded by the prompt too, so the caption is recognised by its white letters.
		const letters = async (prompt: string) => {
			const { bytes } = await image({ prompt, size: '600x400' });
			const pixels = await region(bytes, 24, 250, 552, 120);
			let white = 0;
			for (let i = 0; i < pixels.length; i += 3) {
				if (Math.min(...pixels.subarray(i, i + 3)) > 235) white++;
			}
			return white;
		};
		const short = await letters('ocean');
		const long = await letters('ocean with a boat, a gull and many words that describe it');
		expect(short).toBeGreaterThan(200);
		expect(long).toBeGreaterThan(short * 3);
	});

	it('shows readable references as prints, and leaves out what is not a picture', async () => {
		const red = await sharp({
			create: { width: 40, height: 20, channels: 3, background: '#ff0000' },
		})
			.webp()
			.toBuffer();
		const broken = Buffer.from('no picture');
		const size = '500x500';
		const plain = await image({ size });
		const onlyBroken = await image({ size, references: [broken] });
		const { bytes } = await image({ size, references: [broken, red] });
		expect(onlyBroken.bytes.equals(plain.bytes)).toBe(true);
		const [r, ...others] = await region(bytes, 60, 60, 1, 1);
		expect(r).toBeGreaterThan(240);
		expect(others).toHaveLength(2);
		expect(Math.max(...others)).toBeLessThan(20);
	});
});
