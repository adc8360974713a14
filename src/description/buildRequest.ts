import type { ApiRequest } from '../transport/base/types';
import type { Endpoint } from '../contract';
import { fail, ok, type Result } from '../transport/base/result';
import { valueAt } from '../transport/base/values';
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

type Values = Record<string, unknown>;

/** Sets a value at a path, and makes the objects that the path leads through. */
export function put(values: Values, [name = '', ...rest]: string[], value: unknown): void {
	if (rest.length === 0) values[name] = value;
	else put((values[name] ??= {}) as Values, rest, value);
}

/** What n8n's routing engine has gathered for an item, not yet validated. */
export interface Gathered {
	body: unknown;
	query: unknown;
	path: Values;
	/**
	 * Forms that the hook has read as a whole, by the name of the parameter; without those that are
	 * hidden.
	 */
	asOneValue?: Values;
}

function valueOf({ parameter, mapping }: MappedField, gathered: Gathered): unknown {
	return mapping.asOneValue
		? gathered.asOneValue?.[parameter]
		: valueAt(gathered[mapping.in], mapping.as.split('.'));
}

/** An empty update would be answered like a successful one. */
const NOTHING_SET = fail({
	kind: 'input',
	field: 'Update Fields',
	problem: 'has nothing to update',
	hint: 'Add at least one field to change',
});

/**
 * Builds the request of an item from the values that its fields gave, each through its rule. Only
 * known fields are copied; nothing is merged. The first problem is answered as a failure that names
 * the field.
 */
export function buildRequest(
	{ method, path: pathTemplate }: Endpoint,
	fields: MappedField[],
	gathered: Gathered,
	context: RuleContext,
	constants: Record<string, string> = {},
): Result<ApiRequest> {
	const body: Values = { ...constants };
	const query: Values = {};
	const finishing: Array<() => void> = [];
	let path: string = pathTemplate;
	for (const field of fields) {
		const { label, parameter, mapping } = field;
		if (mapping.asOneValue && !Object.hasOwn(gathered.asOneValue ?? {}, parameter)) continue;
		const ruled = mapping.rule(valueOf(field, gathered), context);
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
