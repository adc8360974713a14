import { z } from 'zod/v4';
import { ENDPOINTS, type EndpointName } from '../../src/contract';
import { OPERATIONS } from '../../src/sandbox/openapi/operations';
import type { Operation } from '../../src/description/operation';
import type { OperationSpec } from '../../src/transport/run/item';
import { jsonOf } from '../../src/transport/run/items';
import type { Resource } from '../../src/transport/base/types';
import { ANY, plain, sampleOf, schemaOf, type JsonSchema } from './jsonSchema';

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

/** The presigned address is a secret. */
const HIDDEN = ['upload_url', 'upload_headers'];

function answerOf(spec: OperationSpec): JsonSchema {
	const names = Object.keys(ENDPOINTS) as EndpointName[];
	const name = names.find((each) => ENDPOINTS[each] === spec.endpoint);
	if (!name) throw new Error(`${spec.endpoint.path} is not in the endpoint table`);
	const options = { io: 'input', unrepresentable: 'any' } as const;
	const answer = z.toJSONSchema(OPERATIONS[name].answer, options) as JsonSchema;
	return plain(spec.output === 'list' ? (answer.properties?.data?.items ?? {}) : answer);
}

const hasStatus = ({ properties }: JsonSchema): boolean => properties?.status !== undefined;

/** What the service says and the node adds, before it is put in order. */
function extended(
	spec: OperationSpec,
	answer: JsonSchema,
): JsonSchema & Required<Pick<JsonSchema, 'properties'>> {
	const { output, endpoint } = spec;
	const own = { type: 'object', ...answer, properties: { ...answer.properties } };
	if (output === 'deleted') {
		return {
			...own,
			properties: { ...own.properties, id: { type: 'string' }, deleted: { ...ADDED.deleted } },
			required: ['id', 'deleted'],
		};
	}
	if (output === 'file') {
		const said = Object.entries(own.properties).filter(([name]) => !HIDDEN.includes(name));
		return { ...FILE, properties: { ...Object.fromEntries(said), ...FILE.properties } };
	}
	// An answer that the specification does not show may be empty.
	const required = endpoint.success ? own.required : undefined;
	// A job that has failed is an output where it is only read; elsewhere it is
	// an error.
	const mayHaveFailed = endpoint.method === 'GET' && output !== 'wait' && hasStatus(answer);
	return {
		...own,
		required,
		properties: { ...own.properties, ...(mayHaveFailed && { error: {} }) },
	};
}

/**
 * JSON Schema of what an operation outputs for an item: the answer of the service as the sandbox
 * validates it, sent through the very functions that make items of answers. Names that options add
 * (Split Outputs, Include Signing Secret, Dry Run) are left to `additionalProperties`, as is what
 * the specification does not show.
 */
export function outputSchema({ spec, fields }: Pick<Operation, 'spec' | 'fields'>): JsonSchema {
	const before = extended(spec, answerOf(spec));
	const sample = sampleOf(before) as Resource;
	const shown = spec.simplify ? spec.simplify(sample) : sample;
	// Only a generation can be made in part, and only where its files are looked for is it said.
	const { object } = before.properties;
	const isGeneration = [object?.const, ...(object?.enum ?? [])].includes('generation');
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
	const offered = fields.flatMap((field) => [field, ...(field.fields ?? [])]);
	if (!offered.some(({ ui }) => ui.name === 'dryRun')) return schema;
	// A dry run has none of the fields of a job.
	const { required = [], ...rest } = schema;
	return { ...rest, anyOf: [{ required }, { required: ['dryRun'] }] };
}
