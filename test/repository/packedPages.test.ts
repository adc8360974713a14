/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync } from 'fs';
import { join } from 'path';
import { PACKED_PAGES, withAbsoluteLinks } from '../../scripts/packedPages';
import { linksOf } from '../support/markdown';
import { read, ROOT } from '../support/sources';

const addresses = {
	repository: 'https://github.com/some$&body/n8n-nodes-mediagen',
	homepage: 'https://some.test/$1/docs-&',
	email: '',
};

const packed = (text: string) => withAbsoluteLinks(text, addresses, '7.8.9');

test.each([
	['[a](docs/using.md)', `[a](${addresses.homepage}/docs/using)`],
	['[a](docs/using.md#b) [c](#d)', `[a](${addresses.homepage}/docs/using#b) [c](#d)`],
	['[a](examples/README.md#b)', `[a](${addresses.homepage}/examples/#b)`],
	['[a](README.md), [b](CHANGELOG.md)', '[a](homepage/), [b](homepage/CHANGELOG)'],
	['[a](examples/01.json)', `[a](${addresses.repository}/raw/7.8.9/examples/01.json)`],
	['![a (b)](docs/c.gif "d")', `![a (b)](${addresses.repository}/raw/7.8.9/docs/c.gif "d")`],
	[
		'[a](https://n8n.io/b.md) [c](mailto:d@e.test)',
		'[a](https://n8n.io/b.md) [c](mailto:d@e.test)',
	],
	['run(docs/using.md) [a] (b.md)', 'run(docs/using.md) [a] (b.md)'],
])('%s is packed as %s', (page, wanted) => {
	expect(packed(page)).toBe(wanted.replaceAll('(homepage', () => `(${addresses.homepage}`));
});

describe.each(PACKED_PAGES)('%s', (page) => {
	const targets = (text: string) => linksOf(text).map(({ target }) => target);

	test('has links within the repository, which a checkout, a git host and the site can follow', () => {
		const own = targets(read(page)).filter((target) => !/^(https:|#)/.test(target));
		expect(own).not.toEqual([]);
		expect(own.filter((target) => !existsSync(join(ROOT, target.split('#')[0] ?? '')))).toEqual([]);
	});

	test('has only absolute ones as it is packed, and says the same otherwise', () => {
		const text = packed(read(page));
		expect(targets(text).filter((target) => !/^(https:|#)/.test(target))).toEqual([]);
		expect(targets(text)).toHaveLength(targets(read(page)).length);
		const withoutTargets = (each: string) => each.replaceAll(/\]\([^)]*\)/g, ']()');
		expect(withoutTargets(text)).toBe(withoutTargets(read(page)));
	});
});
