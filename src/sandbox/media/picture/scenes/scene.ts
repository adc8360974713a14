import { clamp, type Random } from '../../random';
import type { Palette } from '../palette';

export interface Canvas {
	/** Pixels. */
	width: number;
	height: number;
	random: Random;
	palette: Palette;
	/** In lower case: a scene may put in what it names. */
	prompt: string;
}

/**
 * A scene draws itself as SVG for a phase from 0 to 1; phase 1 looks like phase 0, so that a video
 * loops without a jump. All chance is used up before the first drawing.
 */
export type Draw = (phase: number) => string;
export type Scene = (canvas: Canvas) => Draw;

/** A tenth of a pixel is enough, and keeps the SVG short. */
export function round(value: number): number {
	return Math.round(value * 10) / 10;
}

type Stop = [offset: number, color: string, opacity?: number];

const stops = (list: Stop[]) =>
	list
		.map(
			([at, color, opacity = 1]) =>
				`<stop offset="${at}" stop-color="${color}" stop-opacity="${opacity}"/>`,
		)
		.join('');

export function linear(
	id: string,
	list: Stop[],
	direction: 'down' | 'across' | 'diagonal' = 'down',
): string {
	const [x2, y2] = { down: [0, 1], across: [1, 0], diagonal: [1, 1] }[direction];
	return `<linearGradient id="${id}" x1="0" y1="0" x2="${x2}" y2="${y2}">${stops(list)}</linearGradient>`;
}

export function radial(id: string, list: Stop[], focus = 0.5): string {
	return `<radialGradient id="${id}" fx="${focus}" fy="${focus}">${stops(list)}</radialGradient>`;
}

export function sky({ width, height, palette }: Canvas): string {
	const [top, middle, horizon] = palette.sky;
	return `<defs>${linear('sky', [
		[0, top],
		[0.55, middle],
		[1, horizon],
	])}</defs><rect width="${width}" height="${height}" fill="url(#sky)"/>`;
}

/** Stars in the upper part; each twinkles a whole number of times a loop. */
export function stars({ width, height, random, palette }: Canvas, count: number): Draw {
	const list = Array.from({ length: count }, () => ({
		x: random() * width,
		y: random() * random() * height * 0.8,
		radius: Math.max(0.5, (0.4 + random() * random() * 1.6) * (Math.min(width, height) / 500)),
		turns: 1 + Math.floor(random() * 3),
		start: random(),
	}));
	return (phase) =>
		list
			.map(({ x, y, radius, turns, start }) => {
				const glow = 0.55 + 0.4 * Math.sin(2 * Math.PI * (phase * turns + start));
				return `<circle cx="${round(x)}" cy="${round(y)}" r="${round(radius)}" fill="${palette.light}" opacity="${round(glow)}"/>`;
			})
			.join('');
}

/** A bright disc whose glow runs out without an edge; it rises and sinks a little in a loop. */
export function sun({ height, palette }: Canvas, x: number, y: number, radius: number): Draw {
	const glow = radial('glow', [
		[0, palette.light, 0.9],
		[0.18, palette.light, 0.42],
		[0.4, palette.light, 0.16],
		[0.7, palette.light, 0.04],
		[1, palette.light, 0],
	]);
	return (phase) => {
		const at = `cx="${round(x)}" cy="${round(y + Math.sin(2 * Math.PI * phase) * height * 0.02)}"`;
		return `<defs>${glow}</defs><circle ${at} r="${round(radius * 6)}" fill="url(#glow)"/><circle ${at} r="${round(radius)}" fill="${palette.light}"/>`;
	};
}

/** What lies under a line of heights (pixels from the top), from the left edge to the right. */
export function landUnder(
	{ width, height }: Canvas,
	fill: string,
	line: (at: number) => number,
): string {
	// One point for each few pixels: corners show on a large picture, and cost time on a small one.
	const steps = Math.round(clamp(width / 7, 40, 240, 40));
	const points = Array.from(
		{ length: steps + 1 },
		(_, i) => `${round((i / steps) * width)} ${round(line(i / steps))}`,
	);
	return `<path d="M0 ${height}L${points.join('L')}L${width} ${height}Z" fill="${fill}"/>`;
}
