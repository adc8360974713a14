import {
	isExpression,
	type INodeProperties,
	type INodePropertyOptions,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { ENDPOINTS, type Endpoint } from '../../src/contract';
import { readNodes } from '../../scripts/nodes';
import { filesIn, read } from '../support/sources';

type NodeClass = new () => INodeType;

const files = filesIn('nodes', '.node.ts');

async function load(file: string): Promise<{ name: string; node: INodeType }> {
	const module = (await import(`../../${file}`)) as Record<string, NodeClass>;
	const [[name, Node]] = Object.entries(module) as [[string, NodeClass]];
	return { name, node: new Node() };
}

/** Fields of a collection are fields; the choices of an options field are not. */
const inner = ({ type, options = [] }: INodeProperties): INodeProperties[] => {
	if (type === 'collection') return options as INodeProperties[];
	if (type !== 'fixedCollection') return [];
	return options.flatMap((option) => ('values' in option ? option.values : []));
};

const allFields = (fields: INodeProperties[]): INodeProperties[] =>
	fields.flatMap((field) => [field, ...allFields(inner(field))]);

const operationsOf = ({ properties }: INodeTypeDescription) =>
	properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options = [], displayOptions }) =>
			options.map((option) => ({ option, displayOptions })),
		);

/** Fields whose purpose their name says, in the words of n8n's own nodes. */
const SELF_EVIDENT = [
	'operation',
	'resource',
	'options',
	'additionalFields',
	'updateFields',
	'filters',
	'notice',
];

/** Characters, roughly. */
const TWO_LINES = 100;

describe.each(files)('%s', (file) => {
	const load_ = load(file);

	test('is named as its file, with the package prefix left to n8n', async () => {
		const { name, node } = await load_;
		expect(file).toContain(`/${name}.node.ts`);
		expect(node.description.name).toBe(name.charAt(0).toLowerCase() + name.slice(1));
		expect(node.description.displayName).toMatch(/^MediaGen\b/);
		const codex = JSON.parse(read(file.replace(/\.ts$/, '.json'))) as { node: string };
		expect(codex.node).toBe(`n8n-nodes-mediagen.${node.description.name}`);
	});

	test('has a picture for light and one for dark', async () => {
		const { node } = await load_;
		const { light, dark } = node.description.icon as { light: string; dark: string };
		expect(light).not.toBe(dark);
		for (const icon of [light, dark])
			expect(read(icon.replace('file:..', 'nodes'))).toContain('<svg');
	});

	test('is found by every search of the panel: one of the category AI needs Root Nodes', async () => {
		await load_;
		// Without `resources` n8n drops the whole file.
		const { categories, subcategories, alias, resources } = JSON.parse(
			read(file.replace(/\.ts$/, '.json')),
		) as {
			categories: string[];
			subcategories?: { AI?: string[] };
			alias: string[];
			resources?: object;
		};
		expect(resources).toBeDefined();
		expect(alias.length).toBeGreaterThan(5);
		expect(categories.includes('AI')).toBe(subcategories?.AI?.includes('Root Nodes') ?? false);
	});

	test('has n8n evaluate nothing for an item but what the user has written', async () => {
		const { node } = await load_;
		const { requestDefaults = {}, properties } = node.description;
		const routed = allFields(properties).flatMap(({ routing }) => (routing ? [routing] : []));
		const written = JSON.stringify([requestDefaults, routed]);
		expect(written).not.toContain('"=');
	});

	test('every field has a description', async () => {
		const { node } = await load_;
		const silent = allFields(node.description.properties).filter(
			({ description, name, hint, type }) =>
				!description && !hint && type !== 'hidden' && !SELF_EVIDENT.includes(name),
		);
		expect(silent.map(({ name }) => name)).toEqual([]);
	});

	test('lists depend on a plain value: a locator as a whole never reads as changed', async () => {
		const { node } = await load_;
		const fields = allFields(node.description.properties);
		for (const { name, typeOptions } of fields) {
			for (const path of typeOptions?.loadOptionsDependsOn ?? []) {
				const [parent, ...rest] = String(path).split('.');
				const types = fields.filter((field) => field.name === parent).map(({ type }) => type);
				expect([name, path, types.length > 0]).toEqual([name, path, true]);
				const wanted = types.includes('resourceLocator') ? ['value'] : [];
				expect([name, path, rest]).toEqual([name, path, wanted]);
			}
		}
	});

	test('every top field is shown only where it belongs, and every default is of its type', async () => {
		const { node } = await load_;
		const operations = operationsOf(node.description);
		const [first] = node.description.properties;
		for (const field of node.description.properties) {
			const isShared = field === first || field.type === 'notice' || operations.length === 0;
			if (!isShared && field.name !== 'operation' && field.name !== 'unknown')
				expect(field.displayOptions?.show).toHaveProperty('operation');
		}
		for (const { type, default: value, name } of allFields(node.description.properties)) {
			if (type === 'boolean') expect([name, typeof value]).toEqual([name, 'boolean']);
			if (type === 'number' && value !== '') expect([name, typeof value]).toEqual([name, 'number']);
			if (type === 'string' && !isExpression(value))
				expect([name, typeof value]).toEqual([name, 'string']);
			if (type === 'collection') expect([name, value]).toEqual([name, {}]);
		}
	});

	test('what n8n shows in two lines under a choice fits there', async () => {
		const { node } = await load_;
		const texts = allFields(node.description.properties)
			.filter(({ type }) => type === 'options' || type === 'multiOptions')
			.flatMap(({ options = [] }) => options as INodePropertyOptions[])
			.map(({ description = '' }) => description);
		expect(texts.filter((text) => text.length > TWO_LINES)).toEqual([]);
	});

	test('names of fields are unique within an operation', async () => {
		const { node } = await load_;
		for (const { option } of operationsOf(node.description)) {
			const value = 'value' in option ? option.value : undefined;
			const names = node.description.properties
				.filter(({ type }) => type !== 'hidden')
				.filter(({ displayOptions }) => displayOptions?.show?.operation?.includes(value as string))
				.map(({ name, displayOptions }) =>
					JSON.stringify([name, displayOptions?.show?.resource, displayOptions]),
				);
			expect(new Set(names).size).toBe(names.length);
		}
	});

	test('what it says of other nodes names them as the editor shows them', async () => {
		const { node } = await load_;
		const names = await Promise.all(
			files.map(async (each) => (await load(each)).node.description.displayName),
		);
		// The second credential bears the name of a node.
		const said = JSON.stringify(node.description).replaceAll('MediaGen Webhook Secret API', '');
		const mentioned = said.match(/MediaGen( [A-Z][a-z]+)+/g) ?? [];
		expect(mentioned.filter((text) => !names.includes(text))).toEqual([]);
	});

	test('every search that a field names exists', async () => {
		const { node } = await load_;
		const named = allFields(node.description.properties)
			.flatMap(({ modes = [] }) => modes)
			.flatMap(({ typeOptions }) => typeOptions?.searchListMethod ?? []);
		for (const name of named) expect(Object.keys(node.methods?.listSearch ?? {})).toContain(name);
	});
});

test('each operation says what it costs, and one that creates something that a retry is safe', async () => {
	const operations = (await readNodes()).flatMap((node) => node.operations);
	expect(operations.length).toBeGreaterThan(30);
	for (const { operation } of operations) {
		const { action, description, spec } = operation;
		const cost = spec.charges ? /\b(costs?|paid for|reserves)\b/i : /\bcosts nothing\b/i;
		expect([action, description]).toEqual([action, expect.stringMatching(cost)]);
		if (spec.creates)
			expect([action, description]).toEqual([action, expect.stringMatching(/retries never/)]);
	}
});
