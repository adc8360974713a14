import { between } from '../../random';
import { mix } from '../palette';
import { linear, radial, round, sky, type Scene } from './scene';

const RIBBONS = 11;
const STEPS = 48;

/** Translucent ribbons that flow across the picture, light at the crest. */
export const waves: Scene = (stage) => {
	const { width, height, random, palette } = stage;
	const ribbons = Array.from({ length: RIBBONS }, (_, i) => {
		const depth = i / (RIBBONS - 1);
		const accent = palette.accents[i % palette.accents.length];
		const color = mix(mix(palette.far, palette.near, depth), accent, 0.45 * (1 - depth));
		return {
			id: `wave${i}`,
			gradient: linear(`wave${i}`, [
				[0, mix(color, palette.light, 0.35), 0.85],
				[0.35, color, 0.6],
				[1, palette.near, 0.5],
			]),
			base: height * (0.3 + 0.62 * depth),
			swell: height * between(random, 0.05, 0.11) * (1 - 0.4 * depth),
			long: between(random, 0.5, 1.1),
			short: between(random, 1.4, 2.6),
			starts: [random(), random()],
			direction: random() < 0.5 ? 1 : -1,
		};
	});
	const sun = { x: between(random, 0.2, 0.8) * width, y: height * between(random, 0.14, 0.24) };
	const radius = Math.min(width, height) * between(random, 0.07, 0.11);
	const defs = `<defs>${radial('glow', [
		[0, palette.light, 0.9],
		[0.2, palette.light, 0.4],
		[1, palette.light, 0],
	])}${ribbons.map(({ gradient }) => gradient).join('')}</defs>`;
	return (phase) => {
		const flow = ribbons.map((ribbon) => {
			const points = Array.from({ length: STEPS + 1 }, (_, i) => {
				const at = i / STEPS;
				const turn = phase * ribbon.direction;
				const y =
					ribbon.base +
					ribbon.swell * Math.sin(2 * Math.PI * (at * ribbon.long + ribbon.starts[0] + turn)) +
					ribbon.swell *
						0.4 *
						Math.sin(2 * Math.PI * (at * ribbon.short + ribbon.starts[1] - turn));
				return `${round(at * width)} ${round(y)}`;
			});
			return `<path d="M0 ${height}L${points.join('L')}L${width} ${height}Z" fill="url(#${ribbon.id})"/>`;
		});
		const y = round(sun.y + Math.sin(2 * Math.PI * phase) * height * 0.02);
		return `${sky(stage)}${defs}<circle cx="${round(sun.x)}" cy="${y}" r="${round(radius * 5)}" fill="url(#glow)"/><circle cx="${round(sun.x)}" cy="${y}" r="${round(radius)}" fill="${palette.light}"/>${flow.join('')}`;
	};
};
