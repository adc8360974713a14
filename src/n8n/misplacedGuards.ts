import type { INodeProperties } from 'n8n-workflow';
import { fail, type Failed } from '../base/result';
import type { Json } from '../base/types';
import { flagOf, valueAt } from '../base/values';
import type { OperationSpec } from '../creation/item';
import { options, type Mapping, type Operation } from '../fields/operation';
import { mappedFields, type MappedField } from '../fields/readFields';
import { dryRun, maxCredits, maxCreditsPerDay } from '../fields/settings';

/*
 * A guard beside the collection that it belongs to, such as `dryRun` where `options.dryRun` is meant, as a
 * model or a script may write it. n8n leaves out what a node has no field for before the node sees anything.
 * So the node has such fields, which nobody is shown, and what stands in one is an error before anything is
 * sent.
 */

/** What keeps money from being spent, in a collection or beside it. */
export const guardsOf = (operations: readonly Operation[]): MappedField[] =>
	operations
		.flatMap(({ fields }) => mappedFields(fields))
		.filter(({ mapping }) => mapping.guardsMoney);

/** What every node knows, as a model may have seen it at another one. */
const OF_ANY_NODE = mappedFields([options([dryRun, maxCredits, maxCreditsPerDay])]);

/** Names under which a guard of a collection may stand beside it: its own, and as the API writes names. */
function namesBeside({ parameter }: MappedField): string[] {
	const [, name] = parameter.split('.');
	if (name === undefined) return [];
	return [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

/** Off is not set, but a limit of 0 is. */
export const isSet = ({ mapping }: MappedField, value: unknown): boolean =>
	value !== undefined && value !== '' && !(mapping.guardsSending && flagOf(value) === false);

const hasField = ({ fields }: Operation, name: string): boolean =>
	fields.some((field) => field.name === name);

/** A limit of credits holds for whatever costs none, and what only reads changes nothing. */
export const holdsAnyway = ({ endpoint, charges }: OperationSpec, mapping: Mapping): boolean =>
	mapping.guardsSending ? endpoint.method === 'GET' : !charges;

/** The fields for them, one for each name, with the operations that have no field of that name. */
export function misplacedGuardFields(
	operations: readonly Operation[],
	show: Record<string, string[]>,
): INodeProperties[] {
	const labels = new Map(
		[...OF_ANY_NODE, ...guardsOf(operations)].flatMap((guard) =>
			namesBeside(guard).map((name) => [name, guard.label] as const),
		),
	);
	return [...labels].map(([name, displayName]) => {
		const without = operations.filter((one) => !hasField(one, name)).map(({ value }) => value);
		const displayOptions = { show: { ...show, operation: without } };
		return { displayName, name, type: 'hidden', default: '', displayOptions };
	});
}

/** What is wrong with a guard that stands beside its collection. @param parameters as they are stored */
export function misplacedGuard(
	operation: Operation,
	guards: readonly MappedField[],
	parameters: Json,
): Failed | undefined {
	const own = new Set(mappedFields(operation.fields).map(({ parameter }) => parameter));
	const isOwn = ({ parameter }: MappedField) => own.has(parameter);
	const all = [...guards, ...OF_ANY_NODE];
	// Of several that may be called so, that of the operation is meant.
	const ownFirst = [...all.filter(isOwn), ...all.filter((guard) => !isOwn(guard))];
	// The editor carries a value over from an operation that has the field: what is set in its place holds.
	const inPlace = ownFirst.filter(
		(guard) => isOwn(guard) && isSet(guard, valueAt(parameters, guard.parameter.split('.'))),
	);
	const settled = new Set(inPlace.flatMap(namesBeside));
	for (const guard of ownFirst) {
		if (holdsAnyway(operation.spec, guard.mapping)) continue;
		const name = namesBeside(guard).find(
			(each) => !hasField(operation, each) && !settled.has(each) && isSet(guard, parameters[each]),
		);
		if (name === undefined) continue;
		const hint = isOwn(guard)
			? `Its name is "${guard.parameter}": once that is set, this one is not looked at`
			: `Remove it: ${operation.name} cannot keep it`;
		const problem = `is no field of ${operation.name}`;
		return fail({ kind: 'input', field: `"${name}"`, problem, hint });
	}
	return undefined;
}
