/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod/v4';
import { ENDPOINTS, type EndpointName } from '../src/api';
import { requestOf } from '../sandbox/schemas';
import { projectRoot } from '../lab/process/paths';
import { Examples } from './examples';

/** As much of an OpenAPI document as the scripts read or write. */
interface Document {
	paths: Record<string, Record<string, Operation>>;
	webhooks: Record<string, { post: { requestBody: { content: Content } } }>;
	components: { schemas: Record<string, object>; responses: Record<string, { content: Content }> };
}

type Content = Record<string, Described>;

/** A body: its schema, and what it is for example. */
interface Described {
	schema: { $ref: string };
	example?: unknown;
	examples?: Record<string, { value: unknown }>;
}

interface Operation {
	parameters?: Parameter[];
	requestBody?: { content: Content };
	responses: Record<string, { $ref?: string; content?: Content }>;
}

interface Parameter {
	name: string;
	in: string;
	schema?: object;
}

const file = path.join(projectRoot, 'docs', 'openapi.json');

export const readDocument = () => JSON.parse(readFileSync(file, 'utf8')) as Document;

/** The operation of the document at an endpoint. */
export function operationAt(document: Document, name: EndpointName): Operation {
	const operation = document.paths[ENDPOINTS[name].path]?.[ENDPOINTS[name].method.toLowerCase()];
	if (!operation) throw new Error(`docs/openapi.json has no ${name}`);
	return operation;
}

/** The name in the document of the schema of an operation's body. */
function bodyName({ requestBody }: Operation): string {
	return requestBody?.content['application/json']?.schema.$ref.split('/').at(-1) ?? '';
}

function jsonSchema(schema: z.ZodType): object {
	const made = z.toJSONSchema(schema, {
		io: 'input',
		unrepresentable: 'any',
		// The specification does not say whether an object may have further fields, and generated types
		// would take any name where it is said.
		override: ({ jsonSchema: part }) => {
			if (Object.keys(part.properties ?? {}).length > 0) delete part.additionalProperties;
		},
	});
	delete made.$schema;
	return made;
}

const JSON_TYPE = 'application/json';

/** Puts what was recorded in the place of the examples. */
function showExamples(document: Document, { requests, answers, errors, events }: Examples): void {
	for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
		const { requestBody, responses } = operationAt(document, name);
		const sent = requestBody?.content[JSON_TYPE];
		if (sent) sent.example = requests[name];
		for (const [status, { $ref: shared, content }] of Object.entries(responses)) {
			const given = content?.[JSON_TYPE];
			if (given) given.example = answers[name]?.[Number(status)];
			if (shared) showErrors(document, shared, errors[Number(status)]);
		}
	}
	for (const [kind, { post }] of Object.entries(document.webhooks)) {
		const told = post.requestBody.content[JSON_TYPE];
		if (told) told.example = events[kind];
	}
}

function showErrors(
	document: Document,
	response: string,
	bodies: Record<string, unknown> = {},
): void {
	const given = document.components.responses[response.split('/').at(-1) ?? '']?.content[JSON_TYPE];
	if (!given) return;
	const named = Object.entries(bodies).map(([type, value]) => [type, { value }] as const);
	given.examples = Object.fromEntries(named);
}

/**
 * The document with the requests as the sandbox validates them, and with examples of what it is sent,
 * answers and tells. All else in it is written by hand: tests hold it to the endpoint table and to the
 * answers of the sandbox.
 */
export async function updatedDocument(): Promise<Document> {
	const document = readDocument();
	showExamples(document, await Examples.record());
	for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
		const operation = operationAt(document, name);
		const { body, query } = requestOf(name);
		if (body) document.components.schemas[bodyName(operation)] = jsonSchema(body);
		if (!query) continue;
		const given = operation.parameters ?? [];
		const queried = Object.entries(query.shape).map(([field, schema]) => ({
			...(given.find((one) => one.name === field) ?? { name: field, in: 'query', required: false }),
			schema: jsonSchema(schema as z.ZodType),
		}));
		operation.parameters = [...given.filter((one) => one.in !== 'query'), ...queried];
	}
	return document;
}

async function write(): Promise<void> {
	writeFileSync(file, `${JSON.stringify(await updatedDocument(), null, '\t')}\n`);
}

// A test sees to it that the file is not out of date.
if (require.main === module) void write();
