import type { ApiRequest } from '../transport/base/types';
import type { Endpoint } from '../contract';
import { fail, ok, type Result } from '../transport/base/result';
import type { Field, RequestMapping } from './operation';
import type { RuleContext } from './rules';

/** A field whose value is sent, with where it stands among the node's parameters. */
export interface MappedField {
	label: string;
	/** Name of the parameter, dotted within a collection. */
	parameter: string;
	mapping: RequestMapping;
}

/** All fields of an operation whose values are sent, those of collections included. */
export function mappedFields(fields: Field[], within = ''): MappedField[] {
	return fields.flatMap(({ ui, mapping, fields: inner }) => {
		const parameter = `${within}${ui.name}`;
		const own = mapping ? [{ label: ui.displayName, parameter, mapping }] : [];
		return [...own, ...mappedFields(inner ?? [], `${parameter}.`)];
	});
}

type Values = Record<string, unknown>;

export function valueAt(values: unknown, path: string[]): unknown {
	let value = values;
	for (const name of path) value = (value as Values | undefined | null)?.[name];
	return value;
}

export function put(values: Values, [name = '', ...rest]: string[], value: unknown): void {
	if (rest.length === 0) values[name] = value;
	else put((values[name] ??= {}) as Values, rest, value);
}

/** What n8n's routing engine has gathered for an item, before any of it has been looked at. */
export interface Gathered {
	body: unknown;
	query: unknown;
	path: Values;
	/** Forms that the hook has read as a whole, by the name of the parameter; without those that are hidden. */
	asOneValue?: Values;
}

function given({ parameter, mapping: sent }: MappedField, gathered: Gathered): unknown {
	return sent.asOneValue
		? gathered.asOneValue?.[parameter]
		: valueAt(gathered[sent.in], sent.as.split('.'));
}

/** An update of nothing would be answered as if it had been one. */
const NOTHING_SET = fail({
	kind: 'input',
	field: 'Update Fields',
	problem: 'has nothing to update',
	hint: 'Add at least one field that shall change',
});

/**
 * Builds the request of an item from the values that its fields gave, each through its rule. Only known fields are copied;
 * nothing is merged. The first problem is answered as a failure that names the field.
 */
export function buildRequest(
	{ method, path: template }: Endpoint,
	fields: MappedField[],
	gathered: Gathered,
	context: RuleContext,
	constants: Record<string, string> = {},
): Result<ApiRequest> {
	const body: Values = { ...constants };
	const query: Values = {};
	let path: string = template;
	for (const field of fields) {
		const { label, parameter, mapping: sent } = field;
		if (sent.asOneValue && !Object.hasOwn(gathered.asOneValue ?? {}, parameter)) continue;
		const ruled = sent.rule(given(field, gathered), context);
		if ('problem' in ruled) {
			return fail({ kind: 'input', field: label, problem: ruled.problem, hint: ruled.hint });
		}
		if (ruled.value === undefined) continue;
		if (sent.in === 'body') put(body, sent.as.split('.'), ruled.value);
		else if (sent.in === 'query') query[sent.as] = ruled.value;
		else path = path.replace(`{${sent.as}}`, encodeURIComponent(String(ruled.value)));
	}
	if (method === 'PATCH' && Object.keys(body).length === 0) return NOTHING_SET;
	const request: ApiRequest = { method, path, query: query as ApiRequest['query'] };
	return ok(method === 'POST' || method === 'PATCH' ? { ...request, body } : request);
}
