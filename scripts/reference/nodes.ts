/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { INodeProperties, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { projectRoot } from '../../lab/process/paths';

type Shown = Record<string, unknown[]>;

/** The nodes of the package, in the order of package.json. */
async function readNodes(): Promise<INodeTypeDescription[]> {
	const { n8n } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8')) as {
		n8n: { nodes: string[] };
	};
	const sources = n8n.nodes.map((file) => file.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
	const modules = sources.map(
		async (file) =>
			(await import(path.join(projectRoot, file))) as Record<string, new () => INodeType>,
	);
	const classes = (await Promise.all(modules)).flatMap((exports) => Object.values(exports));
	return classes.map((Node) => new Node().description);
}

/** Whether a property is shown for these values of the properties above it. */
function isShown({ displayOptions }: INodeProperties, values: Record<string, unknown>): boolean {
	const { show = {}, hide = {} } = (displayOptions ?? {}) as { show?: Shown; hide?: Shown };
	const fits = (rules: Shown) =>
		Object.entries(rules).filter(
			([name, wanted]) => name in values && wanted.includes(values[name]),
		);
	const asked = Object.keys(show).filter((name) => name in values);
	return fits(show).length === asked.length && fits(hide).length === 0;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function valueOf({ type, default: usual, options }: INodeProperties): string {
	if (type === 'resourceLocator') return 'from a list or by ID';
	if (type === 'options') {
		return (options ?? []).map((option) => option.name).join(', ');
	}
	const shown = typeof usual === 'object' ? '' : String(usual ?? '');
	return shown === '' ? type : `${type}, default ${shown}`;
}

function rows(properties: INodeProperties[], within = ''): string[] {
	return properties.flatMap((property) => {
		const { displayName, name, required, description = '', type, options = [] } = property;
		if (type === 'notice') return [];
		const label = `${within}${displayName}${required ? ' *' : ''}`;
		const own = `| ${cell(label)} | \`${name}\` | ${cell(valueOf(property))} | ${cell(description)} |`;
		if (type === 'collection') {
			return rows(options as INodeProperties[], `${displayName} → `);
		}
		if (type === 'fixedCollection') {
			const values = (options as Array<{ values: INodeProperties[] }>).flatMap((one) => one.values);
			return [own, ...rows(values, `${displayName} → `)];
		}
		return [own];
	});
}

const HEAD = '| Field | Parameter | Value | What it is |\n|---|---|---|---|';

function table(properties: INodeProperties[]): string {
	const lines = rows(properties);
	return lines.length === 0 ? 'No fields.' : `${HEAD}\n${lines.join('\n')}`;
}

function choices(properties: INodeProperties[], name: string, values: Record<string, unknown>) {
	const property = properties.find((one) => one.name === name && isShown(one, values));
	return (property?.options ?? []) as Array<{ name: string; value: string; description?: string }>;
}

function operations(
	properties: INodeProperties[],
	values: Record<string, unknown>,
	title = '',
): string[] {
	const isField = ({ name }: INodeProperties) => name !== 'operation' && name !== 'resource';
	return choices(properties, 'operation', values).map(({ name, value, description }) => {
		const chosen = { ...values, operation: value };
		const fields = properties.filter((one) => isField(one) && isShown(one, chosen));
		return `### ${title}${name}\n\n${description ?? ''}.\n\n${table(fields)}`;
	});
}

function section({ displayName, name, description, properties }: INodeTypeDescription): string {
	const head = `## ${displayName}\n\n${description}. Node type \`n8n-nodes-mediagen.${name}\`.`;
	const resources = choices(properties, 'resource', {});
	const parts =
		resources.length > 0
			? resources.flatMap(({ value, name: title }) => {
					const before = resources.length > 1 ? `${title}: ` : '';
					return operations(properties, { resource: value }, before);
				})
			: operations(properties, {});
	return [head, ...(parts.length > 0 ? parts : [table(properties)])].join('\n\n');
}

/** The reference of all nodes as Markdown, from what the editor itself shows. */
export async function nodesReference(): Promise<string> {
	const intro =
		'# Nodes\n\nWritten by `npm run reference` from the nodes themselves. A star marks what must be filled in.';
	const sections = (await readNodes()).map(section);
	return `${[intro, ...sections].join('\n\n')}\n`;
}
