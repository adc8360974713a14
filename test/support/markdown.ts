/** A link or picture of a Markdown page, as far as it leads somewhere. */
export interface MarkdownLink {
	target: string;
	/** 1-based. */
	line: number;
}

/** Lines of a page without what is shown as code, where brackets mean something else. */
function prose(markdown: string): string[] {
	let fence: string | undefined;
	return markdown.split('\n').map((line) => {
		const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
		if (mark && (!fence || mark.startsWith(fence))) {
			fence = fence ? undefined : mark;
			return '';
		}
		return fence ? '' : line.replace(/(`+)(?!`).*?[^`]\1(?!`)/g, '');
	});
}

const LINK = [
	/!?\[[^\]]*\]\(\s*<?([^)\s>]+)/g,
	/\s(?:src|href)="([^"]+)"/g,
	/^\[[^\]]+\]:\s*(\S+)/g,
];

export function linksOf(markdown: string): MarkdownLink[] {
	return prose(markdown).flatMap((line, index) =>
		LINK.flatMap((pattern) =>
			[...line.matchAll(pattern)].map((match) => ({ target: match[1] ?? '', line: index + 1 })),
		),
	);
}

/** Anchors of a page's headings, as GitHub makes them; the second of a name ends in `-1`. */
export function anchorsOf(markdown: string): string[] {
	const seen = new Map<string, number>();
	// Code in a heading keeps its words, so only fences are left out.
	const fenced = prose(markdown);
	return markdown.split('\n').flatMap((line, index) => {
		const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1];
		if (heading === undefined || fenced[index] === '') return [];
		const slug = slugOf(heading);
		const earlier = seen.get(slug) ?? 0;
		seen.set(slug, earlier + 1);
		return [earlier ? `${slug}-${earlier}` : slug];
	});
}

/** The anchor of a heading. */
function slugOf(heading: string): string {
	return heading
		.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}\s_-]/gu, '')
		.replace(/\s/g, '-');
}
