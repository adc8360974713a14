import type { IExecuteSingleFunctions, IHttpRequestOptions, PreSendAction } from 'n8n-workflow';
import { joinBatch } from '../transport/run/batch';
import type { Prepared } from '../transport/run/item';
import { itemFiles, readParameter } from '../transport/run/nodeInput';
import { fail, ok, type Result } from '../transport/base/result';
import { readSettings } from '../transport/run/settings';
import { isRecord } from '../transport/base/types';
import { valueAt } from '../transport/base/values';
import { buildRequest, put, mappedFields, type MappedField } from './buildRequest';
import type { Operation } from './operation';
import { correctedContext, ownArguments, type OwnArguments } from './ownArguments';
import { readValues } from './readValues';

/** Base URLs of services of which one knows nothing else. */
const ANYWHERE = '';
const THIS_MACHINE = 'http://localhost/v1';

function labelOf(fields: MappedField[], name: string): string {
	const field = fields.find(({ parameter }) => `${name}.`.startsWith(`${parameter}.`));
	return field?.label ?? `The parameter ${name}`;
}

/** Replaces arguments that n8n has taken from another call by those of this call. */
function correctGathered(
	context: IExecuteSingleFunctions,
	own: OwnArguments,
	fields: MappedField[],
	{ body, qs }: IHttpRequestOptions,
): Result<undefined> {
	const { parameters } = context.getNode();
	const mixed = own.mixedParameter(parameters);
	if (mixed !== undefined) {
		return fail({
			kind: 'input',
			field: labelOf(fields, mixed),
			problem:
				"combines an argument of the AI with something else, and n8n evaluated it with another call's arguments, because several calls run at the same time",
			hint: 'Let the AI fill in the whole field, use version 3 or later of the AI Agent node, or set its batch size to 1',
		});
	}
	for (const { parameter, mapping } of fields) {
		if (mapping.asOneValue || mapping.in === 'path') continue;
		const gathered = (mapping.in === 'body' ? body : qs) as Record<string, unknown>;
		const path = mapping.as.split('.');
		const evaluated = valueAt(gathered, path);
		const value = own.correct(valueAt(parameters, parameter.split('.')), evaluated);
		if (value !== evaluated) put(gathered, path, value);
	}
	return ok(undefined);
}

function prepare(
	original: IExecuteSingleFunctions,
	{ spec, constants, split }: Operation,
	fields: MappedField[],
	options: IHttpRequestOptions,
): Result<Prepared> {
	const own = ownArguments(original);
	const corrected = own && correctGathered(original, own, fields, options);
	if (corrected && !corrected.ok) return corrected;
	const context = own ? correctedContext(original, own) : original;
	const { body, qs } = options;
	const settings = readSettings(context, spec.terminalStatuses);
	if (!settings.ok) return settings;
	const read = readValues(context, fields);
	if (!read.ok) return read;
	const gathered = { body, query: qs, ...read.value };
	const rules = {
		timezone: context.getTimezone(),
		binaryFields: Object.keys(itemFiles(context)),
		option(name: string): unknown {
			const options = readParameter(context, 'options', {});
			return isRecord(options) ? options[name] : undefined;
		},
	};
	const requestTo = (baseUrl: string) =>
		buildRequest(spec.endpoint, fields, gathered, { ...rules, baseUrl }, constants);
	// Where the service is, only the credential says, which cannot be read here.
	const request = requestTo(ANYWHERE);
	if (request.ok) {
		const parts = split?.(request.value);
		return ok({ request: request.value, parts, settings: settings.value });
	}
	const local = requestTo(THIS_MACHINE);
	return local.ok
		? ok({ request: local.value, settings: settings.value, unlessLocal: request })
		: request;
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
		joinBatch(this, item).add(item, prepare(this, operation, fields, options));
		return options;
	};
}
