import { markdownTable } from 'markdown-table';

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
	const table = markdownTable([head, ...rows].map((cells) => cells.map(escaped)));
	return [`## ${title}`, '', intro, '', table, ''].join('\n');
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
