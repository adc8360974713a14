import {
	traverseNodeParameters,
	type FromAIArgument,
	type IExecuteSingleFunctions,
	type PreSendAction,
} from 'n8n-workflow';
import type { Prepared } from '../run/item';
import { shortHash } from '../run/keys';
import { isTool, itemFiles, joinRun, toolArguments } from '../run/nodeInput';
import { withoutReferences } from '../run/uploads';
import { fail, ok, type Result } from '../base/result';
import { isRecord, type ApiRequest } from '../base/types';
import { buildRequest, buildSettings } from './buildRequest';
import type { Operation } from './operation';
import {
	mappedFields,
	readParameters,
	unknownFields,
	Values,
	type MappedField,
} from './readFields';
import { usualSettings } from './settings';

/** Base URLs of services of which one knows nothing else. */
const ANYWHERE = '';
const THIS_MACHINE = 'http://localhost/v1';

/**
 * Whether n8n evaluates the parameters of a tool call with the arguments of another call: agents up
 * to version 2 run the calls of several items at once under one run index. The input of a call holds
 * its own arguments.
 */
function hasForeignArguments(context: IExecuteSingleFunctions): boolean {
	const own = toolArguments(context);
	if (!own) return false;
	const calls: FromAIArgument[] = [];
	traverseNodeParameters(context.getNode().parameters, calls);
	return calls.some(({ key }) => {
		const expression = `{{ $fromAI(${JSON.stringify(key)}) }}`;
		const used: unknown = context.evaluateExpression(expression, context.getItemIndex());
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

/** What is said of fields that the operation does not have. */
function warningOf(operation: Operation, unknown: string[]): string | undefined {
	if (unknown.length === 0) return undefined;
	const names = unknown.map((name) => `"${name}"`).join(', ');
	return `Not used, because ${operation.name} has no such field: ${names}`;
}

/** Fingerprint of a request, only for one run: its files by where n8n stores them, else by their content. */
function ownKeyFingerprint(context: IExecuteSingleFunctions, { path, body }: ApiRequest): string {
	const files = itemFiles(context);
	const named = withoutReferences(body, (field) => {
		const file = files[field];
		return file && (file.id ?? shortHash(file.data));
	});
	return shortHash(JSON.stringify([path, named]));
}

function prepare(
	context: IExecuteSingleFunctions,
	operation: Operation,
	fields: MappedField[],
): Result<Prepared> {
	if (hasForeignArguments(context)) return FOREIGN_ARGUMENTS;
	const { spec, constants, split } = operation;
	const read = readParameters(context, operation.fields);
	if (!read.ok) return read;
	const timezone = context.getTimezone();
	const files = itemFiles(context);
	const runsAsTool = isTool(context);
	const valuesFor = (baseUrl: string) =>
		new Values(fields, read.value, runsAsTool, { baseUrl, files, timezone });
	const values = valuesFor(ANYWHERE);
	const settings = buildSettings(values, usualSettings(spec, runsAsTool));
	if (!settings.ok) return settings;
	// Whoever does not wait for the files of a job gets none.
	if (spec.creates && spec.output === 'job' && !settings.value.waitForCompletion)
		settings.value.downloadOutputs = false;
	const warning = warningOf(operation, unknownFields(read.value, operation.fields));
	const complete = (request: ApiRequest) => ({
		request,
		parts: split?.(request),
		settings: settings.value,
		warning,
		ownRequest:
			settings.value.idempotency === 'custom' ? ownKeyFingerprint(context, request) : undefined,
	});
	// Where the service is, only the credential says, which cannot be read here.
	const request = buildRequest(spec.endpoint, values, constants);
	if (request.ok) return ok(complete(request.value));
	const local = buildRequest(spec.endpoint, valuesFor(THIS_MACHINE), constants);
	if (local.ok) return ok({ ...complete(local.value), unlessLocal: request });
	const { includeInputFields, resultField } = settings.value;
	return includeInputFields ? { ...request, resultField } : request;
}

/**
 * The preSend hook of an operation: validates an item without a request. It only records the
 * result; the runner reports it, because n8n's own error items lack pairing. Nothing may be awaited
 * before the result is recorded: n8n calls the hook of every item before the first runner begins,
 * so that one invalid item is known before anything is sent.
 */
export function preSend(operation: Operation): PreSendAction {
	const fields = mappedFields(operation.fields);
	return async function (this: IExecuteSingleFunctions, options) {
		const item = this.getItemIndex();
		joinRun(this, item).add(item, prepare(this, operation, fields));
		return options;
	};
}
