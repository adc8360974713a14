import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

import { ENDPOINTS, type Endpoint } from '../../../src/api';
import { read } from '../../support/sources';

/** The committed one, which a test holds against the one that is served. */
export const document = JSON.parse(read('docs/openapi.json'));

// The document itself is checked by its own test; here that would cost each test file a tenth of a
// second, and so would code that is quick where most answers come once.
const ajv = new Ajv2020({
	strict: false,
	allErrors: true,
	validateSchema: false,
	meta: false,
	inlineRefs: false,
	code: { optimize: false },
});
addFormats(ajv);
ajv.addSchema(closed(document) as object, 'openapi');

/**
 * The document as the sandbox must keep to it, which gives no field, and no type of an error, that is not
 * in a schema. `additionalProperties: {}` is of objects that are free in themselves, such as a plan.
 */
function closed(part: unknown, name = ''): unknown {
	if (Array.isArray(part)) return part.map((each) => closed(each));
	if (typeof part !== 'object' || part === null) return part;
	const entries = Object.entries(part).map(([key, value]) => [key, closed(value, key)] as const);
	const schema: Record<string, unknown> = Object.fromEntries(entries);
	const isOpen = schema.additionalProperties === undefined || schema.additionalProperties === true;
	if (schema.type === 'object' && schema.properties && isOpen) schema.additionalProperties = false;
	if (name === 'type' && schema.type === 'string' && schema.examples) schema.enum = schema.examples;
	return schema;
}

const validators = new Map<string, ValidateFunction>();

function validatorAt(pointer: string): ValidateFunction {
	const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
	validators.set(pointer, validate);
	return validate;
}

const endpoints: Endpoint[] = Object.values(ENDPOINTS);

const matches = (path: string, [asked = '']: string[]) =>
	new RegExp(`^${path.replace('{id}', '[^/]+')}$`).test(asked);

const escape = (part: string) => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'));

/** Where the document has the schema of an answer; undefined for one without a body. */
function schemaOf(method: string, path: string, status: number): string | undefined {
	const place = path.split('?');
	const endpoint = endpoints.find((one) => one.method === method && matches(one.path, place));
	if (!endpoint) return '/components/schemas/Error';
	const verb = method.toLowerCase();
	const answer = document.paths[endpoint.path][verb].responses[status];
	if (!answer) throw new Error(`${method} ${path} ${status} is not in the document`);
	// The errors are shared.
	const shared: string | undefined = answer.$ref?.slice(1);
	if (!shared && !answer.content) return undefined;
	const base = shared ?? `/paths/${escape(endpoint.path)}/${verb}/responses/${status}`;
	return `${base}/content/${escape('application/json')}/schema`;
}

/** Throws unless an answer is one that the OpenAPI document describes for its operation. */
export function expectDocumented(
	method: string,
	path: string,
	{ status, body }: { status: number; body: unknown },
): void {
	const schema = schemaOf(method, path, status);
	const validate = schema && validatorAt(schema);
	if (!validate || validate(body)) return;
	const errors = ajv.errorsText(validate.errors);
	throw new Error(`${method} ${path} ${status}: ${errors}: ${JSON.stringify(body)}`);
}
