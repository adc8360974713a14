/** A figure beside its target. */
export interface Figure {
	name: string;
	value: string;
	target: string;
	isMet: boolean;
	/** Under which circumstances. */
	note?: string;
}

/** A table with a heading; numbers are text by then. */
export interface Table {
	title: string;
	intro: string;
	head: string[];
	rows: string[][];
}

const escaped = (cell: string) => cell.replace(/\|/g, '\\|');

/** As markdown, which a terminal shows well enough too. */
export function markdown({ title, intro, head, rows }: Table): string {
	const all = [head, ...rows].map((cells) => cells.map(escaped));
	const widths = head.map((_, column) =>
		Math.max(3, ...all.map((cells) => cells[column]?.length ?? 0)),
	);
	const line = (cells: string[]) =>
		`| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
	const [first = [], ...others] = all;
	const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
	return [`## ${title}`, '', intro, '', line(first), rule, ...others.map(line), ''].join('\n');
}

export function figureTable(title: string, intro: string, figures: Figure[]): Table {
	const rows = figures.map(({ name, value, target, isMet, note = '' }) => [
		name,
		value,
		target,
		isMet ? 'yes' : '**no**',
		note,
	]);
	return { title, intro, head: ['figure', 'measured', 'target', 'met', 'how'], rows };
}

export const median = (values: number[]): number => {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[sorted.length >> 1] ?? NaN;
};

export const percentile = (values: number[], part: number): number => {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? NaN;
};
