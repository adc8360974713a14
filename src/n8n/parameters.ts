import { ok, type Result } from '../base/result';
import { quoted } from '../base/texts';
import { isRecord, type Json } from '../base/types';
import { valueAt } from '../base/values';
import type { Field } from '../fields/operation';
import { problemOf } from '../fields/readFields';
import type { Input, NodeCall } from './call';

/** A parameter as it is evaluated; a failure that names the field whose expression throws. */
function evaluated(
	call: NodeCall,
	{ index }: Input,
	{ name, displayName, fields = [] }: Field,
): Result<unknown> {
	try {
		return ok(call.parameter(index, name));
	} catch (error) {
		const throws = fields.find((inner) => {
			try {
				call.parameter(index, `${name}.${inner.name}`, '');
				return false;
			} catch {
				return true;
			}
		});
		const reason = error instanceof Error ? `: ${error.message}` : '';
		return problemOf(throws?.displayName ?? displayName, `cannot be evaluated${reason}`);
	}
}

/** The evaluated parameters of an item, as far as an operation has fields for them. */
export function readParameters(call: NodeCall, input: Input, fields: Field[]): Result<Json> {
	const { parameters } = call.node;
	const read: Json = {};
	for (const field of fields) {
		const { name, displayName, fields: inner } = field;
		if (Object.hasOwn(read, name) || valueAt(parameters, [name]) === undefined) continue;
		const value = evaluated(call, input, field);
		if (!value.ok) return value;
		if (inner && !isRecord(value.value))
			return problemOf(displayName, `must be an object with fields, got ${quoted(value.value)}`);
		read[name] = value.value;
	}
	return ok(read);
}
