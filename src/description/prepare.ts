import type { IExecuteSingleFunctions, IHttpRequestOptions, PreSendAction } from 'n8n-workflow';
import { joinBatch, type Prepared } from '../transport/batch';
import { ok, type Result } from '../transport/result';
import { readSettings } from '../transport/settings';
import { checkedRequest, sentFields, type SentField } from './check';
import type { Operation } from './operation';

const isInPath = ({ sent }: SentField) => sent.in === 'path';

function prepared(
	context: IExecuteSingleFunctions,
	{ plan }: Operation,
	fields: SentField[],
	{ body, qs, baseURL }: IHttpRequestOptions,
): Result<Prepared> {
	const settings = readSettings(context);
	if (!settings.ok) return settings;
	const inPath = fields.filter(isInPath).map(({ parameter, sent }) => {
		const value = context.getNodeParameter(parameter, '', { extractValue: true });
		return [sent.as, value] as const;
	});
	const gathered = { body, query: qs, path: Object.fromEntries(inPath) };
	const rules = {
		baseUrl: baseURL ?? '',
		binaryFields: Object.keys(context.getInputData().binary ?? {}),
	};
	const request = checkedRequest(plan.endpoint, fields, gathered, rules);
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
