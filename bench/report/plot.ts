import type { Cell } from '../simulation/cells';
import { cellOf } from '../simulation/makespan';
import { CLIENTS, LOADS } from '../simulation/simulate';

const WIDTH = 900;
const LEFT = 150;
const ROW = 20;
const GAP = 34;
const TOP = 60;

/** Bars end here: what takes longer is cut off and says so. */
const MOST = 2.5;

const scale = (ratio: number) => ((Math.min(ratio, MOST) - 1) / (MOST - 1)) * (WIDTH - LEFT - 90);

const COLORS = { ours: '#0f766e', others: '#94a3b8' };

const text = (x: number, y: number, content: string, more = '') =>
	`<text x="${x}" y="${y}" ${more}>${content}</text>`;

/** Time beyond the bound by client and load, as an SVG: the shorter the bar, the nearer to what the limits allow. */
export function plot(all: Cell[]): string {
	const parts: string[] = [];
	let y = TOP;
	for (const load of LOADS) {
		const { ideal } = cellOf(all, load, CLIENTS[0]?.name ?? '');
		parts.push(
			text(
				12,
				y,
				`${load.jobs} jobs of ${load.seconds} s ± 20 %: ${ideal.toFixed(0)} s at best`,
				'font-weight="600"',
			),
		);
		y += 10;
		for (const { name } of CLIENTS) {
			const { scattered } = cellOf(all, load, name);
			const ratio = scattered.makespan / ideal;
			const color = name.startsWith('ours') ? COLORS.ours : COLORS.others;
			const width = Math.max(1, scale(ratio)).toFixed(1);
			const { lost } = scattered;
			const label = `× ${ratio.toFixed(2)}${lost >= 0.5 ? `, ${lost.toFixed(0)} given up` : ''}`;
			const inside = ratio > MOST * 0.85;
			const x = inside ? LEFT + Number(width) - 6 : LEFT + Number(width) + 6;
			parts.push(
				text(LEFT - 8, y + 14, name, 'text-anchor="end"'),
				`<rect x="${LEFT}" y="${y + 3}" width="${width}" height="${ROW - 6}" rx="2" fill="${color}"/>`,
				text(x, y + 14, label, inside ? 'text-anchor="end" fill="#ffffff"' : ''),
			);
			y += ROW;
		}
		y += GAP;
	}
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" font-family="sans-serif" font-size="12" fill="#1e293b">`,
		`<rect width="${WIDTH}" height="${y}" fill="#ffffff"/>`,
		text(
			12,
			26,
			'Time over that of a scheduler that knows every end at once (bars from 1 × to 2.5 ×)',
			'font-size="15" font-weight="600"',
		),
		...parts,
		'</svg>',
		'',
	].join('\n');
}
