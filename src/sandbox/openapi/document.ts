import { z } from 'zod/v4';

import type { Endpoint, EndpointName } from '../../contract';
import {
	COMMON_ERROR_STATUSES,
	ENDPOINTS,
	IDEMPOTENCY_HEADER,
	LIMITS,
	STATUS_MEANINGS,
} from '../../contract';
import { COMPONENTS, OPERATIONS } from './operations';

type Json = Record<string, unknown>;

/** Schemas with a name become references to it, wherever they stand. */
const named = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(COMPONENTS)) named.add(schema, { id });

const reference = (id: string) => `#/components/schemas/${id}`;

/**
 * The formal description of the service, OpenAPI 3.1, version 1.0.0, generated from the schemas
 * that validate requests. Specification: Versioning 1.
 */
export function openApiDocument(): Json {
	const names = Object.keys(ENDPOINTS) as EndpointName[];
	const paths: Record<string, Json> = {};
	for (const name of names) {
		const { method, path } = ENDPOINTS[name];
		paths[path] = { ...paths[path], [method.toLowerCase()]: operation(name) };
	}
	return {
		openapi: '3.1.0',
		info: {
			title: 'Media Generation Service',
			version: '1.0.0',
			description:
				'Generated from the schemas of the sandbox. Where the specification shows no shape, it is open here.',
		},
		jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
		servers: [{ url: 'http://127.0.0.1:4010/v1', description: 'the sandbox on its usual port' }],
		security: [{ bearer: [] }],
		paths,
		components: {
			securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
			schemas: componentSchemas(),
		},
	};
}

function componentSchemas(): Record<string, Json> {
	const { schemas } = z.toJSONSchema(named, {
		uri: reference,
		io: 'input',
		unrepresentable: 'any',
	});
	return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]));
}

function operation(name: EndpointName): Json {
	const endpoint: Endpoint = ENDPOINTS[name];
	const { summary, body, query } = OPERATIONS[name];
	const hasId = endpoint.path.includes('{id}');
	const parameters = [
		...(hasId ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] : []),
		...(query ? queryParameters(query) : []),
		...(endpoint.method === 'POST' ? [idempotencyKey] : []),
	];
	return {
		operationId: name,
		summary,
		...(endpoint.scope && { 'x-scope': endpoint.scope }),
		...(parameters.length > 0 && { parameters }),
		...(body && {
			requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body) } } },
		}),
		responses: responses(name, endpoint, hasId),
	};
}

const idempotencyKey = {
	name: IDEMPOTENCY_HEADER,
	in: 'header',
	required: false,
	schema: { type: 'string', maxLength: LIMITS.idempotencyKeyLength.max },
};

function responses(name: EndpointName, endpoint: Endpoint, hasId: boolean): Json {
	// The success of PATCH /webhooks/{id} is not shown; the sandbox answers one or the other.
	const success = endpoint.success ?? [200, 204];
	const content = { 'application/json': { schema: schemaOf(OPERATIONS[name].answer) } };
	const good = success.map((status) => [
		status,
		{ description: 'success', content: status === 204 ? undefined : content },
	]);
	// An unknown id is 404 everywhere, also where the endpoint table does not name it.
	const errors = new Set([...COMMON_ERROR_STATUSES, ...endpoint.extra, ...(hasId ? [404] : [])]);
	const error = { 'application/json': { schema: { $ref: reference('Error') } } };
	const bad = [...errors].map((status) => [
		status,
		{ description: STATUS_MEANINGS[status as keyof typeof STATUS_MEANINGS], content: error },
	]);
	return Object.fromEntries([...good, ...bad]);
}

function queryParameters(query: z.ZodObject): Json[] {
	return Object.entries(query.shape).map(([name, schema]) => ({
		name,
		in: 'query',
		required: false,
		schema: schemaOf(schema as z.ZodType),
	}));
}

/** A schema in place; parts with a name become references. */
function schemaOf(schema: z.ZodType): Json {
	const id = named.get(schema)?.id;
	if (id) return { $ref: reference(id) };
	// Only what is in a registry becomes a reference, so the schema joins the named ones for this.
	const all = z.registry<{ id: string }>();
	for (const [name, each] of Object.entries(COMPONENTS)) all.add(each, { id: name });
	all.add(schema, { id: 'here' });
	const { schemas } = z.toJSONSchema(all, { uri: reference, io: 'input', unrepresentable: 'any' });
	if (!schemas.here) throw new Error('The schema was not converted');
	return bare(schemas.here);
}

/** Without what only stands-alone documents need. */
function bare(schema: object): Json {
	const { $schema, $id, ...rest } = schema as Json;
	void [$schema, $id];
	return rest;
}
