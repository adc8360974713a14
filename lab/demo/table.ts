import type { Log } from '../process/progress';

/** A column: its heading, its least width, and whether its cells are figures, which line up at the right. */
export type Column = [heading: string, width: number, figures?: 'figures'];

/** A table of text whose rows are printed one by one, its head before the first. */
export class TextTable {
	/** Rows so far. */
	rows = 0;

	constructor(
		private readonly columns: Column[],
		private readonly log: Log,
	) {}

	print(cells: string[]): void {
		if (this.rows === 0) {
			const headings = this.columns.map(([heading]) => heading);
			const rules = this.columns.map(([heading, width]) => '─'.repeat(widest(heading, width)));
			for (const line of ['', this.line(headings), rules.join('  ')]) this.log(line);
		}
		this.rows += 1;
		this.log(this.line(cells));
	}

	private line(cells: string[]): string {
		const padded = this.columns.map(([heading, least, figures], column) => {
			const width = widest(heading, least);
			const cell = cells[column] ?? '';
			return figures ? cell.padStart(width) : cell.padEnd(width);
		});
		return padded.join('  ').trimEnd();
	}
}

const widest = (heading: string, width: number) => Math.max(width, heading.length);

/** Bytes as a person reads them. */
export function readableSize(bytes: number): string {
	if (bytes < 1024) return `${bytes} B`;
	const kibibytes = bytes / 1024;
	return kibibytes < 1024
		? `${kibibytes.toFixed(kibibytes < 10 ? 1 : 0)} kB`
		: `${(kibibytes / 1024).toFixed(1)} MB`;
}
