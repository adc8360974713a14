import { between, pick } from '../../random';
import { linear, radial, round, type Scene } from './scene';
import { cyclic } from '../../../elementAt';

/** Soft lights that drift behind discs of glass. */
export const glass: Scene = (canvas) => {
	const { width, height, random, palette } = canvas;
	const unit = Math.min(width, height);
	const colors = [...palette.accents, palette.light, palette.sky[1]];
	const drifting = (r: number) => ({
		x: random() * width,
		y: random() * height,
		r,
		sway: unit * between(random, 0.04, 0.14),
		start: random(),
		direction: random() < 0.5 ? 1 : -1,
	});
	const lights = Array.from({ length: 8 }, (_, i) => ({
		...drifting(unit * between(random, 0.35, 0.75)),
		id: `light${i}`,
		color: cyclic(colors, i),
	}));
	const discs = Array.from({ length: 9 }, () => ({
		...drifting(unit * between(random, 0.04, 0.2)),
		fill: pick(random, ['glassA', 'glassB']),
	}));
	const defs = `<defs>${linear(
		'ground',
		[
			[0, palette.sky[0]],
			[0.6, palette.sky[1]],
			[1, palette.accents[2]],
		],
		'diagonal',
	)}${lights
		.map(({ id, color }) =>
			radial(id, [
				[0, color, 0.75],
				[0.4, color, 0.35],
				[1, color, 0],
			]),
		)
		.join('')}${linear(
		'glassA',
		[
			[0, '#ffffff', 0.5],
			[1, '#ffffff', 0.04],
		],
		'diagonal',
	)}${linear(
		'glassB',
		[
			[0, palette.light, 0.1],
			[1, palette.light, 0.5],
		],
		'diagonal',
	)}${linear(
		'rim',
		[
			[0, '#ffffff', 0.8],
			[1, '#ffffff', 0.1],
		],
		'diagonal',
	)}</defs>`;
	const place = (body: ReturnType<typeof drifting>, phase: number) => {
		const angle = 2 * Math.PI * (phase * body.direction + body.start);
		return `cx="${round(body.x + Math.cos(angle) * body.sway)}" cy="${round(body.y + Math.sin(angle) * body.sway)}" r="${round(body.r)}"`;
	};
	return (phase) =>
		`${defs}<rect width="${width}" height="${height}" fill="url(#ground)"/>${lights
			.map((light) => `<circle ${place(light, phase)} fill="url(#${light.id})"/>`)
			.join('')}${discs
			.map(
				(disc) =>
					`<circle ${place(disc, phase)} fill="url(#${disc.fill})" stroke="url(#rim)" stroke-width="${round(unit * 0.003)}"/>`,
			)
			.join('')}`;
};
