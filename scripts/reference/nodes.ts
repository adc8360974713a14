import type { INodeProperties } from 'n8n-workflow';
import { errorTable } from './errors';
import { fieldTable, isShown } from './fields';
import { outputTable } from './outputs';
import { readNodes, type ShownNode, type ShownOperation } from './readNodes';
import { table } from './table';

/** What a trigger puts out is not an answer of the service, so no schema says it. */
const TRIGGER_OUTPUTS: Record<string, string> = {
	'event-trigger':
		'One item for each event. Its fields: [what comes out](../triggers.md#what-comes-out). With _Download Outputs_ the files are in the binary fields `data`, `data_1` and so on.',
	'polling-trigger':
		'One item for each generation that has finished since the last poll, as [MediaGen: Get](mediagen.md#get) gives it. With _Download Outputs_ the files are in the binary fields `data`, `data_1` and so on. How it knows what is new: [triggers](../triggers.md#mediagen-polling-trigger).',
};

const titleOf = ({ resource, operation }: ShownOperation) =>
	resource ? `${resource.name}: ${operation.name}` : operation.name;

const anchorOf = (title: string) => title.toLowerCase().replaceAll(':', '').replaceAll(' ', '-');

function operationSection(properties: INodeProperties[], shown: ShownOperation): string {
	const { operation, resource } = shown;
	const { method, path, scope } = operation.spec.endpoint;
	const chosen = { operation: operation.value, ...(resource && { resource: resource.value }) };
	const fields = properties.filter(
		(one) => !['operation', 'resource'].includes(one.name) && isShown(one, chosen),
	);
	const request = `\`${method} ${path}\`${scope ? `, scope \`${scope}\`` : ''}`;
	return [
		`## ${titleOf(shown)}`,
		`${operation.description.replace(/\.$/, '')}. ${request}.`,
		fieldTable(fields),
		`**Output.** ${outputTable(shown)}`,
	].join('\n\n');
}

function page(node: ShownNode): string {
	const { description, slug, operations } = node;
	const { displayName, name, properties, usableAsTool } = description;
	const tool = usableAsTool ? ' AI agents can use it as a [tool](../ai-agents.md).' : '';
	const contents = operations.map((one) => `[${titleOf(one)}](#${anchorOf(titleOf(one))})`);
	const body =
		operations.length > 0
			? [
					`Operations: ${contents.join(', ')}. [Errors](#errors).`,
					...operations.map((one) => operationSection(properties, one)),
				]
			: [`## Fields\n\n${fieldTable(properties)}`, `## Output\n\n${TRIGGER_OUTPUTS[slug] ?? ''}`];
	return `${[
		`# ${displayName}`,
		`${description.description}. Node type \`n8n-nodes-mediagen.${name}\`.${tool}`,
		`![The panel of ${displayName} in the n8n editor](../images/nodes/${slug}.png)`,
		...body,
		'## Errors',
		`The messages that this node can give, out of [all of them](../troubleshooting.md).`,
		errorTable(node),
		'Written by `npm run reference` from the node itself. A star marks what must be filled in.',
	].join('\n\n')}\n`;
}

function overview(nodes: ShownNode[]): string {
	const rows = nodes.map(({ description, slug, operations }) => [
		`[${description.displayName}](nodes/${slug}.md)`,
		description.description,
		operations
			.map((one) => `[${titleOf(one)}](nodes/${slug}.md#${anchorOf(titleOf(one))})`)
			.join(', '),
	]);
	return [
		'# Nodes',
		'',
		'Each has a page with its panel, its fields, what it outputs and what can go wrong. Written by `npm run reference` from the',
		'nodes themselves.',
		'',
		table(['Node', 'What it is for', 'Operations'], rows),
		'',
	].join('\n');
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
	return new Map([
		['docs/nodes.md', overview(byName)],
		...byName.map((node): [string, string] => [`docs/nodes/${node.slug}.md`, page(node)]),
	]);
}
