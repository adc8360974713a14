import { isRecord, type Json } from '../base/types';
import { FILES_KEY } from './rules/media';

/*
 * Names in the json of an item that mean something to n8n. With `error` the item has failed, and the node may
 * run again. With `$error` beside `$json` all other fields are dropped. `_files` contains the files of the
 * item (Execution Logic v2), and anything else there ends the execution.
 */

export const RESERVED_NAMES: readonly string[] = ['error', '$error', FILES_KEY];

/** A name, or the name with the first number that makes it unused. */
function freeName(name: string, taken: Json): string {
	let free = name;
	for (let number = 2; Object.hasOwn(taken, free); number += 1) free = `${name}_${number}`;
	return free;
}

/** A copy of an object in which each of these names is replaced by an unused one. */
function setAside(json: Json, names: readonly string[], renamed: (name: string) => string): Json {
	const columns = { ...json };
	for (const name of names) {
		if (!Object.hasOwn(json, name)) continue;
		delete columns[name];
		if (json[name] !== undefined) columns[freeName(renamed(name), columns)] = json[name];
	}
	return columns;
}

/** The fields of an input item. Its files stay where they are. */
export function columnsOf(json: Json): Json {
	const hasFiles = isRecord(json[FILES_KEY]);
	const names = RESERVED_NAMES.filter((name) => !(hasFiles && name === FILES_KEY));
	return setAside(json, names, (name) => `input_${name}`);
}

/** The fields of a resource. The service may give them any names. */
export const fieldsOf = (resource: Json): Json =>
	setAside(resource, RESERVED_NAMES, (name) => (name === 'error' ? 'failure' : `service_${name}`));
