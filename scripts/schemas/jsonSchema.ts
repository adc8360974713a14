/** As much of JSON Schema (draft 2020-12) as the output schemas need. */
export interface JsonSchema {
	type?: string | string[];
	description?: string;
	const?: unknown;
	enum?: unknown[];
	properties?: Record<string, JsonSchema>;
	required?: string[];
	items?: JsonSchema;
	anyOf?: JsonSchema[];
}

/**
 * What the editor and validators that know no formats can use. Sizes and formats of a value are the
 * service's business.
 */
const KEPT = ['type', 'description', 'const', 'enum'] as const;

export const ANY: JsonSchema = {
	type: ['object', 'array', 'string', 'number', 'boolean', 'null'],
};

const namesOf = ({ type = [] }: JsonSchema): string[] => (Array.isArray(type) ? type : [type]);

function mapped<T, U>(values: Record<string, T>, change: (value: T) => U): Record<string, U> {
	return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

/**
 * A schema in what the editor understands: `x or null` becomes a list of types, several shapes
 * become one that allows them all.
 */
export function plain(schema: JsonSchema): JsonSchema {
	const variants = schema.anyOf ?? [];
	const some = variants.filter(({ type }) => type !== 'null').map(plain);
	if (some.length > 0) {
		const one = some.reduce(merged);
		const isNullable = some.length < variants.length;
		return isNullable ? { ...one, type: [...namesOf(one), 'null'] } : one;
	}
	const kept = KEPT.filter((name) => schema[name] !== undefined);
	return {
		...(Object.fromEntries(kept.map((name) => [name, schema[name]])) as JsonSchema),
		...(schema.required && { required: schema.required }),
		...(schema.properties && { properties: mapped(schema.properties, optional) }),
		...(schema.items && { items: optional(schema.items) }),
	};
}

/** What is nested may lack anything: an output that was not made has no link. */
function optional(schema: JsonSchema): JsonSchema {
	const { required, ...rest } = plain(schema);
	void required;
	return rest;
}

const valuesOf = ({ const: only, enum: some }: JsonSchema): unknown[] | undefined =>
	only === undefined ? some : [only];

/** What holds of a value that is as one of two schemas say. */
function merged(a: JsonSchema, b: JsonSchema): JsonSchema {
	const types = [...new Set([...namesOf(a), ...namesOf(b)])];
	const [only, ...others] = types;
	const values = valuesOf(a) && valuesOf(b) && [...(valuesOf(a) ?? []), ...(valuesOf(b) ?? [])];
	const properties = a.properties ?? b.properties;
	const both = { ...a.properties };
	for (const [name, schema] of Object.entries(b.properties ?? {})) {
		const known = both[name];
		both[name] = known ? merged(known, schema) : schema;
	}
	const required = a.required?.filter((name) => b.required?.includes(name));
	const items = a.items && b.items ? merged(a.items, b.items) : (a.items ?? b.items);
	return {
		...(only !== undefined && { type: others.length > 0 ? types : only }),
		...(values && { enum: [...new Set(values)] }),
		...(properties && { properties: both }),
		...(required && { required }),
		...(items && { items }),
	};
}

/** A value as the schema describes it, with everything in it that it mentions. */
export function sampleOf(schema: JsonSchema): unknown {
	const [value] = valuesOf(schema) ?? [];
	if (value !== undefined) return value;
	switch (namesOf(schema)[0]) {
		case 'object':
			return mapped(schema.properties ?? {}, sampleOf);
		case 'array':
			return schema.items ? [sampleOf(schema.items)] : [];
		case 'integer':
		case 'number':
			return 1;
		case 'boolean':
			return true;
		default:
			return 'text';
	}
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The schema of a value that was made from a sample: its fields in their order, each as it was
 * described before.
 *
 * @param before schema of the sample
 */
export function schemaOf(value: unknown, before: JsonSchema | undefined): JsonSchema {
	if (!isRecord(value)) return before ?? { type: Array.isArray(value) ? 'array' : typeof value };
	if (before && !before.properties) return before;
	const properties = Object.fromEntries(
		Object.entries(value).map(([name, field]) => [
			name,
			schemaOf(field, before?.properties?.[name]),
		]),
	);
	const required = before?.required?.filter((name) => name in value) ?? [];
	return {
		type: before?.type ?? 'object',
		properties,
		...(required.length > 0 && { required }),
	};
}
