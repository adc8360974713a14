/**
 * Text as it can stand in a cell of a table. Descriptions of fields may hold links, but no other
 * markup.
 */
export const cell = (text: string): string =>
	text
		.replaceAll('|', '\\|')
		.replaceAll('\n', ' ')
		.replaceAll(/<(?!\/?a\b)/g, '&lt;');

/** A table in Markdown; the cells hold Markdown. */
export function table(head: string[], rows: string[][]): string {
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
