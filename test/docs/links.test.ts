/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readdirSync } from 'fs';
import { join, posix } from 'path';
import { MediaGenApi } from '../../credentials/MediaGenApi.credentials';
import { MediaGenWebhookSecretApi } from '../../credentials/MediaGenWebhookSecretApi.credentials';
import { anchorsOf, linksOf } from '../support/markdown';
import { filesIn, read, ROOT } from '../support/sources';

/** Where the documentation is published, by package.json: the README at the root, `docs/x.md` at `docs/x`. */
const { homepage: SITE } = JSON.parse(read('package.json')) as { homepage: string };

/** Every page that a reader can reach. */
const pages = [
	...readdirSync(ROOT).filter((file) => file.endsWith('.md')),
	...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.md'))
		.map((file) => posix.join('docs', file)),
	'examples/README.md',
];

/** What is wrong with a place of this repository; nothing when it can be reached. */
function problemOf(file: string, anchor: string | undefined): string | undefined {
	if (!existsSync(join(ROOT, file))) return `there is no ${file}`;
	if (!anchor) return undefined;
	if (!file.endsWith('.md')) return `${file} has no anchors`;
	return anchorsOf(read(file)).includes(anchor) ? undefined : `${file} has no #${anchor}`;
}

/** The file behind an address of the site: a page, or a file that is published as it is. */
function fileOf(address: string): string {
	const path = address.slice(SITE.length).replace(/^\//, '').replace(/\/$/, '');
	if (path === '') return 'README.md';
	if (path === 'examples') return 'examples/README.md';
	return posix.extname(path) ? path : `${path}.md`;
}

function problemOfLink(target: string, from: string): string | undefined {
	const [address = '', anchor] = target.split('#');
	if (address.startsWith(SITE)) return problemOf(fileOf(address), anchor);
	// Other hosts are not asked: a test must not depend on them.
	if (/^(https:|mailto:)/.test(address)) return undefined;
	if (/^[a-z]+:/.test(address)) return 'is neither https nor a place of this repository';
	const file = address ? posix.join(posix.dirname(from), decodeURIComponent(address)) : from;
	return problemOf(file, anchor);
}

test.each(pages)('%s: every link leads to a file and an anchor that exist', (page) => {
	const dead = linksOf(read(page)).flatMap(({ target, line }) => {
		const problem = problemOfLink(target, page);
		return problem ? [`${page}:${line} ${target}: ${problem}`] : [];
	});
	expect(dead).toEqual([]);
});

test('the links of the README work where the registry shows it: they are absolute, or within it', () => {
	const targets = linksOf(read('README.md')).map(({ target }) => target);
	expect(targets.filter((target) => target.startsWith(`${SITE}/`)).length).toBeGreaterThan(20);
	expect(targets.filter((target) => !/^(https:|#)/.test(target))).toEqual([]);
	// Nothing names another address of this project than package.json.
	const project = targets.filter((target) => target.includes('n8n-nodes-mediagen'));
	expect(project.filter((target) => !target.startsWith(`${SITE}/`))).toEqual([]);
});

/**
 * The address of this project is a placeholder until it has a home. Without a link of its own a
 * node's _Docs_ leads to the package at npm, whose page is README. A credential must have one.
 */
test('no Docs link in the editor leads to a placeholder', () => {
	const codexes = filesIn('nodes', '.node.json').map(read);
	expect(codexes).toHaveLength(filesIn('nodes', '.node.ts').length);
	expect(codexes.filter((codex) => codex.includes('"url"'))).toEqual([]);
	for (const credential of [new MediaGenApi(), new MediaGenWebhookSecretApi()]) {
		expect(credential.documentationUrl).toMatch(/^https:\/\/docs\.n8n\.io\//);
	}
});
