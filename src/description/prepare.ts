import type { IExecuteSingleFunctions, IHttpRequestOptions, PreSendAction } from 'n8n-workflow';
import { joinBatch, type Prepared } from '../transport/batch';
import { ok, type Result } from '../transport/result';
import { readSettings } from '../transport/settings';
import { checkedRequest, sentFields, type SentField } from './check';
import type { Operation } from './operation';

/** What the hook reads itself: path values, by their name in the path, and forms that are sent as one value. */
function readValues(context: IExecuteSingleFunctions, fields: SentField[]) {
	const { parameters } = context.getNode();
	const path: Record<string, unknown> = {};
	const whole: Record<string, unknown> = {};
	for (const { parameter, sent } of fields) {
		const read = () => context.getNodeParameter(parameter, '', { extractValue: true });
		if (sent.in === 'path') path[sent.as] = read();
		// n8n leaves out what is hidden.
		else if (sent.whole && Object.hasOwn(parameters, parameter)) whole[parameter] = read();
	}
	return { path, whole };
}

function prepared(
	context: IExecuteSingleFunctions,
	{ plan, constants }: Operation,
	fields: SentField[],
	{ body, qs, baseURL }: IHttpRequestOptions,
): Result<Prepared> {
	const settings = readSettings(context, plan.endings);
	if (!settings.ok) return settings;
	const gathered = { body, query: qs, ...readValues(context, fields) };
	const rules = {
		timezone: context.getTimezone(),
		baseUrl: baseURL ?? '',
		binaryFields: Object.keys(context.getInputData().binary ?? {}),
	};
	const request = checkedRequest(plan.endpoint, fields, gathered, rules, constants);
	return request.ok ? ok({ request: request.value, settings: settings.value }) : request;
}

/**
 * The preSend hook of an operation: everything about an item that can be known to be wrong without a request. It only takes note;
 * the runner speaks, because n8n's own error items lack pairing. No `await` may stand before the note: n8n calls the hook
 * of every item before the first runner begins, so that one bad item is known before anything is sent.
 */
export function prepare(operation: Operation): PreSendAction {
	const fields = sentFields(operation.fields);
	return async function (this: IExecuteSingleFunctions, options) {
		const item = this.getItemIndex();
		joinBatch(this, item).add(item, prepared(this, operation, fields, options));
		return options;
	};
}
