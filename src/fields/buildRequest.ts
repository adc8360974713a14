import type { Endpoint, Json } from '../api';
import type { ApiRequest } from '../base/types';
import { fail, ok, type Result } from '../base/result';
import type { Settings } from '../creation/item';
import type { Mapping } from './operation';
import type { Values } from './readFields';

/** Sets a value at a path, and makes the objects on the way there. */
function put(target: Json, [name = '', ...rest]: string[], value: unknown): void {
	if (rest.length === 0) {
		target[name] = value;
		return;
	}
	target[name] ??= {};
	put(target[name] as Json, rest, value);
}

/** Puts values into an object: first each at its path, then the ones that change the object as a whole. */
function fill(target: Json, values: Array<[Mapping, unknown]>): void {
	for (const [{ as, apply }, value] of values) if (!apply) put(target, as.split('.'), value);
	for (const [{ apply }, value] of values) apply?.(target, value);
}

/** Refused here, because the service would answer an update without content like a successful one. */
const NOTHING_SET = fail({
	kind: 'input',
	field: 'Update Fields',
	problem: 'has nothing to update',
	hint: 'Add at least one field to change, and fill it in',
});

/** Makes the request of an item from its values. */
export function buildRequest(
	{ method, path: pathTemplate }: Endpoint,
	values: Values,
	constants: Record<string, string> = {},
): Result<ApiRequest> {
	const checked = values.checked(({ in: target }) => target !== 'setting');
	if (!checked.ok) return checked;
	const within = (target: Mapping['in']) =>
		checked.value.filter(([mapping]) => mapping.in === target);
	const body: Json = { ...constants };
	fill(body, within('body'));
	const query: Json = {};
	fill(query, within('query'));
	let path = pathTemplate;
	for (const [{ as }, value] of within('path'))
		path = path.replace(`{${as}}`, () => encodeURIComponent(String(value)));
	if (method === 'PATCH' && Object.keys(body).length === 0) return NOTHING_SET;
	const request: ApiRequest = { method, path, query: query as ApiRequest['query'] };
	return ok(method === 'POST' || method === 'PATCH' ? { ...request, body } : request);
}

/** The settings of an item: the defaults of its operation, changed by its values. */
export function buildSettings(values: Values, settings: Settings): Result<Settings> {
	const checked = values.checked(({ in: target }) => target === 'setting');
	if (!checked.ok) return checked;
	fill(settings as unknown as Json, checked.value);
	return ok(settings);
}
