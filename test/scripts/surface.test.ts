import type { ICredentialType, INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { markOf, withSurface } from '../../scripts/surface/changelog';
import { breaksBetween, type Break } from '../../scripts/surface/compare';
import { packageSurface, printed, readSnapshot } from '../../scripts/surface/package';
import { readSurface } from '../../scripts/surface/read';
import { read } from '../support/sources';

test('saved workflows keep working: npm run surface accepts a break, by name, in CHANGELOG', async () => {
	const surface = await packageSurface();
	expect(breaksBetween(readSnapshot(), surface)).toEqual([]);
});

test('docs/surface.json is the surface of the package: npm run surface writes it', async () => {
	expect(read('docs/surface.json')).toBe(printed(await packageSurface()));
});

test('CHANGELOG has changed with the surface: npm run surface marks it', () => {
	expect(read('CHANGELOG.md')).toContain(markOf(read('docs/surface.json')));
});

const text = (name: string, more: Partial<INodeProperties> = {}): INodeProperties => ({
	displayName: name,
	name,
	type: 'string',
	default: '',
	...more,
});

const choice = (name: string, values: string[], more: Partial<INodeProperties> = {}) =>
	text(name, {
		type: 'options',
		default: values[0],
		options: values.map((value) => ({ name: value, value })),
		...more,
	});

const forCreate = { operation: ['create'] };

const properties = (): INodeProperties[] => [
	choice('operation', ['create', 'get']),
	choice('mode', ['image', 'video'], { displayOptions: { show: forCreate } }),
	text('prompt', { displayOptions: { show: { ...forCreate, mode: ['image', 'video'] } } }),
	text('id', { displayOptions: { show: { operation: ['get'] } } }),
	text('options', {
		type: 'collection',
		default: {},
		options: [text('timeout', { type: 'number', default: 60 })],
	}),
	text('blocks', {
		type: 'fixedCollection',
		default: {},
		options: [{ name: 'block', displayName: 'Block', values: [text('line')] }],
	}),
	text('locator', {
		type: 'resourceLocator',
		modes: ['list', 'id'].map((name) => ({ name, displayName: name, type: 'string' as const })),
	}),
];

const node = (own: INodeProperties[]) =>
	({ name: 'maker', version: 1, properties: own }) as unknown as INodeTypeDescription;

const credential = (own: INodeProperties[]): ICredentialType => ({
	name: 'makerApi',
	displayName: 'Maker',
	properties: own,
});

const surfaceOf = (own: INodeProperties[], fields = [text('apiKey'), text('baseUrl')]) =>
	readSurface([node(own)], [credential(fields)]);

/** Changes the properties somehow, and gives the breaks in words. */
function after(change: (all: INodeProperties[]) => INodeProperties[] | void): string[] {
	const all = properties();
	return words(breaksBetween(surfaceOf(properties()), surfaceOf(change(all) ?? all)));
}

const words = (breaks: Break[]) =>
	breaks.map(({ kind, where, what }) => `${kind}: ${where} ${what}`);

const find = (all: INodeProperties[], name: string) => {
	const found = all.find((one) => one.name === name);
	if (!found) throw new Error(name);
	return found;
};

const inOptions = (all: INodeProperties[]) => find(all, 'options').options as INodeProperties[];

describe('each kind of break is named', () => {
	test('removed operation', () => {
		const breaks = after((all) => void find(all, 'operation').options?.pop());
		expect(breaks).toEqual(['removed operation: maker get is gone']);
	});

	test('removed node', () => {
		const breaks = breaksBetween(surfaceOf(properties()), {
			nodes: {},
			credentials: surfaceOf([]).credentials,
		});
		expect(words(breaks)).toEqual([
			'removed operation: maker create is gone',
			'removed operation: maker get is gone',
		]);
	});

	test('removed parameter', () => {
		expect(after((all) => all.filter(({ name }) => name !== 'id'))).toEqual([
			'removed or renamed parameter: maker get id is gone',
		]);
	});

	test('renamed parameter', () => {
		expect(after((all) => void (find(all, 'id').name = 'jobId'))).toEqual([
			'removed or renamed parameter: maker get id is gone, perhaps renamed to jobId',
		]);
	});

	test('removed parameter within a collection, and within a group', () => {
		expect(after((all) => void inOptions(all).pop())).toEqual([
			'removed or renamed parameter: maker create options.timeout is gone',
			'removed or renamed parameter: maker get options.timeout is gone',
		]);
		expect(after((all) => void (find(all, 'blocks').options = [])).join()).toContain(
			'blocks.block.line',
		);
	});

	test('removed option value, also of a resource locator', () => {
		expect(after((all) => void find(all, 'mode').options?.pop())).toEqual([
			'removed option value: maker create mode "video" is gone',
		]);
		expect(after((all) => void find(all, 'locator').modes?.pop())).toEqual([
			'removed option value: maker create locator "id" is gone',
			'removed option value: maker get locator "id" is gone',
		]);
	});

	test('changed type', () => {
		expect(
			after((all) => void Object.assign(find(all, 'id'), { type: 'number', default: 0 })),
		).toEqual(['changed type: maker get id "string" became "number"']);
	});

	test('changed default', () => {
		expect(after((all) => void (inOptions(all)[0]!.default = 90))).toEqual([
			'changed default: maker create options.timeout 60 became 90',
			'changed default: maker get options.timeout 60 became 90',
		]);
	});

	test.each<[string, INodeProperties['displayOptions'], string]>([
		['fewer values', { show: { ...forCreate, mode: ['image'] } }, 'with mode = "video"'],
		[
			'another condition',
			{ show: { ...forCreate, mode: ['image', 'video'], simplify: [true] } },
			'with mode = "image"',
		],
		[
			'something that hides it',
			{ show: { ...forCreate, mode: ['image', 'video'] }, hide: { mode: ['image'] } },
			'with mode = "image"',
		],
		[
			'another parameter that hides it',
			{ show: { ...forCreate, mode: ['image', 'video'] }, hide: { simplify: [true] } },
			'with mode = "image"',
		],
	])('narrowed visibility: %s', (_, displayOptions, what) => {
		const breaks = after((all) => void Object.assign(find(all, 'prompt'), { displayOptions }));
		expect(breaks).toContain(`narrowed visibility: maker create prompt is no longer shown ${what}`);
	});

	test('narrowed to some values of a list, by two parameters', () => {
		const breaks = after((all) => [
			...all.filter(({ name }) => name !== 'prompt'),
			...['image', 'audio'].map((mode) =>
				text('prompt', { displayOptions: { show: { ...forCreate, mode: [mode] } } }),
			),
		]);
		expect(breaks).toEqual([
			'narrowed visibility: maker create prompt is no longer shown with mode = "video"',
		]);
	});

	test('narrowed to fewer operations is a removed parameter of the others', () => {
		const breaks = after(
			(all) => void Object.assign(find(all, 'locator'), { displayOptions: { show: forCreate } }),
		);
		expect(breaks).toEqual(['removed or renamed parameter: maker get locator is gone']);
	});

	test('a field of a credential', () => {
		const breaks = breaksBetween(surfaceOf([]), surfaceOf([], [text('apiKey', { default: 'x' })]));
		expect(words(breaks)).toEqual([
			'changed default: makerApi apiKey "" became "x"',
			'removed or renamed parameter: makerApi baseUrl is gone',
		]);
	});
});

describe('what breaks no saved workflow', () => {
	test.each<[string, (all: INodeProperties[]) => INodeProperties[] | void]>([
		[
			'labels and descriptions',
			(all) => all.map((one) => ({ ...one, displayName: 'X', description: 'Y' })),
		],
		['another order', (all) => all.reverse()],
		['a new parameter', (all) => [...all, text('seed')]],
		[
			'a new value',
			(all) => void find(all, 'mode').options?.push({ name: 'audio', value: 'audio' } as never),
		],
		[
			'shown in more cases',
			(all) => void (find(all, 'prompt').displayOptions = { show: forCreate }),
		],
		[
			'one parameter become two that are shown in the same cases',
			(all) => [
				...all.filter(({ name }) => name !== 'prompt'),
				...['image', 'video'].map((mode) =>
					text('prompt', { displayOptions: { show: { ...forCreate, mode: [mode] } } }),
				),
			],
		],
		[
			'one parameter become two that are together shown always, of which one only keeps the value',
			(all) => [
				...all.filter(({ name }) => name !== 'locator'),
				...[
					['image', 'resourceLocator'],
					['video', 'hidden'],
				].map(([mode, type]) => ({
					...find(properties(), 'locator'),
					type: type as 'hidden',
					displayOptions: { show: { operation: ['create'], mode: [mode] } } as never,
				})),
				{
					...find(properties(), 'locator'),
					displayOptions: { show: { operation: ['get'] } },
				},
			],
		],
		[
			'plain text become a locator, which takes plain text',
			(all) =>
				void Object.assign(find(all, 'id'), {
					type: 'resourceLocator',
					default: { mode: 'id', value: '' },
				}),
		],
	])('%s', (_, change) => {
		expect(after(change)).toEqual([]);
	});
});

describe('CHANGELOG', () => {
	const breaks: Break[] = [{ kind: 'changed default', where: 'maker get id', what: '1 became 2' }];

	test('gets the mark of the snapshot, in place of the last one', () => {
		const first = withSurface('# Changelog\n\n## 0.1.0\n\n- x\n', 'a', []);
		expect(first).toBe(`# Changelog\n\n${markOf('a')}\n\n## 0.1.0\n\n- x\n`);
		expect(withSurface(first, 'b', [])).toBe(first.replace(markOf('a'), markOf('b')));
	});

	test('names every break in the section on top', () => {
		const changed = withSurface('# C\n\n## 0.2.0\n\n- x\n\n## 0.1.0\n\n- y\n', 'a', breaks);
		const line = '- **Breaking** (changed default): `maker get id` 1 became 2.';
		expect(changed).toContain(`## 0.2.0\n\n- x\n${line}\n\n## 0.1.0\n\n- y\n`);
	});

	test('does not list breaks before the first release', () => {
		expect(withSurface('# C\n\n## 0.1.0 (unreleased)\n\n- x\n', 'a', breaks)).not.toContain(
			'Breaking',
		);
	});
});
