/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { posix } from 'path';
import {
	circlesIn,
	filesIn,
	freeNames,
	importsOf,
	PUBLISHED,
	read,
	statusesIn,
	takesValues,
} from './support/sources';

/**
 * Which layer may import which; each may import itself. Triggers may import `src/trigger` besides.
 */
const ARROWS: Record<string, string[]> = {
	nodes: [
		'src/n8n',
		'src/fields',
		'src/creation',
		'src/files',
		'src/transport',
		'src/base',
		'src/api',
	],
	credentials: ['src/n8n', 'src/transport', 'src/api'],
	'src/trigger': [
		'src/n8n',
		'src/fields',
		'src/creation',
		'src/files',
		'src/transport',
		'src/base',
		'src/api',
	],
	'src/n8n': [
		'src/fields',
		'src/reads',
		'src/creation',
		'src/files',
		'src/transport',
		'src/base',
		'src/api',
	],
	'src/fields': ['src/creation', 'src/files', 'src/transport', 'src/base', 'src/api'],
	'src/reads': ['src/creation', 'src/files', 'src/transport', 'src/base', 'src/api'],
	'src/creation': ['src/files', 'src/transport', 'src/base', 'src/api'],
	'src/files': ['src/transport', 'src/base', 'src/api'],
	'src/transport': ['src/base', 'src/api'],
	'src/base': ['src/api'],
	'src/api': [],
	// It signs its deliveries with what verifies them, and serves the OpenAPI document.
	sandbox: ['src/api', 'src/trigger', 'docs'],
};

/** All folders with code of ours. */
const CODE = ['credentials', 'nodes', 'src', 'sandbox', 'lab', 'bench', 'scripts', 'test'];

const FOR_TRIGGERS = ['src/trigger'];

/** What knows n8n: the wall, and the triggers, which are n8n's by nature. */
const WALL = ['src/n8n/', 'src/trigger/'];

/** What else takes of n8n-workflow: its timer, its reader of dates, and the types of its forms. */
const TAKES_OF_N8N = [
	'src/base/clock.ts',
	'src/fields/rules/dateTime.ts',
	'src/fields/builderHints.ts',
	'src/fields/events.ts',
	'src/fields/locators.ts',
	'src/fields/operation.ts',
];

/** What n8n's rules for community nodes forbid, and what would go around the helpers of n8n. */
const FORBIDDEN = [
	'clearImmediate',
	'clearInterval',
	'clearTimeout',
	'console',
	'eval',
	'fetch',
	'Function',
	'global',
	'globalThis',
	'process',
	'require',
	'setImmediate',
	'setInterval',
	'setTimeout',
	'XMLHttpRequest',
	'__dirname',
	'__filename',
];

/** The one file that knows what a status of the service means. */
const STATUS_TABLE = 'src/transport/statuses.ts';

/** What else of the published code holds such numbers, and why. */
const OTHER_STATUSES: Record<string, string> = {
	'nodes/Trigger/delivery.ts: 300, 401, 503': 'what n8n answers to a delivery',
	'src/api/endpoints.ts: 402, 404': 'which operation may answer what, not what it means',
	'src/api/index.ts: 500': 'characters',
	'src/creation/dryRun.ts: 480': 'pixels',
	'src/files/samples.ts: 440': 'hertz',
	'src/base/types.ts: 200, 300': 'a success, of the storage of files too',
	'src/files/transfer.ts: 200, 300, 307, 308, 400': 'the storage of files, and its redirects',
	'src/files/upload.ts: 200': 'the storage of files',
	'src/creation/answer.ts: 201, 202': 'what is ready or approved, of three operations only',
};

interface Manifest {
	dependencies?: Record<string, string>;
	bundledDependencies?: string[];
	optionalDependencies?: Record<string, string>;
	peerDependencies: Record<string, string>;
	files: string[];
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

test('no circle of imports exists anywhere, but for types', () => {
	const files = new Set(CODE.flatMap((folder) => filesIn(folder)));
	const arrowsFrom = (file: string, specifiers: string[]) =>
		specifiers
			.filter(isRelative)
			.map((specifier) => posix.join(posix.dirname(file), specifier))
			.flatMap((path) => [`${path}.ts`, `${path}/index.ts`].filter((one) => files.has(one)));
	const all = [...files].map((file) => [file, arrowsFrom(file, importsOf(file))] as const);
	// Whether it is for types is asked only where there is a circle: it takes the parser.
	const values = circlesIn(new Map(all))
		.flat()
		.map((file) => {
			const taken = importsOf(file).filter((specifier) => takesValues(file, specifier));
			return [file, arrowsFrom(file, taken)] as const;
		});
	expect(circlesIn(new Map(values))).toEqual([]);
	// What is read first of the published code has none even for types.
	const ofTypes = circlesIn(new Map(all)).flat();
	const isWall = (file: string) =>
		/^(nodes|credentials|src\/(n8n|fields|reads|trigger))\//.test(file);
	expect(ofTypes.filter(isWall)).toEqual([]);
});

test('a circle is found where there is one', () => {
	const arrows = { a: ['b'], b: ['c', 'd'], c: ['a'], d: ['d'], e: ['a'] };
	expect(circlesIn(new Map(Object.entries(arrows)))).toEqual([['a', 'b', 'c'], ['d']]);
});

test('n8n is known within the wall, and nowhere else', () => {
	const outside = filesIn('src').filter((file) => !WALL.some((folder) => file.startsWith(folder)));
	const knowing = outside.filter((file) => importsOf(file).includes('n8n-workflow'));
	expect(knowing.sort()).toEqual([...TAKES_OF_N8N].sort());
	const values = knowing.filter((file) => takesValues(file, 'n8n-workflow'));
	expect(values.sort()).toEqual(['src/base/clock.ts', 'src/fields/rules/dateTime.ts']);
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

test('what is published uses no global that n8n forbids', () => {
	const wrong = published.flatMap((file) => {
		const names = freeNames(file);
		return FORBIDDEN.filter((name) => names.has(name)).map((name) => `${file}: ${name}`);
	});
	expect(wrong).toEqual([]);
});

test('the real time is taken by the clock and by triggers, and nowhere else', () => {
	const takesTime = /\b(Date|performance)\.now\(|\bnew Date\(\)/;
	expect(published.filter((file) => takesTime.test(read(file))).sort()).toEqual([
		'nodes/Trigger/delivery.ts',
		'nodes/Trigger/registration.ts',
		'src/base/clock.ts',
	]);
});

test('what a status of the service means is known in one file', () => {
	expect(statusesIn(STATUS_TABLE)).toEqual(expect.arrayContaining(['401', '402', '403', '429']));
	const others = published
		.filter((file) => file !== STATUS_TABLE)
		.map((file) => `${file}: ${statusesIn(file).join(', ')}`)
		.filter((line) => !line.endsWith(': '));
	expect(others.sort()).toEqual(Object.keys(OTHER_STATUSES).sort());
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
