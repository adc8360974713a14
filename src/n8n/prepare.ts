import { traverseNodeParameters, type FromAIArgument } from 'n8n-workflow';
import type { Input, NodeCall } from './call';
import type { Runnable } from './check';
import { guardsOf, holdsAnyway, isSet, misplacedGuard } from './misplacedGuards';
import { modeOf } from '../creation/idempotency';
import type { IdempotencyChoice, Prepared } from '../creation/item';
import { shortHash } from '../base/hash';
import { nearest } from '../base/nearest';
import { quoted } from '../base/texts';
import { withoutReferences } from '../creation/uploads';
import { fail, ok, type Result } from '../base/result';
import { isRecord, type ApiRequest, type Json } from '../base/types';
import { valueAt } from '../base/values';
import { buildRequest, buildSettings } from '../fields/buildRequest';
import { fieldsWithOptions, type Field, type Operation } from '../fields/operation';
import {
	mappedFields,
	fieldProblem,
	unknownFields,
	Values,
	type MappedField,
} from '../fields/readFields';
import { usualSettings } from '../fields/settings';

/**
 * Whether n8n evaluates the parameters of a tool call with the arguments of another call: agents up
 * to version 2 run the calls of several items at once under one run index. The input of a call holds
 * its own arguments.
 */
function hasForeignArguments(call: NodeCall, { index, json: own }: Input): boolean {
	if (!call.isNested) return false;
	const calls: FromAIArgument[] = [];
	traverseNodeParameters(call.node.parameters, calls);
	return calls.some(({ key }) => {
		const used = call.evaluate(index, `{{ $fromAI(${JSON.stringify(key)}) }}`);
		const argument: unknown = isRecord(own.query) ? (own.query[key] ?? own[key]) : own[key];
		return JSON.stringify(used) !== JSON.stringify(argument);
	});
}

const FOREIGN_ARGUMENTS = fail({
	kind: 'input',
	field: 'What the AI has filled in',
	problem: 'is mixed up with another call of this tool, as several run at the same time',
	hint: 'Use version 3 or later of the AI Agent node, or set its batch size to 1',
});

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
		return fieldProblem(throws?.displayName ?? displayName, `cannot be evaluated${reason}`);
	}
}

/** The evaluated parameters of an item, as far as an operation has fields for them. */
function readParameters(call: NodeCall, input: Input, fields: Field[]): Result<Json> {
	const { parameters } = call.node;
	const read: Json = {};
	for (const field of fields) {
		const { name, displayName, fields: inner } = field;
		if (Object.hasOwn(read, name) || valueAt(parameters, [name]) === undefined) continue;
		const value = evaluated(call, input, field);
		if (!value.ok) return value;
		if (inner && !isRecord(value.value))
			return fieldProblem(displayName, `must be an object with fields, got ${quoted(value.value)}`);
		read[name] = value.value;
	}
	return ok(read);
}

/** What is said of fields that the operation does not have, and another one of the node has. */
function warningOf(operation: Operation, unused: string[]): string | undefined {
	if (unused.length === 0) return undefined;
	const names = unused.map((name) => `"${name}"`).join(', ');
	return `Not used, because ${operation.name} has no such field: ${names}`;
}

/** A limit of an execution, where there is none: n8n's own Agents run each call by itself. */
const EACH_CALL =
	'Max Credits per Execution counts each call by itself here, as it has no execution';

/** The dotted names of all fields in collections. */
const namesInCollections = (fields: Field[]): string[] =>
	fields.flatMap(({ name, fields: inner = [] }) => inner.map((field) => `${name}.${field.name}`));

/** What is not understood is an error before money: a guard under a wrong name would guard nothing. */
function unknownField(operation: Operation, unknown: string[]): Result<never> | undefined {
	const [name] = unknown;
	if (name === undefined) return undefined;
	const [collection = '', field = ''] = name.split(/\.(.*)/s);
	const known = namesInCollections(operation.fields)
		.filter((one) => one.startsWith(`${collection}.`))
		.map((one) => one.slice(collection.length + 1));
	const meant = nearest(field, known);
	return fail({
		kind: 'input',
		field: quoted(name),
		problem: `is no field of ${operation.name}`,
		hint: meant === undefined ? `It has ${known.join(', ')}` : `Its name is "${meant}"`,
	});
}

/** A guard that is set holds, or nothing is sent. */
function unkeptGuard(
	{ name: operation, spec }: Operation,
	guards: MappedField[],
	values: Json,
	unused: string[],
): Result<never> | undefined {
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

/** Fingerprint of a request: its files by where n8n stores them, else by their content. */
export function requestFingerprint({ files }: Input, { path, body }: ApiRequest): string {
	const named = withoutReferences(body, ({ field, file = files[field] }) => {
		return file && (file.id ?? shortHash(file.data));
	});
	return shortHash(JSON.stringify([path, named]));
}

/** What any operation of the node has in its collections. */
interface Known {
	names: ReadonlySet<string>;
	guards: MappedField[];
}

/** The request and the settings of an item, checked, without a request to the service. */
function prepareItem(
	operation: Operation,
	known: Known,
	fields: MappedField[],
	call: NodeCall,
	input: Input,
	baseUrl: string,
): Result<Prepared> {
	if (hasForeignArguments(call, input)) return FOREIGN_ARGUMENTS;
	const { spec, constants, split } = operation;
	const given = fieldsWithOptions(operation);
	const read = readParameters(call, input, given);
	if (!read.ok) return read;
	const unused = unknownFields(read.value, given);
	const wrong =
		misplacedGuard(operation, known.guards, call.node.parameters) ??
		unkeptGuard(operation, known.guards, read.value, unused) ??
		unknownField(
			operation,
			unused.filter((name) => !known.names.has(name)),
		);
	if (wrong) return wrong;
	const { isTool, timezone } = call;
	const { files } = input;
	const context = { baseUrl, files, timezone, findFile: call.findFile };
	const values = new Values(fields, read.value, isTool, context);
	const settings = buildSettings(values, usualSettings(spec, isTool));
	if (!settings.ok) return settings;
	const choice = settings.value.idempotency as IdempotencyChoice;
	settings.value.idempotency = modeOf(choice, call.mode === 'manual');
	if (choice === 'editor') settings.value.sameInEditor = true;
	// Whoever does not wait for the files of a job gets none.
	if (spec.creates && spec.output === 'job' && !settings.value.waitForCompletion)
		settings.value.downloadOutputs = false;
	const { includeInputFields, resultField, idempotency } = settings.value;
	const built = buildRequest(spec.endpoint, values, constants);
	if (!built.ok) return includeInputFields ? { ...built, resultField } : built;
	const request = built.value;
	const isAlone = call.executionId === '' && settings.value.maxCredits < Infinity;
	const warnings = [warningOf(operation, unused), isAlone ? EACH_CALL : undefined];
	const said = warnings.filter((one) => one !== undefined).join('. ');
	return ok({
		request,
		parts: split?.(request),
		settings: settings.value,
		warning: said === '' ? undefined : said,
		ownRequest: idempotency === 'custom' ? requestFingerprint(input, request) : undefined,
	});
}

/** An operation as it is run. @param all operations of its node */
export function runnable(operation: Operation, all = [operation]): Runnable {
	const known: Known = {
		names: new Set(all.flatMap((one) => namesInCollections(one.fields))),
		guards: guardsOf(all),
	};
	const fields = mappedFields(operation.fields);
	const requested = fields.filter(({ mapping }) => mapping.in !== 'setting');
	return {
		spec: { ...operation.spec, parameters: requested.map(({ parameter }) => parameter) },
		labels: Object.fromEntries(requested.map(({ mapping, label }) => [mapping.as, label])),
		prepare: (call, input, baseUrl) => prepareItem(operation, known, fields, call, input, baseUrl),
	};
}
