import { existsSync, statSync } from 'node:fs';
import path from 'node:path';

/** The anchor that GitHub gives a heading, so that one link is right in both places. */
export const githubSlug = (heading) =>
	heading
		.trim()
		.toLowerCase()
		.replace(/[^\p{L}\p{N}\s_-]/gu, '')
		.replace(/\s/g, '-');

const isElsewhere = (href) => /^([a-z]+:|#|\/)/.test(href);

/** Makes pages that are written for a git host right for the site as well. */
export function renderForSite(md, root, linkedFiles) {
	md.core.ruler.before('linkify', 'repository-links', ({ tokens, env }) => {
		const page = env.realPath ?? env.path;
		for (const token of tokens.flatMap(({ children }) => children ?? [])) {
			if (token.type !== 'link_open') continue;
			const href = token.attrGet('href') ?? '';
			if (isElsewhere(href)) continue;
			const [target, anchor] = href.split('#');
			const file = path.resolve(path.dirname(page), decodeURIComponent(target));
			if (target.endsWith('README.md')) {
				token.attrSet('href', href.replace('README.md', 'index.md'));
			} else if (
				!target.endsWith('.md') &&
				!anchor &&
				existsSync(file) &&
				statSync(file).isFile()
			) {
				linkedFiles.add(path.relative(root, file));
				// Otherwise the browser would look for a page of this name.
				token.attrSet('target', '_self');
			}
		}
	});

	// Text in the pages is never code of the site: {{ }} is what n8n's expressions look like.
	for (const name of ['text', 'code_inline']) {
		const render = md.renderer.rules[name];
		md.renderer.rules[name] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;');
	}

	// A table without a head has an empty one in Markdown, and nobody hears a name in it.
	md.core.ruler.push('empty-heads', ({ tokens }) => {
		for (const [index, token] of tokens.entries()) {
			if (token.type !== 'th_open' || tokens[index + 1]?.content !== '') continue;
			token.tag = 'td';
			tokens[index + 2].tag = 'td';
		}
	});

	const { fence } = md.renderer.rules;
	md.renderer.rules.fence = (tokens, index, ...rest) => {
		const { info, content } = tokens[index];
		if (info.trim() !== 'mermaid') return fence(tokens, index, ...rest);
		return `<MermaidDiagram code="${encodeURIComponent(content)}" />`;
	};
}
