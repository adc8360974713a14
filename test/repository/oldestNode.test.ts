/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';

const manifestOf = (file: string) =>
	JSON.parse(readFileSync(file, 'utf8')) as { engines: { node: string } };

const oldest = manifestOf('package.json').engines.node.replace('>=', '');

/** Where the oldest Node is named, and how; each place names it once. */
const PLACES: Array<[file: string, words: RegExp]> = [
	['README.md', /Node ([\d.]+) or newer/],
	['sandbox/README.md', /Node ([\d.]+) or newer/],
	['docs/rehearse.md', /Node ([\d.]+) or newer/],
	['docs/CONTRIBUTING.md', /([\d.]+) and newer work too/],
	['docs/CONTRIBUTING.md', /CI tests Node ([\d.]+), the oldest/],
	['sandbox/package.json', /"node": ">=([\d.]+)"/],
];

test.each(PLACES)('%s names the oldest Node of package.json', (file, words) => {
	const text = readFileSync(file, 'utf8').replace(/\s+/g, ' ');
	expect(words.exec(text)?.[1]).toBe(oldest);
});
