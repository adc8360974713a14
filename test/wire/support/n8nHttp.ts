/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import {
	NodeApiError,
	type IExecuteFunctions,
	type IHttpRequestMethods,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';
import { createRequire } from 'node:module';
import { stringify } from 'node:querystring';
import type axiosType from 'axios';
import type { AxiosRequestConfig } from 'axios';
import { MediaGenApi } from '../../../credentials/MediaGenApi.credentials';

/*
 * What stands between our nodes and the wire in these tests: n8n's HTTP helpers as n8n 2.41 has them
 * (`@n8n/backend-network`, and `request-helpers` of n8n-core), with all that they make of the options that we
 * give them, and with our own credential. n8n's are not to be had without n8n: they come with a database, a
 * configuration and 1,800 packages. The HTTP client beneath them, which makes headers, streams, redirects and
 * errors, is n8n's own: axios.
 *
 * `test/judges/wire.test.ts` sends the same through this and through n8n-core's, and compares what arrives
 * and what comes back. Left out is what needs a real socket: proxies, certificates, n8n's protection against
 * SSRF and its allowed domains. In a real n8n they are tested by `test/e2e` (`keyStaysHome`, `hostile`).
 */

/** It comes with n8n-workflow, so that it is always the one that n8n uses. */
const { default: axios } = createRequire(require.resolve('n8n-workflow/package.json'))('axios') as {
	default: typeof axiosType;
};

/**
 * n8n's defaults for all requests. Our queries are flat: the differences of formats for arrays do not show.
 */
const client = axios.create({
	timeout: 300_000,
	maxBodyLength: Infinity,
	maxContentLength: Infinity,
	proxy: false,
	paramsSerializer: (params) => stringify(params),
});
client.defaults.headers.post = {};
client.defaults.headers.put = {};
client.defaults.headers.patch = {};
client.interceptors.request.use((config) => {
	if (config.data === undefined) config.headers.setContentType(false, false);
	return config;
});

type Headers = Record<string, string>;

/** Where a redirect is followed, n8n carries the key along. */
const carryingTheKey = ({ Authorization }: Headers): AxiosRequestConfig['beforeRedirect'] =>
	function carry(next) {
		const headers = next.headers as Headers;
		if (Authorization) headers.Authorization = Authorization;
	};

async function httpRequest(options: IHttpRequestOptions): Promise<unknown> {
	const headers = { 'User-Agent': 'n8n', ...options.headers } as Headers;
	if (options.json) headers.Accept ??= 'application/json';
	const config: AxiosRequestConfig = {
		url: options.url,
		baseURL: options.baseURL,
		method: options.method,
		params: options.qs,
		data: options.method === 'GET' ? undefined : options.body,
		headers,
		timeout: options.timeout,
		signal: options.abortSignal as AbortSignal | undefined,
		responseType: options.encoding,
		beforeRedirect: carryingTheKey(headers),
	};
	if (options.disableFollowRedirect) config.maxRedirects = 0;
	if (options.ignoreHttpStatusErrors) config.validateStatus = () => true;
	const { data: body, headers: received, status, statusText } = await client.request(config);
	if (!options.returnFullResponse) return body;
	return { body, headers: received, statusCode: status, statusMessage: statusText };
}

/** Puts the key on the very request, and says what n8n says of one that fails. */
async function httpRequestWithAuthentication(
	this: IExecuteFunctions,
	type: string,
	options: IHttpRequestOptions,
): Promise<unknown> {
	if ('getExecutionCancelSignal' in this) options.abortSignal = this.getExecutionCancelSignal();
	const { authenticate } = new MediaGenApi();
	if (typeof authenticate !== 'function') throw new Error('The credential puts no key on requests');
	try {
		const credential = await this.getCredentials(type);
		return await httpRequest(await authenticate(credential, options));
	} catch (error) {
		throw new NodeApiError(this.getNode(), error as never);
	}
}

interface LegacyOptions {
	method: IHttpRequestMethods;
	uri: string;
	headers: Headers;
	json: boolean;
	simple: boolean;
	resolveWithFullResponse: boolean;
	followRedirect: boolean;
	timeout: number;
}

/** The older helper: the only one that n8n gives to the test of a credential. */
async function request(options: LegacyOptions): Promise<unknown> {
	const { uri: url, method, headers, json, timeout } = options;
	const answer = (await httpRequest({
		url,
		method,
		headers,
		json,
		timeout,
		disableFollowRedirect: !options.followRedirect,
		ignoreHttpStatusErrors: !options.simple,
		returnFullResponse: true,
	})) as IN8nHttpFullResponse;
	const body: unknown = (answer.body as unknown) === '' ? undefined : answer.body;
	return options.resolveWithFullResponse ? { ...answer, body } : body;
}

/** The helpers of n8n's functions that send. */
export const n8nHttp = { httpRequest, httpRequestWithAuthentication, request };
