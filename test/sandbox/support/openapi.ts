import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

import { ENDPOINTS, type Endpoint, type EndpointName } from '../../../src/contract';
import { read } from '../../support/sources';

/**
 * The committed one, which a test holds against the one that is served; generating it would cost
 * each test file half a second.
 */
export const document = JSON.parse(read('docs/openapi.json'));

// The document itself is checked by its own test; here that would cost each test file a tenth of a
// second, and so would code that is quick where most answers come once.
const ajv = new Ajv2020({
	...{ strict: false, allErrors: true, validateSchema: false, meta: false },
	...{ inlineRefs: false, code: { optimize: false } },
});
addFormats(ajv);
ajv.addSchema(document, 'openapi');

const patterns = (Object.entries(ENDPOINTS) as Array<[EndpointName, Endpoint]>).map(
	([name, { method, path }]) => ({
		name,
		method,
		path,
		pattern: new RegExp(`^${path.replace('{id}', '[^/]+')}$`),
	}),
);

/**
 * The operation that a request is for; undefined for an address that the contract does not have.
 */
function operationOf(method: string, path: string) {
	const [plain = ''] = path.split('?');
	return patterns.find((each) => each.method === method && each.pattern.test(plain));
}

const validators = new Map<string, ValidateFunction>();

function validator(pointer: string): ValidateFunction {
	const known = validators.get(pointer);
	if (known) return known;
	const compiled = ajv.compile({ $ref: `openapi#${pointer}` });
	validators.set(pointer, compiled);
	return compiled;
}

const escape = (part: string) => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'));

/** Throws unless an answer is one that the OpenAPI document describes for its operation. */
export function expectDocumented(
	method: string,
	path: string,
	{ status, body }: { status: number; body: unknown },
): void {
	const operation = operationOf(method, path);
	const shown = `${method} ${path} ${status}`;
	if (!operation) return check(shown, '/components/schemas/Error', body);
	const verb = method.toLowerCase();
	const answer = document.paths[operation.path][verb].responses[status];
	if (!answer) throw new Error(`${shown} is not in the document: ${JSON.stringify(body)}`);
	// The errors are shared; a 204 has no body.
	const shared: string | undefined = answer.$ref?.slice(1);
	if (!shared && !answer.content) return;
	const base = shared ?? `/paths/${escape(operation.path)}/${verb}/responses/${status}`;
	check(shown, `${base}/content/${escape('application/json')}/schema`, body);
}

function check(shown: string, pointer: string, body: unknown): void {
	const validate = validator(pointer);
	if (validate(body)) return;
	throw new Error(`${shown}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(body)}`);
}
