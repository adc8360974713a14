import { between } from '../../random';
import { mix } from '../palette';
import { round, type Draw, type Canvas } from './scene';

/** Pines on both sides of the foreground, which frame the view and sway a little. */
export function pines({ width, height, random, palette }: Canvas): Draw {
	const unit = Math.min(width, height);
	const trees = Array.from({ length: 16 }, (_, i) => {
		const left = i % 2 === 0;
		const inward = random() * random() * 0.3;
		const size = unit * between(random, 0.2, 0.46) * (1.1 - inward * 2);
		return {
			x: width * (left ? inward - 0.02 : 1.02 - inward),
			y: height * between(random, 1, 1.06),
			size,
			color: mix(palette.near, palette.far, between(random, 0.02, 0.16)),
			start: random(),
		};
	}).sort((a, b) => a.y - b.y);
	return (phase) =>
		trees
			.map(({ x, y, size, color, start }) => {
				const sway = 1.1 * Math.sin(2 * Math.PI * (phase + start));
				// Four tiers, each wider than the one above.
				const tiers = [0, 1, 2, 3].map((tier) => {
					const top = -size * (1 - tier * 0.2);
					const foot = top + size * (0.3 + tier * 0.035);
					const half = size * (0.085 + tier * 0.05);
					return `M0 ${round(top)}L${round(half)} ${round(foot)}Q0 ${round(foot - size * 0.035)} ${round(-half)} ${round(foot)}Z`;
				});
				const trunk = `M${round(-size * 0.022)} ${round(-size * 0.12)}h${round(size * 0.044)}V${round(size * 0.1)}h${round(-size * 0.044)}Z`;
				return `<path transform="translate(${round(x)} ${round(y)}) rotate(${round(sway)})" d="${trunk}${tiers.join('')}" fill="${color}"/>`;
			})
			.join('');
}

/** A folded paper boat; the line of water it floats on is given in pixels from the top. */
export function paperBoat(
	{ width, height, palette }: Canvas,
	water: (at: number, phase: number) => number,
): Draw {
	const size = Math.min(width, height) * 0.15;
	return (phase) => {
		const at = 0.42 + 0.1 * Math.sin(2 * Math.PI * phase);
		const slope = (water(at + 0.02, phase) - water(at - 0.02, phase)) / (0.04 * width);
		const tilt = (Math.atan(slope) * 180) / Math.PI;
		const shape = (points: number[], fill: string) =>
			`<polygon points="${points.map((value) => round(value * size)).join(' ')}" fill="${fill}"/>`;
		const white = '#ffffff';
		const shaded = mix('#ffffff', palette.sky[0], 0.22);
		const dark = mix('#ffffff', palette.sky[0], 0.38);
		return `<g transform="translate(${round(at * width)} ${round(water(at, phase) + size * 0.12)}) rotate(${round(tilt)})">${[
			shape([-0.5, -0.3, 0, -0.95, 0, -0.3], white),
			shape([0, -0.95, 0.5, -0.3, 0, -0.3], shaded),
			shape([-1, -0.42, -0.5, -0.3, 0, -0.3, 0.5, -0.3, 1, -0.42, 0.55, 0.12, -0.55, 0.12], shaded),
			shape([-1, -0.42, 0, -0.1, -0.55, 0.12], white),
			shape([1, -0.42, 0, -0.1, 0.55, 0.12], dark),
		].join('')}</g>`;
	};
}
