import { nearest } from '../base/nearest';
import { fail, type Failed } from '../base/result';
import { quoted } from '../base/texts';
import type { Json } from '../base/types';
import { flagOf, valueAt } from '../base/values';
import type { OperationSpec } from '../creation/operationSpec';
import { options, type Field, type Mapping, type Operation } from './operation';
import { mappedFields, type MappedField } from './readFields';
import { dryRun, maxCredits, maxCreditsPerDay } from './settings';

/*
 * A guard that is set holds, or nothing is sent. A guard is a field that keeps money from being spent, such
 * as Dry Run and the limits of credits. An agent or a script may set one where it would guard nothing:
 *
 * - in a collection of an operation that cannot keep it (`unkeptGuard`)
 * - beside its collection, such as `dryRun` where `options.dryRun` is meant (`misplacedGuard`)
 * - under a name that no operation of the node has (`unknownField`)
 *
 * Each of these is an error before anything is sent.
 */

/** What the operations of a node have in their collections. */
export interface KnownFields {
	/** Dotted names, such as `options.dryRun`. */
	names: ReadonlySet<string>;
	guards: MappedField[];
}

/** @param operations all operations of a node */
export function knownFieldsOf(operations: readonly Operation[]): KnownFields {
	return {
		names: new Set(operations.flatMap(({ fields }) => namesInCollections(fields))),
		guards: guardsOf(operations),
	};
}

/**
 * Why an item is not sent: a guard is set that would not hold.
 * @param stored the parameters as the workflow stores them
 * @param values the evaluated ones, as far as the operation has fields for them
 * @param unused dotted names in collections that the operation has no field for
 */
export function guardProblem(
	operation: Operation,
	knownFields: KnownFields,
	stored: Json,
	values: Json,
	unused: string[],
): Failed | undefined {
	const unknown = unused.filter((name) => !knownFields.names.has(name));
	return (
		misplacedGuard(operation, knownFields.guards, stored) ??
		unkeptGuard(operation, knownFields.guards, values, unused) ??
		unknownField(operation, unknown)
	);
}

/** The guards of these operations. */
const guardsOf = (operations: readonly Operation[]): MappedField[] =>
	operations
		.flatMap(({ fields }) => mappedFields(fields))
		.filter(({ mapping }) => mapping.guardsMoney);

/** Guards that any node understands beside its collections: an agent may have seen them at another node. */
const OF_ANY_NODE = mappedFields([options([dryRun, maxCredits, maxCreditsPerDay])]);

/** Whether a guard has a value. A switch that is off has none, but a limit of 0 has. */
const isSet = ({ mapping }: MappedField, value: unknown): boolean =>
	value !== undefined && value !== '' && !(mapping.guardsSending && flagOf(value) === false);

/**
 * Whether a guard holds without being kept: a limit of credits where nothing costs any, a dry run where
 * nothing is changed.
 */
const holdsAnyway = ({ endpoint, charges }: OperationSpec, mapping: Mapping): boolean =>
	mapping.guardsSending ? endpoint.method === 'GET' : !charges;

/** A guard that is set in a collection, and that only other operations of the node can keep. */
function unkeptGuard(
	{ name: operation, spec }: Operation,
	guards: MappedField[],
	values: Json,
	unused: string[],
): Failed | undefined {
	const isBroken = (guard: MappedField) => {
		const { parameter, mapping } = guard;
		const value = valueAt(values, parameter.split('.'));
		return unused.includes(parameter) && isSet(guard, value) && !holdsAnyway(spec, mapping);
	};
	const guard = guards.find(isBroken);
	if (guard === undefined) return undefined;
	return fail({
		kind: 'input',
		field: guard.label,
		problem: `is set, and ${operation} cannot keep it`,
		hint: `Remove "${guard.parameter}"; the editor shows it with an operation that has it`,
	});
}

/** Names of a guard beside its collection: that of its field, and the same as the API would write it. */
function namesBeside({ parameter }: MappedField): string[] {
	const [, name] = parameter.split('.');
	if (name === undefined) return [];
	return [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

/** Whether it belongs to a switch that is on, as far as that can be seen before anything is evaluated. */
function isNeededBySwitch({ mapping: { guardsWith } }: MappedField, parameters: Json): boolean {
	const value = guardsWith === undefined ? undefined : parameters[guardsWith];
	return value !== undefined && flagOf(value) !== false;
}

const hasField = ({ fields }: Operation, name: string): boolean =>
	fields.some((field) => field.name === name);

/**
 * Hidden fields for guards beside their collection: n8n drops a parameter that the node has no field for
 * before the node sees it. There is one for each name, shown for the operations that have no field of that
 * name.
 */
export function misplacedGuardFields(
	operations: readonly Operation[],
	show: Record<string, string[]>,
): Field[] {
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

/** A guard that is set beside its collection. @param parameters as the workflow stores them */
function misplacedGuard(
	operation: Operation,
	guards: readonly MappedField[],
	parameters: Json,
): Failed | undefined {
	const own = new Set(mappedFields(operation.fields).map(({ parameter }) => parameter));
	const isOwn = ({ parameter }: MappedField) => own.has(parameter);
	const all = [...guards, ...OF_ANY_NODE];
	const isInPlace = (guard: MappedField) =>
		isSet(guard, valueAt(parameters, guard.parameter.split('.')));
	const ofOperation = all.filter(isOwn);
	// Where several guards have one name, such as a budget and a limit, the one that is needed is meant.
	const lacking = ofOperation.filter(
		(guard) => isNeededBySwitch(guard, parameters) && !isInPlace(guard),
	);
	const open = new Set(lacking.flatMap(namesBeside));
	// When the operation is changed, the editor keeps the value of a field that the former one had beside its
	// collections. Such a value is ignored where the guard of this operation is set in its collection.
	const inPlace = ofOperation.filter(isInPlace).flatMap(namesBeside);
	const settled = new Set(inPlace.filter((name) => !open.has(name)));
	const ownFirst = [...lacking, ...ofOperation, ...all.filter((guard) => !isOwn(guard))];
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

/** The dotted names of all fields in collections. */
const namesInCollections = (fields: Field[]): string[] =>
	fields.flatMap(({ name, fields: inner = [] }) => inner.map((field) => `${name}.${field.name}`));

/** Any name that nobody understands, as it may be a misspelt guard. @param unknown dotted names */
function unknownField(operation: Operation, unknown: string[]): Failed | undefined {
	const [name] = unknown;
	if (name === undefined) return undefined;
	const [collection = '', field = ''] = name.split(/\.(.*)/s);
	const names = namesInCollections(operation.fields)
		.filter((one) => one.startsWith(`${collection}.`))
		.map((one) => one.slice(collection.length + 1));
	const meant = nearest(field, names);
	return fail({
		kind: 'input',
		field: quoted(name),
		problem: `is no field of ${operation.name}`,
		hint: meant === undefined ? `It has ${names.join(', ')}` : `Its name is "${meant}"`,
	});
}
