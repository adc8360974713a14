import type { IExecuteSingleFunctions, PreSendAction } from 'n8n-workflow';
import type { Prepared } from '../run/item';
import { withoutReferences } from '../run/uploads';
import { itemFiles, joinRun, readParameter } from '../run/nodeInput';
import { fail, ok, type Result } from '../base/result';
import { readSettings } from '../run/settings';
import { isRecord, type ApiRequest, type Json } from '../base/types';
import { valueAt } from '../base/values';
import { buildRequest, mappedFields, type MappedField } from './buildRequest';
import type { Operation } from './operation';
import { mixedUpCall, type MixedUpCall } from './mixedUpCall';

/** Base URLs of services of which one knows nothing else. */
const ANYWHERE = '';
const THIS_MACHINE = 'http://localhost/v1';

function unknownArgument(fields: MappedField[], name: string): Result<never> {
	const field = fields.find(({ parameter }) => `${name}.`.startsWith(`${parameter}.`));
	return fail({
		kind: 'input',
		field: field?.label ?? `The parameter ${name}`,
		problem:
			"combines an argument of the AI with something else, and n8n evaluated it with another call's arguments, because several calls run at the same time",
		hint: 'Let the AI fill in the whole field, use version 3 or later of the AI Agent node, or set its batch size to 1',
	});
}

/** A view of the context that corrects each parameter that is read from it. */
function withCorrectedParameters(
	context: IExecuteSingleFunctions,
	{ correct }: MixedUpCall,
): IExecuteSingleFunctions {
	const getNodeParameter = (name: string, ...rest: [unknown?, object?]): unknown =>
		correct(name, context.getNodeParameter(name, ...rest));
	return Object.create(context, { getNodeParameter: { value: getNodeParameter } }) as never;
}

/**
 * The values of an item, by the name of the parameter. n8n's routing gathers none of them: it keeps
 * only the value of a locator and not the mode, and evaluates what needs no evaluation. What is
 * hidden or was not added is not among the parameters.
 */
function readValues(context: IExecuteSingleFunctions, fields: MappedField[]): Result<Json> {
	const { parameters } = context.getNode();
	const read: Json = {};
	for (const { label, parameter } of fields) {
		if (valueAt(parameters, parameter.split('.')) === undefined) continue;
		try {
			read[parameter] = readParameter(context, parameter, '');
		} catch (error) {
			const reason = error instanceof Error ? `: ${error.message}` : '';
			return fail({ kind: 'input', field: label, problem: `cannot be evaluated${reason}` });
		}
	}
	return ok(read);
}

/** A request as text, its files by where n8n stores them. */
function requestText(context: IExecuteSingleFunctions, { path, body }: ApiRequest): string {
	const files = itemFiles(context);
	const named = withoutReferences(body, (field) => files[field]?.id ?? files[field]?.data);
	return JSON.stringify([path, named]);
}

function prepare(
	original: IExecuteSingleFunctions,
	{ spec, constants, split }: Operation,
	fields: MappedField[],
): Result<Prepared> {
	const mixedUp = mixedUpCall(original);
	if (mixedUp?.unknown !== undefined) return unknownArgument(fields, mixedUp.unknown);
	const context = mixedUp ? withCorrectedParameters(original, mixedUp) : original;
	const settings = readSettings(context, spec.terminalStatuses);
	if (!settings.ok) return settings;
	const values = readValues(context, fields);
	if (!values.ok) return values;
	const rules = {
		timezone: context.getTimezone(),
		binaryFields: Object.keys(itemFiles(context)),
		option(name: string): unknown {
			const options = readParameter(context, 'options', {});
			return isRecord(options) ? options[name] : undefined;
		},
	};
	const requestTo = (baseUrl: string) =>
		buildRequest(spec.endpoint, fields, values.value, { ...rules, baseUrl }, constants);
	// Where the service is, only the credential says, which cannot be read here.
	const request = requestTo(ANYWHERE);
	if (request.ok) {
		const parts = split?.(request.value);
		const hasOwnKey = settings.value.idempotency === 'custom';
		const ownRequest = hasOwnKey ? requestText(original, request.value) : undefined;
		return ok({ request: request.value, parts, settings: settings.value, ownRequest });
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
		joinRun(this, item).add(item, prepare(this, operation, fields));
		return options;
	};
}
