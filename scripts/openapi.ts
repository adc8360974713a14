/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod/v4';
import { ENDPOINTS, type EndpointName } from '../src/contract';
import { requestOf } from '../sandbox/schemas';
import { projectRoot } from '../lab/process/paths';

/** As much of an OpenAPI document as the scripts read or write. */
interface Document {
	paths: Record<string, Record<string, Operation>>;
	components: { schemas: Record<string, object> };
}

interface Operation {
	parameters?: Parameter[];
	requestBody?: { content: Record<string, { schema: { $ref: string } }> };
	responses: Record<string, { content?: Record<string, { schema: object }> }>;
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

/**
 * The document with the requests as the sandbox validates them. All else in it is written by hand:
 * tests hold it to the endpoint table and to the answers of the sandbox.
 */
export function updatedDocument(): Document {
	const document = readDocument();
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

// A test sees to it that the file is not out of date.
if (require.main === module)
	writeFileSync(file, `${JSON.stringify(updatedDocument(), null, '\t')}\n`);
