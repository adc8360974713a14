import { between } from '../../random';
import { mix } from '../palette';
import { linear, radial, round, sky, stars, type Scene } from './scene';

const LAYERS = 6;
const STEPS = 64;

/** A sun over mountain ranges that fade into the haze; the near ones pass faster than the far. */
export const ridges: Scene = (stage) => {
	const { width, height, random, palette } = stage;
	const unit = Math.min(width, height);
	const sun = {
		x: between(random, 0.25, 0.75) * width,
		y: between(random, 0.28, 0.42) * height,
		r: unit * between(random, 0.09, 0.15),
	};
	const dots = stars(stage, 50);
	const ranges = Array.from({ length: LAYERS }, (_, layer) => {
		const depth = layer / (LAYERS - 1);
		const waves = [1, 2, 3, 5, 8, 13].map((cycles) => ({
			cycles,
			height: (between(random, 0.5, 1) / Math.pow(cycles, 0.85)) * unit * (0.09 + 0.03 * depth),
			start: random(),
		}));
		const color = mix(palette.far, palette.near, depth);
		return {
			waves,
			base: height * (0.5 + 0.42 * depth),
			id: `ridge${layer}`,
			fill: linear(`ridge${layer}`, [
				[0, mix(color, palette.light, 0.14 * (1 - depth))],
				[1, mix(color, palette.sky[2], 0.3 * (1 - depth))],
			]),
			turns: layer < 2 ? 0.5 : layer < 4 ? 1 : 2,
		};
	});
	const defs = `<defs>${radial('glow', [
		[0, palette.light, 0.85],
		[0.25, palette.light, 0.35],
		[1, palette.light, 0],
	])}${ranges.map(({ fill }) => fill).join('')}</defs>`;
	return (phase) => {
		// A range with half a turn sways back and forth instead of passing, and so still loops.
		const shift = (turns: number) =>
			turns < 1 ? 0.03 * Math.sin(2 * Math.PI * phase) : (turns * phase) / 8;
		const rise = Math.sin(2 * Math.PI * phase) * unit * 0.02;
		const sunlight = `<circle cx="${round(sun.x)}" cy="${round(sun.y + rise)}" r="${round(sun.r * 5)}" fill="url(#glow)"/><circle cx="${round(sun.x)}" cy="${round(sun.y + rise)}" r="${round(sun.r)}" fill="${palette.light}"/>`;
		const land = ranges.map(({ waves, base, id, turns }) => {
			const points = Array.from({ length: STEPS + 1 }, (_, i) => {
				const at = i / STEPS;
				const lift = waves.reduce((sum, wave) => {
					// Whole cycles per eighth of a turn would be too fast for the long waves.
					const moved =
						turns < 1 ? shift(turns) * wave.cycles : phase * turns * Math.ceil(wave.cycles / 8);
					return (
						sum + wave.height * Math.sin(2 * Math.PI * (at * wave.cycles + wave.start + moved))
					);
				}, 0);
				return `${round(at * width)} ${round(base - lift)}`;
			});
			return `<path d="M0 ${height}L${points.join('L')}L${width} ${height}Z" fill="url(#${id})"/>`;
		});
		return `${sky(stage)}${defs}${dots(phase)}${sunlight}${land.join('')}`;
	};
};
