import { ENDPOINTS, IDEMPOTENCY_HEADER, type EndpointName } from '../../src/contract';
import { read } from './sources';

interface Schema {
	$ref?: string;
	anyOf?: Schema[];
	properties?: Record<string, Schema>;
	items?: Schema;
}

interface Described {
	parameters?: Array<{ in: string; name: string }>;
	requestBody?: { content: Record<string, { schema: Schema }> };
}

interface Document {
	paths: Record<string, Record<string, Described>>;
	components: { schemas: Record<string, Schema> };
}

const document = JSON.parse(read('docs/openapi.json')) as Document;

const described = (name: EndpointName): Described => {
	const { method, path } = ENDPOINTS[name];
	return document.paths[path]?.[method.toLowerCase()] ?? {};
};

function resolved(schema: Schema): Schema {
	const name = schema.$ref?.split('/').at(-1);
	return name === undefined ? schema : (document.components.schemas[name] ?? {});
}

/** Dotted paths of all fields that a schema names; the items of an array stand for all. */
function pathsOf(given: Schema, within = ''): string[] {
	const schema = resolved(given);
	if (schema.anyOf) return schema.anyOf.flatMap((one) => pathsOf(one, within));
	if (schema.items) return pathsOf(schema.items, within);
	return Object.entries(schema.properties ?? {}).flatMap(([name, one]) => {
		const path = `${within}${name}`;
		const inner = pathsOf(one, `${path}.`);
		return [path, ...inner];
	});
}

/**
 * The fields of an operation's request body as docs/openapi.json describes it, such as
 * `settings.speed`.
 */
export function bodyFields(name: EndpointName): string[] {
	const schema = described(name).requestBody?.content['application/json']?.schema;
	return [...new Set(schema ? pathsOf(schema) : [])].sort();
}

/**
 * Names in the query of an operation. The specification shows those of paging for GET /generations
 * alone (Endpoints), so what the sandbox offers of them elsewhere does not count.
 */
export function queryFields(name: EndpointName): string[] {
	const names = (described(name).parameters ?? []).filter((one) => one.in === 'query');
	const isPaging = (one: string) => ['limit', 'cursor'].includes(one);
	return names
		.map((one) => one.name)
		.filter((one) => name === 'listGenerations' || !isPaging(one))
		.sort();
}

/** Whether docs/openapi.json shows an idempotency key for an operation. */
export const takesKey = (name: EndpointName): boolean =>
	(described(name).parameters ?? []).some((one) => one.name === IDEMPOTENCY_HEADER);
