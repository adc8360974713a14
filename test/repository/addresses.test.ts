import manifest from '../../package.json';
import { addressesIn, isPlaceholder, PLACES, problemsIn } from '../../scripts/addresses';
import { read } from '../support/sources';

const GOOD = {
	repository: 'https://github.com/somebody/n8n-nodes-mediagen',
	homepage: 'https://somebody.github.io/n8n-nodes-mediagen',
	email: 'some.body+npm@host.test',
};

type Texts = Record<string, string>;

const tracked: Texts = Object.fromEntries(Object.keys(PLACES).map((file) => [file, read(file)]));

/** The files as they are after `npm run address` with these. */
const written = (texts: Texts, addresses: typeof GOOD): Texts =>
	Object.fromEntries(
		Object.entries(PLACES).map(([file, put]) => [file, put(texts[file] ?? '', addresses)]),
	);

test('every file that holds an address holds the one of package.json', () => {
	expect(written(tracked, addressesIn(manifest))).toEqual(tracked);
});

// What replaces one text by another would see the next one in them.
const ODD = [
	GOOD,
	{ ...GOOD, homepage: GOOD.repository },
	{ ...GOOD, homepage: 'https://github.com/somebody' },
	{ ...GOOD, homepage: 'https://somebody.test' },
	{ ...GOOD, email: 'a@b.test' },
	{ ...GOOD, email: manifest.author.email },
	{ ...GOOD, repository: 'https://host.test/a&b/$&/$1/c', homepage: "https://host.test/a&b/$&/$'" },
];

test.each(ODD)('addresses are set whatever was there, and twice is once: %j', (addresses) => {
	expect(problemsIn(addresses)).toEqual([]);
	const once = written(tracked, addresses);
	expect(written(once, addresses)).toEqual(once);
	for (const before of ODD) expect(written(written(tracked, before), addresses)).toEqual(once);
	expect(written(once, addressesIn(manifest))).toEqual(tracked);
	expect(addressesIn(JSON.parse(once['package.json'] ?? '') as typeof manifest)).toEqual(addresses);
	// Nothing but the addresses has changed: line by line the same, without them.
	for (const [file, text] of Object.entries(once)) {
		const lines = (tracked[file] ?? '').split('\n');
		const changed = text.split('\n').filter((line, index) => line !== lines[index]);
		expect(text.split('\n')).toHaveLength(lines.length);
		const [host] = addresses.homepage.split('/').slice(2);
		const ours = [addresses.repository, host ?? '', addresses.email];
		expect(changed.filter((line) => !ours.some((one) => line.includes(one)))).toEqual([]);
	}
});

const BAD: Array<[option: keyof typeof GOOD, value: string]> = [
	['repository', 'nonsense'],
	['repository', ''],
	['repository', 'github.com/a/b'],
	['repository', 'http://github.com/a/b'],
	['repository', 'git@github.com:a/b.git'],
	['repository', 'git+https://github.com/a/b'],
	['repository', 'https://github.com/a/b.git'],
	['repository', 'https://github.com/a/b/'],
	['repository', 'https://github.com/a/b?c'],
	['repository', 'https://github.com/a/b#c'],
	['repository', 'https://github.com/a/b c'],
	['repository', 'https://github.com/a/../b/c'],
	['repository', 'https://me:key@github.com/a/b'],
	['repository', 'https://github.com'],
	['repository', 'https://github.com/a'],
	['repository', 'https://github.com//b'],
	['homepage', 'nonsense'],
	['homepage', 'http://a.test'],
	['homepage', 'https://'],
	['homepage', 'https://a.test/'],
	['homepage', 'https://a.test/#b'],
	['email', 'nonsense'],
	['email', 'a@b'],
	['email', 'a b@c.test'],
	['email', '@c.test'],
	['email', 'a@b.test, c@d.test'],
	['email', '<a@b.test>'],
];

test.each(BAD)('--%s %s is refused', (option, value) => {
	const refused = expect.stringMatching(`^--${option} `) as string;
	expect(problemsIn({ ...GOOD, [option]: value })).toEqual([refused]);
});

test('a placeholder is known by its host', () => {
	const { repository, homepage, email } = GOOD;
	const own = 'https://github.com/example.company/n8n-nodes-mediagen';
	expect([repository, homepage, email, own].filter(isPlaceholder)).toEqual([]);
	const others = ['https://example.com/a', 'https://docs.example.org', 'a@example.com'];
	expect(others.filter(isPlaceholder)).toEqual(others);
});
