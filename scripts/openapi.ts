/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod/v4';

import type { Endpoint, EndpointName, EventKind } from '../src/contract';
import { ENDPOINTS, EVENTS, IDEMPOTENCY_HEADER, LIMITS, SIGNATURE_HEADERS } from '../src/contract';
import packageJson from '../package.json';
import { agentRun, generation, persona, voice } from './openapi/examples';
import * as described from './openapi/operations';

const { COMPONENTS, OPERATIONS, PARAMETERS, TAGS } = described;

type Json = Record<string, unknown>;

/** What a status code means. Specification: Errors 2. */
const STATUS_MEANINGS = {
	400: 'invalid request',
	401: 'invalid or missing API key',
	402: 'insufficient credits',
	403: 'missing scope or API entitlement',
	404: 'resource not found',
	429: 'rate or concurrency limit exceeded',
} as const;

type ErrorStatus = keyof typeof STATUS_MEANINGS;

/** The four statuses that every operation may answer. Specification: Endpoints. */
const COMMON_ERROR_STATUSES = [400, 401, 403, 429] as const;

/** Schemas with a name become references to it, wherever they stand. */
const named = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(COMPONENTS)) named.add(schema, { id });

/**
 * The formal description of the service, OpenAPI 3.1, version 1.0.0, generated from the schemas
 * that validate the sandbox's requests. Specification: Versioning 1.
 */
export function openApiDocument(): Json {
	const paths: Record<string, Json> = {};
	for (const [name, { method, path }] of Object.entries(ENDPOINTS))
		paths[path] = { ...paths[path], [method.toLowerCase()]: operation(name as EndpointName) };
	const schemas = converted();
	for (const id of described.OPEN) schemas[id] = { ...schemas[id], additionalProperties: true };
	return {
		openapi: '3.1.0',
		info: {
			title: 'Media Generation Service',
			version: '1.0.0',
			description:
				'Generated from the schemas of the sandbox. Where the specification shows no shape, it is open here.',
			contact: { ...packageJson.author, url: packageJson.homepage },
			license: { name: packageJson.license, url: `${packageJson.homepage}/LICENSE` },
		},
		jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
		servers: [{ url: 'http://127.0.0.1:4010/v1', description: 'The sandbox on its usual port' }],
		security: [{ bearer: [] }],
		tags: [...new Map(Object.values(TAGS).map((tag) => [tag.name, tag])).values()].sort((a, b) =>
			a.name.localeCompare(b.name, 'en'),
		),
		paths,
		webhooks: Object.fromEntries(EVENTS.map((kind) => [kind, { post: event(kind) }])),
		components: {
			securitySchemes: {
				bearer: { type: 'http', scheme: 'bearer', description: 'The API key of a workspace' },
			},
			responses: Object.fromEntries(errorStatuses.map((status) => [nameOf(status), error(status)])),
			schemas,
		},
	};
}

function operation(name: EndpointName): Json {
	const endpoint: Endpoint = ENDPOINTS[name];
	const { description, body, sent, query } = OPERATIONS[name];
	const [, group = ''] = endpoint.path.split('/');
	const parameters = [
		...(endpoint.path.includes('{id}') ? [parameter('id', 'path', { type: 'string' })] : []),
		...Object.entries(query?.shape ?? {}).map(([field, schema]) =>
			parameter(field, 'query', schemaOf(schema as z.ZodType)),
		),
		...(endpoint.method === 'POST' ? [idempotencyKey] : []),
	];
	return {
		operationId: name,
		tags: [TAGS[group]?.name],
		// Such as "List agent runs".
		summary: name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^./, upper),
		description,
		...(endpoint.scope && { 'x-scope': endpoint.scope }),
		...(parameters.length > 0 && { parameters }),
		...(body && { requestBody: { required: true, content: json(body, sent) } }),
		responses: responses(name, endpoint),
	};
}

const parameter = (name: string, place: 'path' | 'query', schema: unknown): Json => ({
	name,
	in: place,
	required: place === 'path',
	description: PARAMETERS[name],
	schema,
});

const idempotencyKey = {
	name: IDEMPOTENCY_HEADER,
	in: 'header',
	required: false,
	description: `Requests with the same key are carried out once within ${LIMITS.idempotencyHours} hours`,
	schema: { type: 'string', maxLength: LIMITS.idempotencyKeyLength.max },
};

function responses(name: EndpointName, endpoint: Endpoint): Json {
	// The success of PATCH /webhooks/{id} is not shown; the sandbox answers one or the other.
	const success = endpoint.success ?? [200, 204];
	const content = json(OPERATIONS[name].answer, OPERATIONS[name].example);
	const good = success.map((status) => [
		status,
		status === 204
			? { description: 'Success, without a body' }
			: { description: 'Success', content },
	]);
	// An unknown id is 404 everywhere, also where the endpoint table does not name it.
	const found: ErrorStatus[] = endpoint.path.includes('{id}') ? [404] : [];
	const errors = new Set([...COMMON_ERROR_STATUSES, ...endpoint.extra, ...found]);
	const bad = [...errors].map((status) => [
		status,
		{ $ref: `#/components/responses/${nameOf(status)}` },
	]);
	return Object.fromEntries([...good, ...bad]);
}

const errorStatuses = Object.keys(STATUS_MEANINGS).map(Number) as ErrorStatus[];

const upper = (letter: string) => letter.toUpperCase();

/** Such as `InvalidRequest`. */
const nameOf = (status: ErrorStatus) =>
	STATUS_MEANINGS[status].replace(/(^|\W+)\w/g, (start) => upper(start.slice(-1)));

function error(status: ErrorStatus): Json {
	const message = STATUS_MEANINGS[status];
	const example = { error: { type: message.replace(/\W/g, '_'), message } };
	return { description: message, content: json(COMPONENTS.Error, example) };
}

/** A delivery as its receiver sees it. Specification: Events. */
function event(kind: EventKind): Json {
	const resources = { generation, agent: agentRun, voice, persona };
	const [group] = kind.split('.') as [keyof typeof resources];
	const example = {
		id: 'evt_5b1ff2a8',
		object: 'event',
		type: kind,
		created: '2026-01-31T12:00:00.000Z',
		data: { object: resources[group] },
	};
	const { timestamp, signature } = SIGNATURE_HEADERS;
	const header = (name: string, pattern: string, description: string) => ({
		name,
		in: 'header',
		required: true,
		description,
		schema: { type: 'string', pattern },
	});
	return {
		operationId: kind.replace(/[._]\w/g, (start) => upper(start.slice(1))),
		tags: ['Events'],
		summary: described.EVENT_MEANINGS[kind],
		description:
			'Sent to every webhook that names this event. Deliveries may come twice and in any order. The shape of the body is not specified; the example shows that of the sandbox.',
		security: [],
		parameters: [
			header(timestamp, '^[0-9]+$', 'Unix seconds, at most 300 from the current time'),
			header(
				signature,
				'^v1=[0-9a-f]{64}$',
				'HMAC-SHA256 over `<timestamp>.<raw body>` with the signing secret of the webhook',
			),
		],
		requestBody: { required: true, content: json(COMPONENTS.Event, example) },
		responses: {
			'2XX': { description: 'Accepted; any other answer is delivered again' },
			'4XX': { description: 'Refused, such as for a wrong signature' },
		},
	};
}

const json = (schema: z.ZodType | undefined, example: unknown) => ({
	'application/json': { ...(schema && { schema: schemaOf(schema) }), example },
});

const uri = (id: string) => `#/components/schemas/${id}`;

/** A schema in place; parts with a name become references. */
function schemaOf(schema: z.ZodType): Json {
	const id = named.get(schema)?.id;
	if (id) return { $ref: uri(id) };
	// Only what is in a registry becomes a reference, so the schema joins the named ones for this.
	named.add(schema, { id: 'here' });
	const { here = {} } = converted();
	named.remove(schema);
	return here;
}

function converted(): Record<string, Json> {
	const { schemas } = z.toJSONSchema(named, {
		uri,
		io: 'input',
		unrepresentable: 'any',
		// That an object may have further fields goes without saying, and generated types would take
		// any name where it is said.
		override: ({ jsonSchema }) => {
			const { properties, additionalProperties } = jsonSchema;
			const hasFields = Object.keys(properties ?? {}).length > 0;
			if (hasFields && additionalProperties !== false) delete jsonSchema.additionalProperties;
		},
	});
	for (const schema of Object.values(schemas)) {
		delete schema.$schema;
		delete schema.$id;
	}
	return schemas;
}

// A test sees to it that the file is not out of date.
if (require.main === module) {
	const file = path.join(__dirname, '..', 'docs', 'openapi.json');
	writeFileSync(file, `${JSON.stringify(openApiDocument(), null, '\t')}\n`);
}
