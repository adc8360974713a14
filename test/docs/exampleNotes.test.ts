import {
	NodeHelpers,
	type INode,
	type INodeProperties,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { readExamples } from '../../lab/demo/examples';
import { readNodes } from '../../scripts/nodes';

/**
 * The notes in the examples. In bold: a node of the example, or the credential. In italics: what the
 * editor shows, such as a field of ours, one of its values (_Field: Value_), an operation
 * (_Node > Operation_), or a word of n8n's own.
 */
const CREDENTIAL = 'MediaGen account';

/** Buttons, settings and nodes of n8n 2.41 that notes speak of. */
const OF_N8N = [
	'Execute workflow, Data tables, Import CSV, Open chat, Bearer Auth, Approve, Decline, On Error: Continue',
	'Extract from File, Loop Over Items, Read/Write Files from Disk, Send Email',
	'Google Docs, Google Drive, HTML, S3, Slack',
].flatMap((names) => names.split(', '));

const OURS = /^n8n-nodes-mediagen\.(\w+?)(Tool)?$/;

const descriptions = new Map<string, INodeTypeDescription>();

beforeAll(async () => {
	for (const { description } of await readNodes()) descriptions.set(description.name, description);
});

const isNote = ({ type }: INode) => type === 'n8n-nodes-base.stickyNote';

const examples = readExamples().map(({ name, nodes }) => ({
	name,
	nodes: nodes.filter((node) => !isNote(node)),
	notes: nodes.filter(isNote),
}));

const BOLD = /\*\*([^*]+)\*\*/g;
const ITALICS = /\*([^*]+)\*/g;

const found = (text: string, pattern: RegExp) =>
	[...text.matchAll(pattern)].map(([, words = '']) => words);

/** A field, those within it, and what can be chosen in it: `Field`, `Field: Value`. */
function labels({ displayName, type, options = [] }: INodeProperties): string[] {
	const inner = options.flatMap((option) => {
		if ('values' in option) return option.values.flatMap(labels);
		return 'type' in option ? labels(option) : [];
	});
	const values = type.toLowerCase().includes('options')
		? options.map(({ name }) => `${displayName}: ${name}`)
		: [];
	return [displayName, ...values, ...inner];
}

/** What the editor shows of one of our nodes as it is set. */
function shownBy(node: INode): string[] {
	const description = descriptions.get(OURS.exec(node.type)?.[1] ?? '');
	if (!description) return [];
	const { properties } = description;
	const values = NodeHelpers.getNodeParameters(
		properties,
		node.parameters,
		true,
		false,
		node,
		description,
	);
	return properties
		.filter((one) => NodeHelpers.displayParameter(values ?? {}, one, node, description))
		.flatMap(labels);
}

/** Each operation as `Node > Operation`, or with several resources `Node > Resource: Operation`. */
function operations({ displayName, properties }: INodeTypeDescription): string[] {
	const resources = properties.find(({ name }) => name === 'resource')?.options ?? [];
	const resourceOf = ({ displayOptions }: INodeProperties) =>
		resources.find((one) => 'value' in one && displayOptions?.show?.resource?.includes(one.value))
			?.name;
	return properties
		.filter(({ name }) => name === 'operation')
		.flatMap((property) => {
			const resource = resourceOf(property);
			return (property.options ?? []).map(
				({ name }) => `${displayName} > ${resource ? `${resource}: ` : ''}${name}`,
			);
		});
}

test.each(examples)('$name: its notes name what it has and what the editor shows', (example) => {
	const { nodes, notes } = example;
	const text = notes.map(({ parameters }) => String(parameters.content)).join('\n');
	const inBold = [...nodes.map(({ name }) => name), CREDENTIAL];
	expect(found(text, BOLD).filter((words) => !inBold.includes(words))).toEqual([]);
	const all = [...descriptions.values()].flatMap(operations);
	const inItalics = [...OF_N8N, ...nodes.flatMap(shownBy), ...all];
	const italics = found(text.replace(BOLD, ''), ITALICS);
	expect(italics.filter((words) => !inItalics.includes(words))).toEqual([]);
});
