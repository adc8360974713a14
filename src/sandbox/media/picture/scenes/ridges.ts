import { between } from '../../random';
import { mix } from '../palette';
import { pines } from './figures';
import { landUnder, linear, sky, stars, sun, type Scene } from './scene';

const LAYERS = 6;
const CYCLES = [1, 2, 3, 5, 8, 13];
const WOODED = /forest|tree|pine|wood|fox|deer|wolf|bear|snow|winter|cabin|nature/;

const wave = (turns: number) => Math.sin(2 * Math.PI * turns);

/** A sun over mountain ranges that fade into the haze; the near ones pass faster than the far. */
export const ridges: Scene = (canvas) => {
	const { width, height, random, palette } = canvas;
	const unit = Math.min(width, height);
	const light = sun(
		canvas,
		between(random, 0.25, 0.75) * width,
		between(random, 0.24, 0.38) * height,
		unit * between(random, 0.08, 0.13),
	);
	const dots = stars(canvas, 50);
	const ranges = Array.from({ length: LAYERS }, (_, layer) => {
		const depth = layer / (LAYERS - 1);
		const color = mix(palette.far, palette.near, depth);
		const top = mix(color, palette.light, 0.14 * (1 - depth));
		const foot = mix(color, palette.sky[2], 0.3 * (1 - depth));
		const waves = CYCLES.map((cycles) => ({
			cycles,
			height: (between(random, 0.5, 1) / Math.pow(cycles, 0.85)) * unit * (0.09 + 0.03 * depth),
			start: random(),
		}));
		// The far ranges sway, the near ones pass by in whole turns: both are back after a loop.
		const moved = (phase: number, cycles: number) =>
			layer < 2 ? 0.03 * cycles * wave(phase) : phase * (layer < 4 ? 1 : 2) * Math.ceil(cycles / 8);
		const line = (at: number, phase: number) =>
			waves.reduce(
				(y, { cycles, height: lift, start }) =>
					y - lift * wave(at * cycles + start + moved(phase, cycles)),
				height * (0.47 + 0.42 * depth),
			);
		return { id: `ridge${layer}`, top, foot, line };
	});
	const gradients = ranges.map(({ id, top, foot }) =>
		linear(id, [
			[0, top],
			[1, foot],
		]),
	);
	const trees = WOODED.test(canvas.prompt) ? pines(canvas) : () => '';
	return (phase) => {
		const land = ranges.map(({ id, line }) =>
			landUnder(canvas, `url(#${id})`, (at) => line(at, phase)),
		);
		const scenery = `${sky(canvas)}<defs>${gradients.join('')}</defs>${dots(phase)}${light(phase)}`;
		return `${scenery}${land.join('')}${trees(phase)}`;
	};
};
