import { isRecord, type Json } from '../base/types';
import { FILES_KEY } from './rules/media';

/*
 * Names at the top of the json of an item to which n8n gives a meaning: with `error` it has failed, and the
 * node may run again; with `$error` beside `$json` all else is dropped; and in `_files` stand its files
 * (Execution Logic v2), where anything else ends the execution.
 */

export const MEANT_BY_N8N: readonly string[] = ['error', '$error', FILES_KEY];

/** An object without what n8n would take for its own, which stands under another name. */
function setAside(json: Json, renamed: (name: string) => string): Json {
	const columns = { ...json };
	for (const name of MEANT_BY_N8N) {
		if (!Object.hasOwn(json, name)) continue;
		delete columns[name];
		if (json[name] !== undefined) columns[renamed(name)] = json[name];
	}
	return columns;
}

/** The fields of an input item; its files stay where they are. */
export function columnsOf(json: Json): Json {
	const files = json[FILES_KEY];
	const columns = setAside({ ...json, [FILES_KEY]: undefined }, (name) => `input_${name}`);
	if (files === undefined) return columns;
	return { ...columns, [isRecord(files) ? FILES_KEY : `input_${FILES_KEY}`]: files };
}

/** The fields of a resource, in which the service may name whatever it likes. */
export const fieldsOf = (resource: Json): Json =>
	setAside(resource, (name) => (name === 'error' ? 'failure' : `service_${name}`));
