import { isRecord, type Json } from '../base/types';
import { FILES_KEY } from './rules/media';

/*
 * Names at the top of the json of an item to which n8n gives a meaning: with `error` it has failed, and the
 * node may run again; with `$error` beside `$json` all else is dropped; and in `_files` stand its files
 * (Execution Logic v2), where anything else ends the execution.
 */

export const MEANT_BY_N8N: readonly string[] = ['error', '$error', FILES_KEY];

/** A name, or the first with a number after it that nothing has yet. */
function freeName(name: string, taken: Json): string {
	let free = name;
	for (let number = 2; Object.hasOwn(taken, free); number += 1) free = `${name}_${number}`;
	return free;
}

/** An object in which these names stand under others, each of its own. */
function setAside(json: Json, names: readonly string[], renamed: (name: string) => string): Json {
	const columns = { ...json };
	for (const name of names) {
		if (!Object.hasOwn(json, name)) continue;
		delete columns[name];
		if (json[name] !== undefined) columns[freeName(renamed(name), columns)] = json[name];
	}
	return columns;
}

/** The fields of an input item; its files stay where they are. */
export function columnsOf(json: Json): Json {
	const hasFiles = isRecord(json[FILES_KEY]);
	const names = MEANT_BY_N8N.filter((name) => !(hasFiles && name === FILES_KEY));
	return setAside(json, names, (name) => `input_${name}`);
}

/** The fields of a resource, in which the service may name whatever it likes. */
export const fieldsOf = (resource: Json): Json =>
	setAside(resource, MEANT_BY_N8N, (name) => (name === 'error' ? 'failure' : `service_${name}`));
