import { rasterize } from '../../../../src/sandbox/media/picture/raster';
import { setScene } from '../../../../src/sandbox/media/picture/scenes';
import { request } from '../support/request';
import { elementAt } from '../../../../src/sandbox/elementAt';

const SIZE = { width: 160, height: 90 };
const NAMED = {
	planets: 'a planet in space',
	waves: 'a boat on the ocean',
	ridges: 'mountains and a forest',
	glass: 'abstract glass',
};

/** The mean difference of two pictures' channels, 0 to 255. */
function difference(a: Buffer, b: Buffer): number {
	return a.reduce((sum, value, i) => sum + Math.abs(value - elementAt(b, i)), 0) / a.length;
}

describe.each(Object.entries(NAMED))('the scene %s', (_, prompt) => {
	const scene = setScene(request({ kind: 'video', prompt }), SIZE);
	const at = async (phase: number) => await rasterize(scene(phase), SIZE);

	it('moves', async () => {
		expect(difference(await at(0), await at(0.3))).toBeGreaterThan(1);
	});

	it('ends as it began, so that a video loops seamlessly', async () => {
		expect(difference(await at(0), await at(1))).toBeLessThan(0.05);
	});

	it('fills the whole picture', async () => {
		const pixels = await at(0);
		const alphas = pixels.filter((_, i) => i % 4 === 3);
		expect(alphas).toHaveLength(SIZE.width * SIZE.height);
		expect(Math.min(...alphas)).toBe(255);
	});

	it('is arranged differently for each output', async () => {
		const second = setScene(request({ kind: 'video', prompt, index: 1 }), SIZE);
		expect(difference(await at(0), await rasterize(second(0), SIZE))).toBeGreaterThan(1);
	});
});
