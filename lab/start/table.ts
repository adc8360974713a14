/** A column: its heading, and whether its cells are figures, which line up at the right. */
export interface Column {
	heading: string;
	figures?: boolean;
}

/** Lines of a table of text, padded so that the columns stand below each other. */
export function tableLines(columns: Column[], rows: string[][]): string[] {
	const widths = columns.map(({ heading }, column) =>
		Math.max(heading.length, ...rows.map((row) => row[column].length)),
	);
	const line = (cells: string[]) =>
		cells
			.map((cell, column) =>
				columns[column].figures ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
			)
			.join('  ')
			.trimEnd();
	const rule = widths.map((width) => '─'.repeat(width)).join('  ');
	return [line(columns.map(({ heading }) => heading)), rule, ...rows.map(line)];
}

/** Bytes as a person reads them. */
export function readableSize(bytes: number): string {
	if (bytes < 1024) return `${bytes} B`;
	const kibibytes = bytes / 1024;
	return kibibytes < 1024
		? `${kibibytes.toFixed(kibibytes < 10 ? 1 : 0)} kB`
		: `${(kibibytes / 1024).toFixed(1)} MB`;
}
