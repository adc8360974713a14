import { z } from 'zod/v4';
import { ENDPOINTS, IDEMPOTENCY_HEADER, type EndpointName } from '../../src/api';
import { requestOf } from '../../sandbox/schemas';
import { read } from './sources';

/** Dotted paths of all fields that a schema names; the items of an array stand for all. */
function pathsOf(schema: z.core.JSONSchema._JSONSchema, within = ''): string[] {
	if (typeof schema === 'boolean') return [];
	const { anyOf, items, properties = {} } = schema;
	if (anyOf) return anyOf.flatMap((one) => pathsOf(one, within));
	if (items && !Array.isArray(items)) return pathsOf(items, within);
	return Object.entries(properties).flatMap(([name, one]) => {
		const path = `${within}${name}`;
		return [path, ...pathsOf(one, `${path}.`)];
	});
}

const fieldsOf = (schema: z.ZodType | undefined): string[] =>
	schema ? [...new Set(pathsOf(z.toJSONSchema(schema, { io: 'input' })))] : [];

/** The fields that the service takes in the body of an operation's request, such as `settings.speed`. */
export const bodyFields = (name: EndpointName): string[] => fieldsOf(requestOf(name).body);

/**
 * Names in the query of an operation. The specification shows those of paging for GET /generations
 * alone (Endpoints), so what the sandbox offers of them elsewhere does not count.
 */
export const queryFields = (name: EndpointName): string[] =>
	fieldsOf(requestOf(name).query).filter(
		(one) => name === 'listGenerations' || !['limit', 'cursor'].includes(one),
	);

interface Document {
	paths: Record<string, Record<string, { parameters?: Array<{ name: string }> }>>;
}

/** Whether docs/openapi.json shows an idempotency key for an operation. */
export function takesKey(name: EndpointName): boolean {
	const { method, path } = ENDPOINTS[name];
	const { paths } = JSON.parse(read('docs/openapi.json')) as Document;
	const { parameters = [] } = paths[path]?.[method.toLowerCase()] ?? {};
	return parameters.some((one) => one.name === IDEMPOTENCY_HEADER);
}

/** What the service does not take in the body or query (as text) of an operation's request. */
export function refusals(name: EndpointName, given: { body?: unknown; query?: unknown }) {
	const { body, query } = requestOf(name);
	const parsed = [body?.safeParse(given.body), query?.safeParse(given.query)];
	const issues = parsed.flatMap((one) => one?.error?.issues ?? []);
	return issues.filter((issue) => !isFiction(name, issue));
}

/**
 * Limits that the sandbox had to choose and the specification does not state: the service decides,
 * not the nodes.
 */
function isFiction(name: EndpointName, { code, path }: z.core.$ZodIssue): boolean {
	const [field] = path;
	if (code === 'too_big' && ['url', 'audio_url', 'reference_images'].includes(String(field)))
		return true;
	if (code === 'too_big' && name.endsWith('Webhook')) return field === 'description';
	// What the list offers is taken, and `Persona.id` is any string.
	if (code === 'invalid_format' && field === 'persona_id') return true;
	return name === 'renameVoice' && field === 'name';
}
