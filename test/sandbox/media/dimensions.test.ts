import fc from '../../support/fastCheck';
import { imageSize, videoSize } from '../../../src/sandbox/media/dimensions';
import { anySetting } from './support/prompts';

describe('imageSize', () => {
	it.each([
		[{ size: '1024x768' }, 1024, 768],
		[{ size: ' 800 × 600 ' }, 800, 600],
		[{ size: '512*512' }, 512, 512],
		[{ size: '640x480', aspectRatio: '16:9' }, 640, 480],
		[{ resolution: '1920x1080' }, 1920, 1080],
		[{ aspectRatio: '1:1' }, 1024, 1024],
		[{ aspectRatio: '16:9', resolution: '720p' }, 1280, 720],
		[{ aspectRatio: '9:16', resolution: '1080p' }, 1080, 1920],
		[{ aspectRatio: '16:9', resolution: '4K' }, 3840, 2160],
		[{ size: '3:2', resolution: '1K' }, 1536, 1024],
		[{ aspectRatio: '2.39:1', resolution: '720' }, 1721, 720],
		[{ size: 'large', aspectRatio: 'auto', resolution: 'best' }, 1024, 1024],
		[{ size: '1x1' }, 16, 16],
		[{ size: '16x300' }, 16, 256],
		[{ size: '20000x10000' }, 5792, 2896],
		[{}, 1024, 1024],
	])('reads %j as %d × %d', (wish, width, height) => {
		expect(imageSize(wish)).toEqual({ width, height });
	});
});

describe('videoSize', () => {
	it.each([
		[{}, 480, 270],
		[{ aspectRatio: '16:9', resolution: '1080p' }, 640, 360],
		[{ aspectRatio: '9:16' }, 270, 480],
		[{ size: '1280x720' }, 480, 270],
		[{ size: '64x36' }, 64, 36],
		[{ size: '31x31' }, 32, 32],
		[{ aspectRatio: '9:16', resolution: '4K' }, 360, 640],
	])('reads %j as %d × %d', (wish, width, height) => {
		expect(videoSize(wish)).toEqual({ width, height });
	});
});

describe('any settings', () => {
	const wish = fc.record({ size: anySetting, aspectRatio: anySetting, resolution: anySetting });

	it('give an image of whole sides and at most sixteen megapixels', () => {
		fc.assert(
			fc.property(wish, (setting) => {
				const { width, height } = imageSize(setting);
				expect(Number.isInteger(width) && Number.isInteger(height)).toBe(true);
				expect(Math.min(width, height)).toBeGreaterThanOrEqual(16);
				expect(width * height).toBeLessThanOrEqual(4096 * 4096);
			}),
		);
	});

	it('give a video of even sides that is quick to encode', () => {
		fc.assert(
			fc.property(wish, (setting) => {
				const { width, height } = videoSize(setting);
				expect([width % 2, height % 2]).toEqual([0, 0]);
				expect(Math.min(width, height)).toBeGreaterThanOrEqual(32);
				expect(width * height).toBeLessThanOrEqual(640 * 360 * 1.05);
			}),
		);
	});
});
