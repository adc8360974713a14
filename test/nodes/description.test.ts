import type { INodeProperties, INodeType } from 'n8n-workflow';
import { readNodes } from '../../scripts/nodes';
import { filesIn, read } from '../support/sources';

const files = filesIn('nodes', '.node.ts');

/** What stands beside a node: without `resources` n8n drops the whole file. */
interface Codex {
	node: string;
	categories: string[];
	subcategories?: { AI?: string[] };
	resources?: object;
}

async function load(file: string) {
	const module = (await import(`../../${file}`)) as Record<string, new () => INodeType>;
	const [Node] = Object.values(module) as [new () => INodeType];
	const codex = JSON.parse(read(file.replace(/\.ts$/, '.json'))) as Codex;
	const { description, methods } = new Node();
	return { description, methods, codex, fields: allFields(description.properties) };
}

/** Fields of a collection are fields; the choices of an options field are not. */
function inner({ type, options = [] }: INodeProperties): INodeProperties[] {
	if (type === 'collection') return options as INodeProperties[];
	if (type !== 'fixedCollection') return [];
	return options.flatMap((option) => ('values' in option ? option.values : []));
}

function allFields(fields: INodeProperties[]): INodeProperties[] {
	return fields.flatMap((field) => [field, ...allFields(inner(field))]);
}

/** Fields whose purpose their name says, in the words of n8n's own nodes. */
const SELF_EVIDENT =
	'operation resource options additionalFields updateFields filters notice'.split(' ');

describe.each(files)('%s', (file) => {
	const loaded = load(file);

	test('is found by every search of the panel: one of the category AI needs Root Nodes', async () => {
		const { description, codex } = await loaded;
		expect(codex.node).toBe(`n8n-nodes-mediagen.${description.name}`);
		expect(codex.resources).toBeDefined();
		const { categories, subcategories } = codex;
		expect(categories.includes('AI')).toBe(subcategories?.AI?.includes('Root Nodes') ?? false);
	});

	test('every field has a description', async () => {
		const { fields } = await loaded;
		const silent = fields.filter(
			(field) =>
				!field.description &&
				!field.hint &&
				field.type !== 'hidden' &&
				!SELF_EVIDENT.includes(field.name),
		);
		expect(silent.map(({ name }) => name)).toEqual([]);
	});

	test('a notice has no markup but links and lists: of any other n8n shows the text without it', async () => {
		const { fields } = await loaded;
		const notices = fields.filter(({ type }) => type === 'notice');
		const tags = notices.flatMap(({ displayName }) => displayName.match(/<\w+/g) ?? []);
		expect(tags.filter((tag) => !['<a', '<ul', '<li'].includes(tag))).toEqual([]);
	});

	test('a list that it names exists, and depends on a plain value: a locator never reads as changed', async () => {
		const { fields, methods } = await loaded;
		for (const { name, modes = [], typeOptions } of fields) {
			for (const { typeOptions: { searchListMethod } = {} } of modes)
				if (searchListMethod !== undefined)
					expect(Object.keys(methods?.listSearch ?? {})).toContain(searchListMethod);
			for (const path of typeOptions?.loadOptionsDependsOn ?? []) {
				const [parent, ...rest] = String(path).split('.');
				const types = fields.filter((field) => field.name === parent).map(({ type }) => type);
				expect([name, path, types]).not.toEqual([name, path, []]);
				const wanted = types.includes('resourceLocator') ? ['value'] : [];
				expect([name, path, rest]).toEqual([name, path, wanted]);
			}
		}
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
