import { between } from '../../random';
import { mix } from '../palette';
import { paperBoat } from './figures';
import { landUnder, linear, sky, sun, type Scene } from './scene';
import { cyclic } from '../../../elementAt';

const RIBBONS = 11;
/** The ribbon behind which a boat floats. */
const BOAT_BEFORE = 4;
const SAILING = /boat|ship|sail|yacht|vessel|ferry/;

const wave = (turns: number) => Math.sin(2 * Math.PI * turns);

/** Translucent ribbons that flow across the picture, light at the crest. */
export const waves: Scene = (canvas) => {
	const { width, height, random, palette } = canvas;
	const ribbons = Array.from({ length: RIBBONS }, (_, i) => {
		const depth = i / (RIBBONS - 1);
		const accent = cyclic(palette.accents, i);
		const color = mix(mix(palette.far, palette.near, depth), accent, 0.45 * (1 - depth));
		const id = `wave${i}`;
		const swell = height * between(random, 0.04, 0.085) * (1 - 0.4 * depth);
		const [long, short] = [between(random, 0.5, 1.1), between(random, 1.4, 2.6)];
		const [first, second] = [random(), random()];
		const direction = random() < 0.5 ? 1 : -1;
		return {
			id,
			gradient: linear(id, [
				[0, mix(color, palette.light, 0.35), 0.85],
				[0.35, color, 0.6],
				[1, palette.near, 0.5],
			]),
			line: (at: number, phase: number) =>
				height * (0.36 + 0.58 * depth) +
				swell * wave(at * long + first + phase * direction) +
				swell * 0.4 * wave(at * short + second - phase * direction),
		};
	});
	const light = sun(
		canvas,
		between(random, 0.2, 0.8) * width,
		height * between(random, 0.14, 0.24),
		Math.min(width, height) * between(random, 0.07, 0.11),
	);
	const gradients = `<defs>${ribbons.map(({ gradient }) => gradient).join('')}</defs>`;
	// It floats on the highest of the nearer waves, so that none hides it.
	const water = (at: number, phase: number) =>
		Math.min(...ribbons.slice(BOAT_BEFORE).map(({ line }) => line(at, phase)));
	const boat = SAILING.test(canvas.prompt) ? paperBoat(canvas, water) : () => '';
	return (phase) => {
		const flow = ribbons.map(
			({ id, line }, i) =>
				(i === BOAT_BEFORE ? boat(phase) : '') +
				landUnder(canvas, `url(#${id})`, (at) => line(at, phase)),
		);
		return `${sky(canvas)}${gradients}${light(phase)}${flow.join('')}`;
	};
};
