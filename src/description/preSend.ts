import type { IExecuteSingleFunctions, IHttpRequestOptions, PreSendAction } from 'n8n-workflow';
import { itemFiles } from '../transport/host/itemFiles';
import { joinBatch } from '../transport/item/batch';
import type { Prepared } from '../transport/item/prepared';
import { fail, ok, type Result } from '../transport/base/result';
import { readSettings } from '../transport/item/settings';
import { buildRequest, put, mappedFields, valueAt, type MappedField } from './buildRequest';
import type { Operation } from './operation';
import { correctedContext, ownArguments, type OwnArguments } from './ownArguments';

/** What the hook reads itself: path values, by their name in the path, and forms that are sent as one value. */
function readValues(context: IExecuteSingleFunctions, fields: MappedField[]) {
	const { parameters } = context.getNode();
	const path: Record<string, unknown> = {};
	const whole: Record<string, unknown> = {};
	for (const { parameter, mapping: sent } of fields) {
		const read = () => context.getNodeParameter(parameter, '', { extractValue: true });
		if (sent.in === 'path') path[sent.as] = read();
		// n8n leaves out what is hidden.
		else if (sent.asOneValue && Object.hasOwn(parameters, parameter)) whole[parameter] = read();
	}
	return { path, asOneValue: whole };
}

function labelOf(fields: MappedField[], name: string): string {
	const field = fields.find(({ parameter }) => `${name}.`.startsWith(`${parameter}.`));
	return field?.label ?? `The parameter ${name}`;
}

/** Puts this call's own arguments in the place of those that n8n has gathered from another one. */
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
				"combines an argument of the AI with something else, and n8n has evaluated it with another call's arguments, because several calls run at the same time",
			hint: 'Let the AI fill in the whole field, use version 3 or later of the AI Agent node, or set its batch size to 1',
		});
	}
	for (const { parameter, mapping: sent } of fields) {
		if (sent.asOneValue || sent.in === 'path') continue;
		const gathered = (sent.in === 'body' ? body : qs) as Record<string, unknown>;
		const path = sent.as.split('.');
		const evaluated = valueAt(gathered, path);
		const value = own.correct(valueAt(parameters, parameter.split('.')), evaluated);
		if (value !== evaluated) put(gathered, path, value);
	}
	return ok(undefined);
}

function prepared(
	given: IExecuteSingleFunctions,
	{ spec, constants }: Operation,
	fields: MappedField[],
	options: IHttpRequestOptions,
): Result<Prepared> {
	const own = ownArguments(given);
	const corrected = own && correctGathered(given, own, fields, options);
	if (corrected && !corrected.ok) return corrected;
	const context = own ? correctedContext(given, own) : given;
	const { body, qs, baseURL } = options;
	const settings = readSettings(context, spec.terminalStatuses);
	if (!settings.ok) return settings;
	const gathered = { body, query: qs, ...readValues(context, fields) };
	const rules = {
		timezone: context.getTimezone(),
		baseUrl: baseURL ?? '',
		binaryFields: Object.keys(itemFiles(context)),
	};
	const request = buildRequest(spec.endpoint, fields, gathered, rules, constants);
	return request.ok ? ok({ request: request.value, settings: settings.value }) : request;
}

/**
 * The preSend hook of an operation: everything about an item that can be known to be wrong without a request. It only takes note;
 * the runner speaks, because n8n's own error items lack pairing. No `await` may stand before the note: n8n calls the hook
 * of every item before the first runner begins, so that one bad item is known before anything is sent.
 */
export function preSend(operation: Operation): PreSendAction {
	const fields = mappedFields(operation.fields);
	return async function (this: IExecuteSingleFunctions, options) {
		const item = this.getItemIndex();
		joinBatch(this, item).add(item, prepared(this, operation, fields, options));
		return options;
	};
}
