import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { CREDENTIAL } from './credentialName';
import { readBody } from './readBody';
import type { HostContext } from './hostContext';
import type { Host } from './host';
import { toNoResponse } from './networkFault';
import { withoutSecret } from './redact';
import { headersOf, nodeRequestOptions, STRICT } from './requestOptions';
import type { SendResult } from '../base/types';

/** Sends with the credential of the node, once. The key is in no answer. */
export function createSend(
	context: HostContext,
	options: IHttpRequestOptions,
	secret: string,
	responseTimeoutMs: number,
): Host['channel']['send'] {
	const { baseURL, allowedDomains } = options;
	const { functions, signal: cancel } = context;
	const shared = {
		...STRICT,
		...nodeRequestOptions(context, options, responseTimeoutMs),
		baseURL,
		allowedDomains,
		json: true,
		encoding: 'stream',
	} as const;
	return async ({ method, path, query, body, headers }): Promise<SendResult> => {
		const request: IHttpRequestOptions = { ...shared, method, url: path, qs: query };
		// Each request gets headers of its own, because n8n writes the key into them.
		const own: Record<string, string> = { ...headers };
		request.headers = own;
		if (body !== undefined) {
			// As text: n8n's client copies an object key by key, and leaves out names such as
			// `constructor`.
			request.body = JSON.stringify(body);
			own['Content-Type'] = 'application/json';
		}
		// n8n takes the signal from its functions: this one ends the connection at the deadline too, in
		// the middle of a body.
		const deadline = AbortSignal.timeout(shared.timeout);
		const signal = cancel ? AbortSignal.any([cancel, deadline]) : deadline;
		try {
			const response = (await context.request.httpRequestWithAuthentication.call(
				Object.assign(Object.create(functions) as typeof functions, {
					getExecutionCancelSignal: () => signal,
				}),
				CREDENTIAL,
				request,
			)) as IN8nHttpFullResponse;
			const content = await readBody(response.body, signal);
			if (!content) return { noResponse: 'an answer that is too long' };
			return {
				status: response.statusCode,
				headers: headersOf(response.headers),
				body: withoutSecret(content.value, secret),
			};
		} catch (error) {
			const hasKey = Object.keys(own).some((name) => name.toLowerCase() === 'authorization');
			if (hasKey && deadline.aborted) return { noResponse: 'timeout' };
			return withoutSecret(toNoResponse(error, hasKey), secret);
		}
	};
}
