import type { INodeProperties } from 'n8n-workflow';
import { fail, type Failed } from '../base/result';
import type { Json } from '../base/types';
import { flagOf } from '../base/values';
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
	const isSet = (name: string) => {
		const value = parameters[name];
		const isGiven = value !== undefined && value !== '' && flagOf(value) !== false;
		return isGiven && !hasField(operation, name);
	};
	const own = new Set(mappedFields(operation.fields).map(({ parameter }) => parameter));
	// Of several with this name, that of the operation is meant.
	const sorted = [...guards, ...OF_ANY_NODE].sort(
		(a, b) => Number(own.has(b.parameter)) - Number(own.has(a.parameter)),
	);
	for (const guard of sorted) {
		const name = namesBeside(guard).find(isSet);
		if (name === undefined || holdsAnyway(operation.spec, guard.mapping)) continue;
		const hint = own.has(guard.parameter)
			? `Its name is "${guard.parameter}"`
			: `Remove it: ${operation.name} cannot keep it`;
		const problem = `is no field of ${operation.name}`;
		return fail({ kind: 'input', field: `"${name}"`, problem, hint });
	}
	return undefined;
}
