import type { Endpoint, Json } from '../contract';
import type { ApiRequest } from '../base/types';
import { fail, ok, type Result } from '../base/result';
import type { Field, RequestMapping } from './operation';
import type { RuleContext } from './rules';

/** A field whose value is sent, with its path among the node's parameters. */
export interface MappedField {
	label: string;
	/** Name of the parameter, dotted within a collection. */
	parameter: string;
	mapping: RequestMapping;
}

/** All fields of an operation whose values are sent, those of collections included. */
export function mappedFields(fields: Field[], within = ''): MappedField[] {
	return fields.flatMap(({ displayName: label, name, mapping, fields: inner = [] }) => {
		const parameter = `${within}${name}`;
		const own = mapping ? [{ label, parameter, mapping }] : [];
		return [...own, ...mappedFields(inner, `${parameter}.`)];
	});
}

/** Sets a value at a path, and makes the objects that the path leads through. */
function put(values: Json, [name = '', ...rest]: string[], value: unknown): void {
	if (rest.length === 0) values[name] = value;
	else put((values[name] ??= {}) as Json, rest, value);
}

/** An empty update would be answered like a successful one. */
const NOTHING_SET = fail({
	kind: 'input',
	field: 'Update Fields',
	problem: 'has nothing to update',
	hint: 'Add at least one field to change',
});

/** The request of an item from its values by parameter; the first problem names its field. */
export function buildRequest(
	{ method, path: pathTemplate }: Endpoint,
	fields: MappedField[],
	values: Json,
	context: RuleContext,
	constants: Record<string, string> = {},
): Result<ApiRequest> {
	const body: Json = { ...constants };
	const query: Json = {};
	const finishing: Array<() => void> = [];
	let path: string = pathTemplate;
	for (const { label, parameter, mapping } of fields) {
		if (mapping.mayBeHidden && !Object.hasOwn(values, parameter)) continue;
		const ruled = mapping.rule(values[parameter], context);
		if ('problem' in ruled) {
			return fail({ kind: 'input', field: label, problem: ruled.problem, hint: ruled.hint });
		}
		if (ruled.value === undefined) continue;
		const { value } = ruled;
		if (mapping.apply) finishing.push(() => mapping.apply?.(body, value));
		else if (mapping.in === 'body') put(body, mapping.as.split('.'), value);
		else if (mapping.in === 'query') query[mapping.as] = value;
		else path = path.replace(`{${mapping.as}}`, encodeURIComponent(String(value)));
	}
	for (const finish of finishing) finish();
	if (method === 'PATCH' && Object.keys(body).length === 0) return NOTHING_SET;
	const request: ApiRequest = { method, path, query: query as ApiRequest['query'] };
	return ok(method === 'POST' || method === 'PATCH' ? { ...request, body } : request);
}
