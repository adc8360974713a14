import { between } from '../../random';
import { mix } from '../palette';
import { linear, radial, round, sky, stars, type Scene } from './scene';
import { cyclic } from '../../../elementAt';

const MOONS = 3;

/** A ringed planet among stars; its moons go round once a loop, in front of it and behind. */
export const planets: Scene = (canvas) => {
	const { width, height, random, palette } = canvas;
	const unit = Math.min(width, height);
	const center = { x: between(random, 0.58, 0.7) * width, y: between(random, 0.34, 0.42) * height };
	const radius = unit * between(random, 0.19, 0.25);
	const tilt = between(random, -24, -10);
	const nebulae = Array.from({ length: 4 }, (_, i) => ({
		x: random() * width,
		y: random() * height * 0.8,
		r: unit * between(random, 0.4, 0.8),
		id: `nebula${i}`,
		color: cyclic(palette.accents, i),
	}));
	const moons = Array.from({ length: MOONS }, (_, i) => ({
		orbit: radius * (1.75 + i * 0.42),
		size: radius * between(random, 0.07, 0.14),
		start: random(),
		turns: i === 0 ? 2 : 1,
		color: mix(cyclic(palette.accents, i), palette.light, 0.4),
	}));
	const bands = Array.from({ length: 5 }, () => ({
		y: between(random, -0.8, 0.8) * radius,
		h: between(random, 0.05, 0.16) * radius,
		opacity: between(random, 0.1, 0.3),
	}));
	const dots = stars(canvas, 160);
	const defs = `<defs>${nebulae
		.map(({ id, color }) =>
			radial(id, [
				[0, color, 0.42],
				[1, color, 0],
			]),
		)
		.join('')}${radial(
		'planet',
		[
			[0, mix(palette.accents[1], palette.light, 0.55)],
			[0.5, palette.accents[0]],
			[1, mix(palette.near, palette.accents[0], 0.2)],
		],
		0.3,
	)}${radial('halo', [
		[0.55, palette.light, 0.3],
		[1, palette.light, 0],
	])}${linear(
		'ring',
		[
			[0, palette.light, 0.15],
			[0.5, palette.light, 0.9],
			[1, palette.accents[2], 0.25],
		],
		'across',
	)}<clipPath id="disc"><circle r="${round(radius)}"/></clipPath></defs>`;
	const ring = (from: number, to: number) => {
		const [a, b] = [radius * 1.62, radius * 0.36];
		return `<path d="M${round(from * a)} 0A${round(a)} ${round(b)} 0 0 1 ${round(to * a)} 0" fill="none" stroke="url(#ring)" stroke-width="${round(radius * 0.11)}"/>`;
	};
	return (phase) => {
		const orbiting = moons.map(({ orbit, size, start, turns, color }) => {
			const angle = 2 * Math.PI * (phase * turns + start);
			const front = Math.sin(angle) > 0;
			return {
				front,
				svg: `<circle cx="${round(Math.cos(angle) * orbit)}" cy="${round(Math.sin(angle) * orbit * 0.24)}" r="${round(size * (front ? 1 : 0.75))}" fill="${color}"/>`,
			};
		});
		const moonsThat = (front: boolean) =>
			orbiting
				.filter((moon) => moon.front === front)
				.map(({ svg }) => svg)
				.join('');
		const stripes = bands.map(
			({ y, h, opacity }) =>
				`<ellipse cx="0" cy="${round(y)}" rx="${round(radius * 1.1)}" ry="${round(h)}" fill="${palette.light}" opacity="${opacity.toFixed(2)}"/>`,
		);
		return `${sky(canvas)}${defs}${nebulae.map(({ x, y, r, id }) => `<circle cx="${round(x)}" cy="${round(y)}" r="${round(r)}" fill="url(#${id})"/>`).join('')}${dots(phase)}<g transform="translate(${round(center.x)} ${round(center.y + Math.sin(2 * Math.PI * phase) * unit * 0.01)}) rotate(${round(tilt)})">${moonsThat(false)}${ring(-1, 1)}<circle r="${round(radius * 1.5)}" fill="url(#halo)"/><circle r="${round(radius)}" fill="url(#planet)"/><g clip-path="url(#disc)">${stripes.join('')}</g><g transform="scale(1 -1)">${ring(-1, 1)}</g>${moonsThat(true)}</g>`;
	};
};
