import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { ENDPOINTS, isRecord, textOf, type Endpoint, type Json } from '../api';
import { isNoResponse, isSuccess, type SendResult } from '../base/types';
import { unlessAborted } from '../base/abort';
import { parsed, readable } from '../base/values';
import {
	maskSecret,
	credentialProblem,
	readCredential,
	type Access,
} from '../transport/credential';
import { mustBeObject } from '../transport/client';
import { toNoResponse } from '../transport/network';
import { mustBeList } from '../transport/pages';
import { errorOf, isAnswerOfService, isGone, meaningOf } from '../transport/statuses';
import { wordsOfAnswer, wordsOfNoResponse } from './output/answerWords';

interface Probe extends Endpoint {
	/** Whether its answer is a list. */
	list?: boolean;
}

/** One cheap request for each read scope. */
const PROBES: Probe[] = [
	ENDPOINTS.getCredits,
	{ ...ENDPOINTS.listModels, list: true },
	{ ...ENDPOINTS.listGenerations, list: true },
	ENDPOINTS.getUsage,
	{ ...ENDPOINTS.listVoices, list: true },
	{ ...ENDPOINTS.listPersonas, list: true },
	{ ...ENDPOINTS.listAgentRuns, list: true },
	{ ...ENDPOINTS.listWebhooks, list: true },
];

const valid = (message: string): INodeCredentialTestResult => ({ status: 'OK', message });
const invalid = (message: string): INodeCredentialTestResult => ({ status: 'Error', message });

/** Names Check Setup, because a test of a few seconds does not look at everything. */
const SUCCESS = 'Connection successful. MediaGen Workspace: Check Setup says more.';

/** How long all requests of a test may take together, in ms. */
const DEADLINE_MS = 20_000;

/** Sends one request. What it gives, an answer or none, does not contain the key. */
async function probe(
	context: ICredentialTestFunctions,
	{ baseUrl, apiKey }: Access,
	{ path }: Endpoint,
	deadline: AbortSignal,
): Promise<SendResult> {
	const request = context.helpers.request({
		method: 'GET',
		uri: `${baseUrl}${path}`,
		headers: { Authorization: `Bearer ${apiKey}` },
		json: true,
		simple: false,
		resolveWithFullResponse: true,
		followRedirect: false,
		timeout: DEADLINE_MS,
	}) as Promise<{ statusCode: number; headers?: Record<string, string>; body: unknown }>;
	try {
		const { statusCode: status, headers = {}, body } = await unlessAborted(deadline, request);
		const answered = typeof body === 'string' ? parsed(body) : body;
		return maskSecret({ status, headers, body: readable(answered) }, apiKey);
	} catch (thrown) {
		if (deadline.aborted) return { noResponse: 'timeout' };
		return maskSecret(toNoResponse(thrown), apiKey);
	}
}

const sentence = (text: string): string => (/[.…]$/.test(text) ? text : `${text}.`);

/** Names of fields with figures of credits or usage. The specification does not show their names. */
const OF_CREDITS =
	/credit|balance|available|remaining|reserved|usage|used|spent|image|video|audio/i;

/** How deep a figure may lie, such as `data.credits.available`. */
const MAX_DEPTH = 3;

/**
 * Whether an answer has a figure of credits or usage, or an empty place for one. A text that is no number
 * does not count.
 */
function hasFigures(body: Json, depth = 1): boolean {
	return Object.entries(body).some(([name, value]) => {
		const isText = typeof value === 'string' && !/^-?\d+(\.\d+)?$/.test(value);
		if (OF_CREDITS.test(name) && !isText && typeof value !== 'boolean') return true;
		return isRecord(value) && depth < MAX_DEPTH && hasFigures(value, depth + 1);
	});
}

/**
 * What is wrong with a success that is no answer of the service: other servers answer with a JSON object too.
 * A list has its own shape (specification: List); any other resource names its kind, or has figures of
 * credits.
 */
function shapeProblem(body: unknown, isList: boolean | undefined): string | undefined {
	if (isList) {
		const problem = mustBeList(body);
		const isNone = isRecord(body) && body.object !== 'list';
		return problem ?? (isNone ? 'the response is a JSON object, not a list of the API' : undefined);
	}
	const isKnown = isRecord(body) && (textOf(body.object) !== undefined || hasFigures(body));
	return mustBeObject(body) ?? (isKnown ? undefined : 'it is a JSON object, but none of the API');
}

/** What an answer says about the key; `undefined` if it says only that the key may not read this. */
function verdict(
	{ success, list }: Probe,
	response: SendResult,
): INodeCredentialTestResult | undefined {
	if (isNoResponse(response)) {
		const [happened, todo] = wordsOfNoResponse(response);
		return invalid(`${sentence(happened)} ${todo}`);
	}
	const { status, body, headers } = response;
	const error = errorOf(body, headers);
	if (isSuccess(status)) {
		const isError = isRecord(body) && Boolean(body.error);
		if (isError)
			return invalid(
				`The service answered with status ${status}, but with an error: ${error.message ?? 'it does not say which'}`,
			);
		const problem = success?.includes(status)
			? shapeProblem(body, list)
			: 'which this request is never answered with';
		if (problem === undefined) return valid(SUCCESS);
		return invalid(
			`The answer of the service cannot be used (status ${status}): ${problem}. Check that the base URL is the address of the API and ends in /v1.`,
		);
	}
	const { refusal } = meaningOf(status, error);
	const isOfService = isAnswerOfService(response);
	if (refusal === 'forbidden') return undefined;
	// If the service itself limits the rate, it knows the workspace of the key. Another server does not.
	if (refusal === 'throttled' && isOfService) return valid(SUCCESS);
	if (refusal === 'throttled')
		return invalid('Too many requests at the moment. Try again in a minute.');
	const quoted = error.message
		? ` The ${isOfService ? 'service' : 'answer'} says: ${error.message}`
		: '';
	if (refusal === 'badKey') return invalid(`The API key is invalid.${quoted}`);
	if (isGone(status))
		return invalid(
			`Nothing was found at the base URL. Check it: such as https://api.example.com/v1.${quoted}`,
		);
	const [happened, todo] = wordsOfAnswer(status, error);
	return invalid(`${sentence(happened)}${quoted ? sentence(quoted) : ''} ${todo}`);
}

/**
 * Tests a key with whatever read scope it has. The declared scopes are tried first, then the others, so that
 * three cases can be told apart: a wrong key (401), a missing scope and a missing entitlement (both 403).
 * Specification: Authentication 4.
 */
export async function mediaGenApiTest(
	this: ICredentialTestFunctions,
	{ data: credential = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const read = readCredential(credential);
	if (read.problem !== undefined) return invalid(credentialProblem(read) ?? '');
	const isDeclared = ({ scope }: Endpoint) =>
		scope === undefined || !read.excludedScopes.includes(scope);
	const declared = PROBES.filter(isDeclared);
	const deadline = AbortSignal.timeout(DEADLINE_MS);
	let reason = '';
	for (const endpoint of [...declared, ...PROBES.filter((one) => !isDeclared(one))]) {
		const response = await probe(this, read, endpoint, deadline);
		const result = verdict(endpoint, response);
		if (!result) {
			const message = isNoResponse(response) ? undefined : errorOf(response.body).message;
			reason = message ? ` The service says: ${message}` : '';
			continue;
		}
		if (result.status === 'Error' || isDeclared(endpoint) || declared.length === 0) return result;
		return invalid(
			`The key is valid, but has none of the read scopes chosen under Scopes of the Key; it has ${endpoint.scope}. Correct the list, or empty it. MediaGen Workspace: Check Setup says more.`,
		);
	}
	return invalid(
		`The key is valid, but may read nothing. Either it has no read scope, or the workspace has no API access, which needs an active subscription or a successful top-up. MediaGen Workspace: Check Setup says more.${reason}`,
	);
}

/** Looks for mistakes in copying, because a secret cannot be tested against the service. */
export async function mediaGenWebhookSecretApiTest({
	data,
}: ICredentialsDecrypted): Promise<INodeCredentialTestResult> {
	const secret = data?.signingSecret;
	if (typeof secret !== 'string' || secret === '')
		return invalid('Enter the signing secret that was shown when the webhook was created.');
	if (secret.trim() !== secret)
		return invalid('The secret begins or ends with a space. Every delivery would be refused.');
	return valid(
		'The secret looks complete. Only the first event can show whether it is the right one.',
	);
}
