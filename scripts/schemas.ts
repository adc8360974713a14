/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ENDPOINTS, type EndpointName } from '../src/api';
import type { Operation } from '../src/fields/operation';
import { projectRoot } from '../lab/process/paths';
import { readNodes } from './nodes';
import { operationAt, readDocument } from './openapi';
import type { OperationSpec } from '../src/creation/operationSpec';
import { jsonOf } from '../src/n8n/output/rows';
import type { Resource } from '../src/base/types';

/** As much of JSON Schema (draft 2020-12) as the output schemas need. */
export interface JsonSchema {
	$ref?: string;
	/** Of a field that the specification does not show. */
	'x-sandbox'?: boolean;
	type?: string | string[];
	description?: string;
	const?: unknown;
	enum?: unknown[];
	properties?: Record<string, JsonSchema>;
	required?: string[];
	items?: JsonSchema;
	anyOf?: JsonSchema[];
}

const ANY: JsonSchema = {
	type: ['object', 'array', 'string', 'number', 'boolean', 'null'],
};

const namesOf = ({ type = [] }: JsonSchema): string[] => (Array.isArray(type) ? type : [type]);

function mapped<T, U>(values: Record<string, T>, change: (value: T) => U): Record<string, U> {
	return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

/**
 * A schema in what the editor and validators that know no formats understand: `x or null` becomes a
 * list of types, several shapes become one that allows them all. Sizes and formats of a value are
 * the service's business.
 */
function plain(given: JsonSchema): JsonSchema {
	const schema = dereferenced(given);
	const variants = schema.anyOf ?? [];
	const some = variants.filter(({ type }) => type !== 'null').map(plain);
	if (some.length > 0) {
		const one = some.reduce(merged);
		const isNullable = some.length < variants.length;
		return isNullable ? { ...one, type: [...namesOf(one), 'null'] } : one;
	}
	const { type, description, const: only, enum: values, required, properties, items } = schema;
	// What is nested may lack anything: an output that was not made has no link.
	const nested = (one: JsonSchema): JsonSchema => ({ ...plain(one), required: undefined });
	return {
		type,
		description,
		const: only,
		enum: values,
		required,
		properties: properties && mapped(specified(properties), nested),
		items: items && nested(items),
	};
}

/** Without the fields that only the sandbox is known to have. */
const specified = (properties: Record<string, JsonSchema>) =>
	Object.fromEntries(Object.entries(properties).filter(([, field]) => !field['x-sandbox']));

const valuesOf = ({ const: only, enum: some }: JsonSchema): unknown[] | undefined =>
	only === undefined ? some : [only];

/** What holds of a value that is as one of two schemas say. */
function merged(a: JsonSchema, b: JsonSchema): JsonSchema {
	const types = [...new Set([...namesOf(a), ...namesOf(b)])];
	const [one, other] = [valuesOf(a), valuesOf(b)];
	const properties = { ...a.properties };
	for (const [name, schema] of Object.entries(b.properties ?? {}))
		properties[name] = properties[name] ? merged(properties[name], schema) : schema;
	return {
		type: types.length > 1 ? types : types[0],
		enum: one && other && [...new Set([...one, ...other])],
		properties: a.properties || b.properties ? properties : undefined,
		required: a.required?.filter((name) => b.required?.includes(name)),
		items: a.items && b.items ? merged(a.items, b.items) : (a.items ?? b.items),
	};
}

/**
 * A value with every field that the schema describes; what a field holds does not matter where it is free.
 */
function sampleOf({ properties, items, ...schema }: JsonSchema): unknown {
	if (properties) return mapped(properties, sampleOf);
	if (items) return [sampleOf(items)];
	return valuesOf(schema)?.[0] ?? 'text';
}

/**
 * The schema of a value that was made from a sample: its fields in their order, each as it was
 * described before.
 *
 * @param before schema of the sample
 */
function schemaOf(value: unknown, before: JsonSchema = { type: typeof value }): JsonSchema {
	const { type, properties } = before;
	if (!properties) return before;
	const fields = Object.entries(value as object).map(([name, field]) => [
		name,
		schemaOf(field, properties[name]),
	]);
	return { type, properties: Object.fromEntries(fields) };
}

/** Fields that are not in the specification, because our nodes add them. */
const ADDED: Record<string, JsonSchema> = {
	url: { type: 'string', description: 'Link to the first file' },
	failure: { ...ANY, description: 'What the service says under the name "error"' },
	warning: { type: 'string', description: 'Why some of the outputs were not made' },
	finished: { type: 'boolean', description: 'Whether the job has ended' },
	deleted: { type: 'boolean', const: true },
};

/** What a file upload answers besides what the service says. */
const FILE = {
	type: 'object',
	properties: {
		url: { type: 'string', description: 'What other operations take as a media input' },
		fileName: { type: 'string' },
		mimeType: { type: 'string' },
		size: { type: 'number', description: 'Bytes' },
	},
	required: ['url', 'fileName', 'mimeType', 'size'],
};

/** What Check Setup says of each check: no answer of the service. */
const CHECK = {
	type: 'object',
	properties: {
		check: { type: 'string' },
		ok: { type: ['boolean', 'null'], description: 'null if it could not be found out' },
		says: { type: 'string', description: 'What was found' },
		todo: { type: 'string', description: 'What to do; empty for nothing' },
	},
	required: ['check', 'ok', 'says', 'todo'],
};

const document = readDocument();

const dereferenced = (schema: JsonSchema): JsonSchema =>
	document.components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;

function answerOf(spec: OperationSpec): JsonSchema {
	const names = Object.keys(ENDPOINTS) as EndpointName[];
	const name = names.find((each) => ENDPOINTS[each] === spec.endpoint)!;
	const [status = 200] = spec.endpoint.success ?? [];
	const { schema = {} } =
		operationAt(document, name).responses[status]?.content?.['application/json'] ?? {};
	const answer = dereferenced(schema);
	return plain(spec.output === 'list' ? (answer.properties?.data?.items ?? {}) : answer);
}

/** What the service says and the node adds, before it is put in order. */
function extended({ output, endpoint }: OperationSpec, answer: JsonSchema): JsonSchema {
	const own = { type: 'object', ...answer };
	const { properties = {} } = answer;
	if (output === 'deleted') {
		const deleted = { id: { type: 'string' }, deleted: { ...ADDED.deleted } };
		return { ...own, properties: { ...properties, ...deleted }, required: ['id', 'deleted'] };
	}
	if (output === 'file') {
		const said: Record<string, JsonSchema> = { ...properties, ...FILE.properties };
		// The presigned address is a secret.
		delete said.upload_url;
		delete said.upload_headers;
		return { ...FILE, properties: said };
	}
	// An answer that the specification does not show may be empty.
	const required = endpoint.success ? own.required : undefined;
	// A job that has failed is an output where it is only read; elsewhere it is
	// an error.
	const mayHaveFailed = endpoint.method === 'GET' && output !== 'wait' && properties.status;
	return { ...own, required, properties: { ...properties, ...(mayHaveFailed && { error: {} }) } };
}

/**
 * JSON Schema of what an operation outputs for an item: the answer of the service as the sandbox
 * validates it, sent through the very functions that make items of answers. Names that options add
 * (Split Outputs, Include Signing Secret, Dry Run) are left to `additionalProperties`, as is what
 * the specification does not show.
 */
function outputSchema({ spec, fields }: Pick<Operation, 'spec' | 'fields'>): JsonSchema {
	if (spec.perform) return CHECK;
	const before = extended(spec, answerOf(spec));
	const sample = sampleOf(before) as Resource;
	const shown = spec.simplify ? spec.simplify(sample) : sample;
	// Only a generation can be made in part, and only where its files are looked for is it said.
	const isGeneration = valuesOf(before.properties?.object ?? {})?.includes('generation');
	const warns = isGeneration && spec.output !== 'list';
	const readsJob =
		spec.output === 'wait' || (spec.output === 'job' && spec.endpoint.method === 'GET');
	const json = {
		...jsonOf(shown as Resource),
		...(warns && { warning: 'text' }),
		...(readsJob && { finished: true }),
	};
	const described = { ...before, properties: { ...ADDED, ...before.properties } };
	const schema = schemaOf(json, described);
	const required = before.required?.filter((name) => name in json) ?? [];
	const offered = fields.flatMap((field) => [field, ...(field.fields ?? [])]);
	if (!offered.some(({ name }) => name === 'dryRun'))
		return { ...schema, ...(required.length > 0 && { required }) };
	// A dry run has none of the fields of a job.
	return { ...schema, anyOf: [{ required }, { required: ['dryRun'] }] };
}

/**
 * Where n8n looks for output schemas, beside each node, and what has to be there. Paths begin at
 * the root of the project.
 */
export async function schemaFiles(): Promise<Map<string, string>> {
	const files = new Map<string, string>();
	for (const { description, folder, operations } of await readNodes()) {
		const only = description.properties.find(({ name }) => name === 'resource')?.default;
		for (const version of [description.version].flat()) {
			const at = `${folder}/__schema__/v${[...String(version).split('.'), 0, 0].slice(0, 3).join('.')}`;
			for (const { operation, resource } of operations) {
				const text = `${JSON.stringify(outputSchema(operation))}\n`;
				files.set(`${at}/${resource?.value ?? String(only)}/${operation.value}.json`, text);
				// A node with one resource has it hidden, so a workflow that was not saved by the editor may
				// leave it out.
				if (!resource) files.set(`${at}/${operation.value}.json`, text);
			}
		}
	}
	return files;
}

/** Writes the output schemas beside the nodes; those of operations that are gone go too. */
async function main(): Promise<void> {
	const files = await schemaFiles();
	for (const { folder } of await readNodes())
		rmSync(path.join(projectRoot, folder, '__schema__'), { recursive: true, force: true });
	for (const [file, text] of files) {
		const target = path.join(projectRoot, file);
		mkdirSync(path.dirname(target), { recursive: true });
		writeFileSync(target, text);
	}
}

if (require.main === module) void main();
