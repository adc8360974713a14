import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { githubSlug, renderForSite } from './markdown.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Where the site is served, such as `/n8n-nodes-mediagen` of a host. */
const { homepage } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

const vue = (file) => fileURLToPath(new URL(`../node_modules/vue/${file}`, import.meta.url));

/** The title of a page is its first line. */
const titleOf = (file) =>
	readFileSync(path.join(root, file), 'utf8').split('\n')[0].replace(/^# /, '');

const pages = (...names) =>
	names.map((name) => ({ text: titleOf(`docs/${name}.md`), link: `/docs/${name}` }));

const nodes = readdirSync(path.join(root, 'docs', 'nodes')).map((file) => path.parse(file).name);

/** Files that a page links to and that are not pages, such as examples: published as they are. */
const linkedFiles = new Set();

export default defineConfig({
	title: 'n8n-nodes-mediagen',
	description: 'Images, videos, music, sound effects and speech in n8n',
	lang: 'en',
	base: `${new URL(homepage).pathname.replace(/\/$/, '')}/`,
	cleanUrls: true,
	// What runs on the reader's own machine.
	ignoreDeadLinks: [/^http:\/\/localhost/],
	srcDir: '../..',
	// Where lint and formatter do not look: examples and sources that a page links to are published, too.
	outDir: '../../dist/site',
	// The pages are those of the repository; nothing is written twice.
	srcExclude: readdirSync(root, { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && !['docs', 'examples'].includes(entry.name))
		.map(({ name }) => `${name}/**`),
	rewrites: { 'README.md': 'index.md', 'examples/README.md': 'examples/index.md' },
	// The pages lie outside this folder, where Vue is not found by itself.
	vite: {
		resolve: {
			alias: [
				{ find: /^vue\/server-renderer$/, replacement: vue('server-renderer/index.mjs') },
				{ find: /^vue$/, replacement: vue('dist/vue.runtime.esm-bundler.js') },
			],
		},
	},
	markdown: {
		// The usual ones are too pale for comments and keywords.
		theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
		anchor: { slugify: githubSlug },
		config: (md) => renderForSite(md, root, linkedFiles),
	},
	buildEnd({ outDir }) {
		for (const file of linkedFiles) {
			const target = path.join(outDir, file);
			if (existsSync(target)) continue;
			mkdirSync(path.dirname(target), { recursive: true });
			copyFileSync(path.join(root, file), target);
		}
	},
	themeConfig: {
		search: { provider: 'local' },
		outline: { level: [2, 3] },
		nav: [
			{ text: 'First steps', link: '/docs/using' },
			{ text: 'Nodes', link: '/docs/nodes' },
			{ text: 'Examples', link: '/examples/' },
			{ text: 'When something goes wrong', link: '/docs/troubleshooting' },
		],
		sidebar: [
			{
				text: 'Start',
				items: [
					{ text: 'What it is', link: '/' },
					{ text: 'Examples', link: '/examples/' },
					...pages('using', 'looks', 'rehearse', 'troubleshooting', 'triggers', 'ai-agents'),
					...pages('compatibility', 'legacy'),
				],
			},
			{
				text: 'Concepts',
				items: pages('waiting', 'paid-once', 'limits', 'credits', 'fields', 'files', 'scale'),
			},
			{ text: 'Nodes', items: pages('nodes', ...nodes.map((name) => `nodes/${name}`)) },
			{
				text: 'For contributors',
				items: [
					...pages('development', 'sandbox', 'performance', 'verification'),
					...pages('CONTRIBUTING', 'CODE_OF_CONDUCT', 'SECURITY'),
					{ text: 'Changes', link: '/CHANGELOG' },
				],
			},
		],
	},
});
