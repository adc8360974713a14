/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { posix } from 'path';
import { filesIn, importsOf, PUBLISHED, read } from './support/sources';

/** Each may import those after it. */
const CHAIN = ['src/fields', 'src/run', 'src/transfer', 'src/service', 'src/base', 'src/contract'];

/** Which layer may import which; each may import itself. Triggers may import `src/events` besides. */
const ARROWS: Record<string, string[]> = {
	nodes: CHAIN,
	'src/events': CHAIN,
	credentials: ['src/service', 'src/contract'],
	// It signs its deliveries with what verifies them, and serves the OpenAPI document.
	sandbox: ['src/contract', 'src/events', 'docs'],
	...Object.fromEntries(CHAIN.map((layer, at) => [layer, CHAIN.slice(at + 1)])),
};

const FOR_TRIGGERS = ['src/events'];

/** The rooms below `src/run` know n8n in these places only: its HTTP helpers, its credentials and its `sleep`. */
const KNOWS_N8N = [
	'src/service/n8n.ts',
	'src/service/host.ts',
	'src/service/credential.ts',
	'src/base/clock.ts',
];

interface Manifest {
	dependencies?: Record<string, string>;
	bundledDependencies?: string[];
	optionalDependencies?: Record<string, string>;
	peerDependencies: Record<string, string>;
	scripts: Record<string, string>;
	n8n: { nodes: string[]; credentials: string[] };
}

const manifest = JSON.parse(read('package.json')) as Manifest;
const published = PUBLISHED.flatMap((layer) => filesIn(layer));
const isRelative = (specifier: string) => specifier.startsWith('.');

const layerOf = (path: string): string => {
	const [first = '', second = ''] = path.split('/');
	return first === 'src' ? `${first}/${second}` : first;
};

/** Arrows of a file that lead out of its layer. */
const arrowsOf = (file: string): string[] =>
	importsOf(file)
		.filter(isRelative)
		.map((specifier) => layerOf(posix.join(posix.dirname(file), specifier)))
		.filter((layer) => layer !== layerOf(file));

const isTrigger = (file: string) => /^nodes\/[A-Za-z]*Trigger\//.test(file);

test('every folder of the sources is a layer', () => {
	const layers = ['src', 'nodes', 'credentials', 'sandbox']
		.flatMap((folder) => filesIn(folder))
		.map(layerOf);
	expect([...new Set(layers)].sort()).toEqual(Object.keys(ARROWS).sort());
});

describe.each(Object.entries(ARROWS))('%s', (layer, allowed) => {
	test(`imports nothing but ${allowed.join(', ') || 'itself'}`, () => {
		const wrong = filesIn(layer).flatMap((file) =>
			arrowsOf(file)
				.filter((to) => !allowed.includes(to) && !(FOR_TRIGGERS.includes(to) && isTrigger(file)))
				.map((to) => `${file} -> ${to}`),
		);
		expect(wrong).toEqual([]);
	});
});

test('what is below the run knows n8n only where it meets it, and elsewhere not even a type of it', () => {
	const below = ['src/base', 'src/service', 'src/transfer'].flatMap((room) => filesIn(room));
	const knowing = below.filter((file) => importsOf(file).includes('n8n-workflow'));
	expect(knowing.filter((file) => !KNOWS_N8N.includes(file))).toEqual([]);
});

test('what is published imports nothing but its own files, n8n-workflow and crypto', () => {
	const wrong = published.flatMap((file) =>
		importsOf(file)
			.filter(
				(specifier) => !isRelative(specifier) && !['n8n-workflow', 'crypto'].includes(specifier),
			)
			.map((specifier) => `${file} -> ${specifier}`),
	);
	expect(wrong).toEqual([]);
});

test('the package needs nothing installed but n8n itself', () => {
	expect(manifest.dependencies ?? {}).toEqual({});
	expect(manifest.optionalDependencies ?? {}).toEqual({});
	expect(manifest.bundledDependencies ?? []).toEqual([]);
	expect(Object.keys(manifest.peerDependencies)).toEqual(['n8n-workflow']);
	const hooks = Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$/.test(name));
	expect(hooks).toEqual([]);
});

test('every node and credential of the sources is registered, and nothing else', () => {
	const built = (file: string) => `dist/${file.replace(/\.ts$/, '.js')}`;
	expect([...manifest.n8n.nodes].sort()).toEqual(filesIn('nodes', '.node.ts').map(built));
	expect([...manifest.n8n.credentials].sort()).toEqual(
		filesIn('credentials', '.credentials.ts').map(built),
	);
});
