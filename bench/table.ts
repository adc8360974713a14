/** A measured figure beside the limit that design and tests hold it to. */
export interface Figure {
	name: string;
	value: string;
	limit: string;
	isMet: boolean;
	/** Under which circumstances. */
	note?: string;
}

const escaped = (cell: string) => cell.replace(/\|/g, '\\|');

/** A table with a heading, as markdown, which a terminal shows well enough too. */
export function table(title: string, head: string[], rows: string[][]): string {
	const all = [head, ...rows].map((cells) => cells.map(escaped));
	const widths = head.map((_name, column) =>
		Math.max(...all.map((cells) => cells[column]!.length)),
	);
	const [names, ...lines] = all.map(
		(cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`,
	);
	const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
	return [`## ${title}`, '', names, rule, ...lines, ''].join('\n');
}

export const figureTable = (title: string, figures: Figure[]): string =>
	table(
		title,
		['figure', 'measured', 'limit', 'met', 'how'],
		figures.map(({ name, value, limit, isMet, note = '' }) => {
			return [name, value, limit, isMet ? 'yes' : '**no**', note];
		}),
	);

/** A figure that must not be larger than its limit. */
export const atMost = (
	name: string,
	value: number,
	most: number,
	{ digits = 2, unit = '', note = '' } = {},
): Figure => ({
	name,
	value: `${value.toFixed(digits)}${unit}`,
	limit: `≤ ${most}${unit}`,
	isMet: value <= most,
	note,
});

export const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

export const mean = (values: number[]): number => sum(values) / values.length;

export const median = (values: number[]): number => {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[sorted.length >> 1] ?? NaN;
};
