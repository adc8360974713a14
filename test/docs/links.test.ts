/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readdirSync } from 'fs';
import { join, posix } from 'path';
import { MediaGenApi } from '../../credentials/MediaGenApi.credentials';
import { MediaGenWebhookSecretApi } from '../../credentials/MediaGenWebhookSecretApi.credentials';
import { anchorsOf, linksOf } from '../support/markdown';
import { filesIn, read, ROOT } from '../support/sources';

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
	if (file.endsWith('.md') && !pages.includes(file)) return `the site has no ${file}`;
	if (!anchor) return undefined;
	if (!file.endsWith('.md')) return `${file} has no anchors`;
	return anchorsOf(read(file)).includes(anchor) ? undefined : `${file} has no #${anchor}`;
}

function problemOfLink(target: string, from: string): string | undefined {
	const [address = '', anchor] = target.split('#');
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

test('every page of the documentation is in the navigation of the site', () => {
	const config = read('scripts/site/.vitepress/config.mjs');
	const names = readdirSync(join(ROOT, 'docs')).filter((file) => file.endsWith('.md'));
	const lacking = names.filter((file) => !config.includes(`'${posix.parse(file).name}'`));
	expect(lacking).toEqual([]);
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
