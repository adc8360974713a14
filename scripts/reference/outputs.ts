import type { ShownOperation } from './readNodes';
import type { JsonSchema } from '../schemas/jsonSchema';
import { cell, table } from './table';

const code = (text: unknown) => `\`${String(text)}\``;

function valueOf({ type, enum: values, const: constant, items }: JsonSchema): string {
	if (constant !== undefined) return code(constant);
	if (values) return values.map(code).join(', ');
	if (type === 'array') {
		if (items?.enum) return `list of ${valueOf(items)}`;
		return items?.type ? `list of ${valueOf(items)}s` : 'list';
	}
	if (Array.isArray(type)) return type.length > 3 ? 'anything' : type.join(' or ');
	return type ?? 'anything';
}

/** What the schemas, which are made from the sandbox's, say by the names alone. */
const MEANINGS: Record<string, string> = {
	id: 'Its ID',
	object: 'What kind of thing it is',
	status: 'How far it is, or how it has ended',
	url: 'Link to the file',
	outputs: 'The files',
	output: 'The file',
	'outputs[].id': 'ID of the file',
	'outputs[].url': 'Link to the file',
	'outputs[].media_type': 'Type of the file',
	'outputs[].expires_at': 'Until when the link is good',
	output_ids: 'IDs of the files that will be there',
	estimated_credits: 'Credits that the service reserves for it',
	preview_url: 'Link to a preview',
	sample_url: 'Link to a spoken sample',
	reference_images: 'Links to the pictures it was made from',
	name: 'Its name',
	mode: 'Kind of media',
	model: 'ID of the model that makes it',
	plan: 'The steps that the service proposes',
	max_credits: 'The budget that was approved',
	reserved_credits: 'Credits that are reserved for its steps',
	spent_credits: 'Credits that were spent so far',
	auto_approval_error: 'Why the plan could not be approved at once',
	line_count: 'How many blocks are spoken',
	character_count: 'How many characters are spoken',
	duration_seconds: 'How long the audio is, once it is known',
	kind: 'How the voice was made',
	label: 'Its name',
	gender: 'Gender of the voice',
	language_code: 'Language of the voice, as a code',
	language_name: 'Language of the voice',
	fileName: 'Name of the file',
	mimeType: 'Type of the file',
	capabilities: 'What the model takes and can do',
	deleted: 'Whether it was deleted',
	events: 'The events that are sent',
};

/** What the same names say of a webhook. */
const OF_WEBHOOKS: Record<string, string> = {
	url: 'The address that events are sent to',
	description: 'What the webhook is for',
};

/** The fields of a schema; of a list of objects also the fields of an entry. */
function rows(
	{ properties = {} }: JsonSchema,
	meanings: Record<string, string>,
	within = '',
): string[][] {
	return Object.entries(properties).flatMap(([name, schema]) => {
		const own = [
			code(within + name),
			valueOf(schema),
			cell(schema.description ?? meanings[within + name] ?? ''),
		];
		// One level is what a reader takes in; the editor shows the rest.
		const inner = within === '' && schema.items ? rows(schema.items, meanings, `${name}[].`) : [];
		return [own, ...inner];
	});
}

/**
 * What an operation outputs: the fields that the editor offers before the first run, and the files.
 */
export function outputTable({ operation, schema }: ShownOperation): string {
	const { fields, spec } = operation;
	const names = fields
		.flatMap((field) => [field, ...(field.fields ?? [])])
		.map(({ ui }) => ui.name);
	const perItem = spec.output === 'list' ? 'One item for each entry.' : 'One item.';
	const files = names.includes('downloadOutputs')
		? ' With _Download Outputs_ the files are in its binary fields `data`, `data_1` and so on.'
		: '';
	const dryRun = names.includes('dryRun')
		? ' A [dry run](../credits.md#dry-run) outputs the request instead.'
		: '';
	const isWebhook = spec.endpoint.path.startsWith('/webhooks');
	const lines = rows(schema, isWebhook ? { ...MEANINGS, ...OF_WEBHOOKS } : MEANINGS);
	const fieldsOfItem =
		lines.length > 0
			? `\n\n${table(['Field', 'Value', 'What it is'], lines)}`
			: ' The API does not name its fields: they come out as the service gives them.';
	return `${perItem}${files}${dryRun}${fieldsOfItem}`;
}
