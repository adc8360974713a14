import { createHash } from 'node:crypto';
import type { Break } from './compare';

/** Says in CHANGELOG to which surface it belongs; not shown where Markdown is rendered. */
const MARK = /<!-- surface [0-9a-f]+ -->/;

/** The mark for a snapshot, so that neither file can change without the other. */
export function markOf(snapshot: string): string {
	const digest = createHash('sha256').update(snapshot).digest('hex').slice(0, 16);
	return `<!-- surface ${digest} -->`;
}

/**
 * CHANGELOG for a new snapshot: with its mark, and every break in the section on top. Breaks before
 * the first release affect nobody and are left out.
 */
export function withSurface(changelog: string, snapshot: string, breaks: Break[]): string {
	const mark = markOf(snapshot);
	const marked = MARK.test(changelog)
		? changelog.replace(MARK, mark)
		: changelog.replace(/^(# .*\n)/, `$1\n${mark}\n`);
	const headings = [...marked.matchAll(/^## /gm)].map(({ index }) => index);
	const end = headings[1];
	if (end === undefined || breaks.length === 0) return marked;
	const lines = breaks.map(
		({ kind, where, what }) => `- **Breaking** (${kind}): \`${where}\` ${what}.`,
	);
	return `${marked.slice(0, end).trimEnd()}\n${lines.join('\n')}\n\n${marked.slice(end)}`;
}
