/**
 * A column: its heading, how wide it is, and whether its cells are figures, which line up at the
 * right.
 */
export interface Column {
	heading: string;
	width: number;
	figures?: boolean;
}

/**
 * A table of text whose rows can be printed one by one: what comes later does not move a column.
 */
export class TextTable {
	private readonly columns: Column[];

	constructor(columns: Column[]) {
		this.columns = columns.map((column) => ({
			...column,
			width: Math.max(column.width, column.heading.length),
		}));
	}

	/** The headings and the rule below them. */
	head(): string[] {
		return [
			this.row(this.columns.map(({ heading }) => heading)),
			this.columns.map(({ width }) => '─'.repeat(width)).join('  '),
		];
	}

	row(cells: string[]): string {
		return this.columns
			.map(({ width, figures }, column) => {
				const cell = cells[column] ?? '';
				return figures ? cell.padStart(width) : cell.padEnd(width);
			})
			.join('  ')
			.trimEnd();
	}
}

/** Bytes as a person reads them. */
export function readableSize(bytes: number): string {
	if (bytes < 1024) return `${bytes} B`;
	const kibibytes = bytes / 1024;
	return kibibytes < 1024
		? `${kibibytes.toFixed(kibibytes < 10 ? 1 : 0)} kB`
		: `${(kibibytes / 1024).toFixed(1)} MB`;
}
