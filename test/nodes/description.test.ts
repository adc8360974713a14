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

/** What a creation does unless an option switches it off. */
const ON_WITHOUT_OPTION = ['waitForCompletion', 'downloadOutputs'];

/** Characters, roughly. */
const TWO_LINES = 100;

const isSorted = (names: string[]) =>
	names.every((name, index) => index === 0 || (names[index - 1] ?? '').localeCompare(name) <= 0);

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

	test('takes the credential; it is not required where a dry run needs none', async () => {
		const { node } = await load_;
		const [first] = node.description.credentials ?? [];
		expect(first).toMatchObject({ name: 'mediaGenApi' });
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

	test('the fields of a collection and the choices of a list are in the order of the alphabet', async () => {
		const { node } = await load_;
		for (const field of allFields(node.description.properties)) {
			// The slots of media stand in the order in which people look for them.
			if (field.type === 'collection' && field.name !== 'input') {
				const names = inner(field).map(({ displayName }) => displayName);
				expect([field.name, isSorted(names), names]).toEqual([field.name, true, names]);
			}
			// The operations stand in the order in which people want them.
			if (field.name === 'operation') continue;
			if (field.type === 'options' && (field.options ?? []).length >= 5) {
				const names = (field.options ?? []).map(({ name }) => name);
				expect([field.name, isSorted(names), names]).toEqual([field.name, true, names]);
			}
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

	test('a length of time or text has its unit in the label', async () => {
		const { node } = await load_;
		const measured = allFields(node.description.properties).filter(({ name }) =>
			/timeout|duration|length/i.test(name),
		);
		for (const { displayName } of measured)
			expect(displayName).toMatch(/ \((Minutes|Seconds|Characters)\)$/);
	});

	test('media begin with the file of the item, a limit of credits with a number', async () => {
		const { node } = await load_;
		for (const field of allFields(node.description.properties)) {
			if (field.modes?.some(({ name }) => name === 'binary'))
				expect(field).toHaveProperty('default', { __rl: true, mode: 'binary', value: 'data' });
			if (field.name === 'maxCredits') expect(field).toHaveProperty('default', 100);
		}
	});

	// For a node without a link of its own n8n shows the page of the package.
	test('the link to its documentation is the one that n8n gives it', async () => {
		const { node } = await load_;
		const codex = JSON.parse(read(file.replace(/\.ts$/, '.json'))) as { resources: object };
		expect([node.description.documentationUrl, codex.resources]).toEqual([undefined, {}]);
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

	test('every operation calls an endpoint of the specification, checks before and runs the runner', async () => {
		const { node } = await load_;
		const known = (Object.values(ENDPOINTS) as Endpoint[]).map(
			({ method, path }) => `${method} ${path}`,
		);
		for (const { option } of operationsOf(node.description)) {
			const { routing, action, description } = option as INodePropertyOptions;
			expect(known).toContain(`${routing?.request?.method} ${routing?.request?.url}`);
			expect(routing?.send?.preSend).toHaveLength(1);
			expect(routing?.send?.paginate).toBe(true);
			expect(typeof routing?.operations?.pagination).toBe('function');
			expect([action, description].every(Boolean)).toBe(true);
		}
	});

	test('an option that is added opens as nobody has it who does not add it', async () => {
		const { node } = await load_;
		const flags = node.description.properties
			.flatMap(inner)
			.filter(({ type }) => type === 'boolean');
		const isTrigger = node.description.group.includes('trigger');
		const isOn = (name: string) => !isTrigger && ON_WITHOUT_OPTION.includes(name);
		for (const { name, default: usual } of flags)
			expect([name, usual]).toEqual([name, !isOn(name)]);
	});

	test('a locator has the mark of n8n, which adds it at the top of a node only', async () => {
		const { node } = await load_;
		const locators = allFields(node.description.properties).filter(
			({ type }) => type === 'resourceLocator',
		);
		for (const field of locators) expect(field).toHaveProperty('default.__rl', true);
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

test('an ID is that of the item before, except of what is to be deleted', async () => {
	for (const [file, name] of [
		['nodes/Job/MediaGenJob.node.ts', 'jobId'],
		['nodes/Speech/MediaGenSpeech.node.ts', 'speechId'],
	] as const) {
		const { node } = await load(file);
		const fields = node.description.properties.filter((field) => field.name === name);
		expect(new Set(fields.map((field) => field.default))).toEqual(new Set(['={{ $json.id }}']));
	}
	for (const [file, name] of [
		['nodes/MediaGen/MediaGen.node.ts', 'generationId'],
		['nodes/AgentRun/MediaGenAgentRun.node.ts', 'agentRunId'],
		['nodes/Persona/MediaGenPersona.node.ts', 'personaId'],
		['nodes/Voice/MediaGenVoice.node.ts', 'voiceId'],
		['nodes/Webhook/MediaGenWebhook.node.ts', 'webhookId'],
	] as const) {
		const { node } = await load(file);
		const fields = node.description.properties.filter((field) => field.name === name);
		expect(fields.length).toBeGreaterThan(0);
		for (const { default: usual, displayOptions } of fields) {
			const isDelete = displayOptions?.show?.operation?.includes('delete');
			const wanted = isDelete
				? { __rl: true, mode: 'list', value: '' }
				: { __rl: true, mode: 'id', value: '={{ $json.id }}' };
			expect([displayOptions?.show, usual]).toEqual([displayOptions?.show, wanted]);
		}
	}
});

test('from what makes something a builder is led to waiting for it and to its event', async () => {
	const all = await Promise.all(files.map(load));
	const types = all.map(({ node }) => `n8n-nodes-mediagen.${node.description.name}`);
	for (const { node } of all) {
		const { name, builderHint } = node.description;
		const related = (builderHint?.relatedNodes ?? []).map(({ nodeType }) => nodeType);
		expect(types).toEqual(expect.arrayContaining(related));
		if (!['mediaGen', 'mediaGenSpeech', 'mediaGenAgentRun'].includes(name)) continue;
		const wanted = ['n8n-nodes-mediagen.mediaGenJob', 'n8n-nodes-mediagen.mediaGenTrigger'];
		expect([name, related]).toEqual([name, expect.arrayContaining(wanted)]);
	}
});

test('a webhook costs nothing and is not media: its fields speak of neither', async () => {
	const { node } = await load('nodes/Webhook/MediaGenWebhook.node.ts');
	const said = JSON.stringify(node.description.properties);
	expect(said.match(/[^"]*\b(pay|pays|paid|media)\b[^"]*/gi)).toBeNull();
});
