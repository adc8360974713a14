/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { projectRoot } from '../lab/process/paths';
import { readNodes, type OfferedOperation, type RegisteredNode } from './nodes';
import type { JsonSchema } from './schemas';

/** Text as it can stand in a cell of a table. Descriptions of fields may hold links, but no other markup. */
const cell = (text: string): string =>
	text
		.replaceAll('|', '\\|')
		.replaceAll('\n', ' ')
		.replaceAll(/<(?!\/?a\b)/g, '&lt;');

/** A table in Markdown; the cells hold Markdown. */
function table(head: string[], rows: string[][]): string {
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

type Shown = Record<string, unknown[]>;

/** Whether a property is shown for these values of the properties above it. */
function isShown({ displayOptions }: INodeProperties, values: Record<string, unknown>): boolean {
	const { show = {}, hide = {} } = (displayOptions ?? {}) as { show?: Shown; hide?: Shown };
	const known = (rules: Shown) => Object.entries(rules).filter(([name]) => name in values);
	const fits = ([name, wanted]: [string, unknown[]]) => wanted.includes(values[name]);
	return known(show).every(fits) && !known(hide).some(fits);
}

function valueOf({ type, default: usual, options, modes = [] }: INodeProperties): string {
	if (type === 'resourceLocator') return modes.map((mode) => mode.displayName).join(', ');
	const names = (options ?? []).map((option) => option.name).join(', ');
	if (type === 'options') return names;
	if (type === 'multiOptions') return names ? `any of ${names}` : 'any from a list';
	const shown = typeof usual === 'object' ? '' : String(usual ?? '');
	return shown === '' ? type : `${type}, default ${shown}`;
}

/** Whether only a tool of an AI agent has the field. */
const isOfTool = ({ displayOptions }: INodeProperties): boolean =>
	displayOptions?.show?.['@tool']?.includes(true) ?? false;

/** A field whose default alone is another as a tool stands once, as in a workflow. */
const inWorkflow = (properties: INodeProperties[]): INodeProperties[] =>
	properties.filter(
		(property) =>
			!isOfTool(property) ||
			!properties.some(
				(other) =>
					other.name === property.name &&
					other.description === property.description &&
					!isOfTool(other),
			),
	);

function fieldRows(properties: INodeProperties[], within = ''): string[][] {
	return inWorkflow(properties).flatMap((property) => {
		const { displayName, name, required, description = '', type, options = [] } = property;
		if (type === 'notice' || type === 'hidden') return [];
		const label = `${within}${displayName}${required ? ' *' : ''}${isOfTool(property) ? ' (as a tool)' : ''}`;
		const own = [cell(label), `\`${name}\``, cell(valueOf(property)), cell(description)];
		if (type === 'collection') return fieldRows(options as INodeProperties[], `${displayName} → `);
		if (type === 'fixedCollection') {
			const values = (options as Array<{ values: INodeProperties[] }>).flatMap((one) => one.values);
			return [own, ...fieldRows(values, `${displayName} → `)];
		}
		return [own];
	});
}

const FIELD_COLUMNS = ['Field', 'Parameter', 'Value', 'What it is'];

/** A field is described once, on the page of all nodes, if this many operations have it. */
const OPERATIONS_OF_COMMON_FIELD = 3;

/** The rows of the fields that many operations have, in the order of their labels. */
function commonRows(nodes: RegisteredNode[]): string[][] {
	const all = nodes.flatMap((node) =>
		node.operations.flatMap((one) => fieldRows(fieldsOf(node, one))),
	);
	const counts = new Map<string, { row: string[]; operations: number }>();
	for (const row of all) {
		const known = counts.get(row.join()) ?? { row, operations: 0 };
		counts.set(row.join(), { row, operations: known.operations + 1 });
	}
	return [...counts.values()]
		.filter(({ operations }) => operations >= OPERATIONS_OF_COMMON_FIELD)
		.map(({ row }) => row)
		.sort(([a = ''], [b = '']) => a.localeCompare(b));
}

/** The names of fields, those of a collection after its name: `Limit; Options: Dry Run, Result Field`. */
function namesOf(rows: string[][]): string {
	const groups = new Map<string, string[]>();
	for (const [label = ''] of rows) {
		const [name = '', group = ''] = label.replace(' *', '').split(' → ').reverse();
		groups.set(group, [...(groups.get(group) ?? []), name]);
	}
	return [...groups]
		.map(([group, names]) => (group === '' ? '' : `${group}: `) + names.join(', '))
		.join('; ');
}

/** What can be filled in: a line for each field, and the names of those that `common` describes. */
function fieldTable(properties: INodeProperties[], common: string[][] = []): string {
	const lines = fieldRows(properties);
	if (lines.length === 0) return 'No fields.';
	const isCommon = (line: string[]) => common.some((row) => row.join() === line.join());
	const own = lines.filter((line) => !isCommon(line));
	const shared = lines.filter(isCommon);
	return [
		own.length > 0 && table(FIELD_COLUMNS, own),
		shared.length > 0 && `[Common fields](../nodes.md#common-fields): ${namesOf(shared)}.`,
	]
		.filter(Boolean)
		.join('\n\n');
}

const code = (text: unknown) => `\`${String(text)}\``;

function schemaType({ type, enum: values, const: constant, items }: JsonSchema): string {
	if (constant !== undefined) return code(constant);
	if (values) return values.map(code).join(', ');
	if (type === 'array') {
		if (items?.enum) return `list of ${schemaType(items)}`;
		return items?.type ? `list of ${schemaType(items)}s` : 'list';
	}
	if (Array.isArray(type)) return type.length > 3 ? 'anything' : type.join(' or ');
	return type ?? 'anything';
}

/** The fields of a schema; of a list of objects also the fields of an entry. The editor shows the rest. */
function outputRows({ properties = {} }: JsonSchema, within = ''): string[][] {
	return Object.entries(properties).flatMap(([name, schema]) => {
		const { description, items } = schema;
		const said = description ? `: ${cell(description)}` : '';
		return [
			[code(within + name), schemaType(schema) + said],
			...(within === '' && items ? outputRows(items, `${name}[].`) : []),
		];
	});
}

/** What an operation outputs: the fields that the editor offers before the first run, and the files. */
function outputOf({ operation, resource }: OfferedOperation, folder: string) {
	const { fields, spec, value } = operation;
	const names = fields.flatMap((field) => [field, ...(field.fields ?? [])]).map(({ name }) => name);
	const file = path.join(folder, '__schema__/v1.0.0', resource?.value ?? '', `${value}.json`);
	const schema = JSON.parse(readFileSync(path.join(projectRoot, file), 'utf8')) as JsonSchema;
	const lines = outputRows(schema);
	const said = [
		spec.output === 'list' ? `One item for each ${spec.perform ? 'check' : 'entry'}.` : 'One item.',
		names.includes('downloadOutputs') &&
			'With _Download Outputs_ the files are in its binary fields `data`, `data_1` and so on.',
		names.includes('downloadPreview') &&
			'With _Download Preview_ the preview is in its binary field `data`.',
		names.includes('dryRun') && 'A [dry run](../credits.md#dry-run) outputs the request instead.',
		lines.length === 0 &&
			'The API does not name its fields: they come out as the service gives them.',
	];
	const rows = lines.length > 0 ? table(['Field', 'Value'], lines) : '';
	return { said: said.filter(Boolean).join(' '), rows };
}

/** What a trigger puts out is not an answer of the service, so no schema says it. */
const TRIGGER_OUTPUTS: Record<string, string> = {
	trigger:
		'One item for each event. Its fields: [what comes out](../triggers.md#what-comes-out). With _Download Outputs_ the files are in the binary fields `data`, `data_1` and so on.',
	'polling-trigger':
		'One item for each generation that has finished since the last poll, as [MediaGen: Get](mediagen.md#get) gives it. With _Download Outputs_ the files are in the binary fields `data`, `data_1` and so on. How it knows what is new: [triggers](../triggers.md#mediagen-polling-trigger).',
};

/** What n8n shows of MediaGen Trigger is said of the whole package: the description of the node. */
const purposeOf = ({ slug, description }: RegisteredNode) =>
	slug === 'trigger' ? 'Starts a workflow when something is done' : description.description;

const titleOf = ({ resource, operation }: OfferedOperation) =>
	resource ? `${resource.name}: ${operation.name}` : operation.name;

const anchorOf = (title: string) => title.toLowerCase().replaceAll(':', '').replaceAll(' ', '-');

/** The fields that the editor shows for an operation. */
function fieldsOf(
	{ description }: RegisteredNode,
	{ operation, resource }: OfferedOperation,
): INodeProperties[] {
	const chosen = { operation: operation.value, ...(resource && { resource: resource.value }) };
	return description.properties.filter(
		(one) => !['operation', 'resource'].includes(one.name) && isShown(one, chosen),
	);
}

/** The operations of a node, each output described where it comes first. */
function operationSections(node: RegisteredNode, common: string[][]): string[] {
	const firstWith = new Map<string, string>();
	return node.operations.map((shown) => {
		const { operation } = shown;
		const { endpoint, perform } = operation.spec;
		const { method, path, scope } = endpoint;
		const asked = `\`${method} ${path}\`${scope ? `, scope \`${scope}\`` : ''}`;
		const title = titleOf(shown);
		const { said, rows } = outputOf(shown, node.folder);
		const first = firstWith.get(rows);
		firstWith.set(rows, first ?? title);
		const output =
			rows === '' || first === undefined
				? `**Output.** ${said}\n\n${rows}`
				: `**Output.** ${said} Fields: as [${first}](#${anchorOf(first)}).`;
		return [
			`## ${title}`,
			`${operation.description.replace(/\.$/, '')}. ${perform ? 'Up to 20 requests' : asked}.`,
			fieldTable(fieldsOf(node, shown), common),
			output.trimEnd(),
		].join('\n\n');
	});
}

function page(node: RegisteredNode, common: string[][]): string {
	const { description, slug, operations } = node;
	const { displayName, name, properties, usableAsTool } = description;
	const tool = usableAsTool ? ' AI agents can use it as a [tool](../ai-agents.md).' : '';
	const contents = operations.map((one) => `[${titleOf(one)}](#${anchorOf(titleOf(one))})`);
	const body =
		operations.length > 0
			? [`Operations: ${contents.join(', ')}.`, ...operationSections(node, common)]
			: [`## Fields\n\n${fieldTable(properties)}`, `## Output\n\n${TRIGGER_OUTPUTS[slug] ?? ''}`];
	return `${[
		`# ${displayName}`,
		`${purposeOf(node)}. Node type \`n8n-nodes-mediagen.${name}\`.${tool}`,
		`![The panel of ${displayName} in the n8n editor](../images/nodes/${slug}.png)`,
		...body,
		'What its errors mean and what to do: [troubleshooting](../troubleshooting.md).',
		'This page is written by `npm run write` from the node itself. A star marks what must be filled in.',
	].join('\n\n')}\n`;
}

function overview(nodes: RegisteredNode[]): string {
	const rows = nodes.map((node) => {
		const file = `nodes/${node.slug}.md`;
		const contents = node.operations.map(
			(one) => `[${titleOf(one)}](${file}#${anchorOf(titleOf(one))})`,
		);
		return [`[${node.description.displayName}](${file})`, purposeOf(node), contents.join(', ')];
	});
	return `# Nodes

Each has a page with its panel, its fields and what it outputs. This page is written by \`npm run write\`
from the nodes themselves.

${table(['Node', 'What it is for', 'Operations'], rows)}

## Common fields

Several operations have these. The page of a node names them and describes its others.

${table(FIELD_COLUMNS, commonRows(nodes))}
`;
}

/**
 * The pages about the nodes, from what the editor itself shows, by their paths from the root of the
 * project.
 */
export async function nodePages(): Promise<Map<string, string>> {
	const nodes = await readNodes();
	const byName = nodes.sort((a, b) =>
		a.description.displayName.localeCompare(b.description.displayName),
	);
	const common = commonRows(nodes);
	return new Map([
		['docs/nodes.md', overview(byName)],
		...byName.map((node): [string, string] => [`docs/nodes/${node.slug}.md`, page(node, common)]),
	]);
}

async function main(): Promise<void> {
	const pages = await nodePages();
	const folder = path.join(projectRoot, 'docs', 'nodes');
	// The page of a node that is gone goes too.
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder);
	for (const [file, text] of pages) writeFileSync(path.join(projectRoot, file), text);
}

if (require.main === module) void main();
