import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { ENDPOINTS, type Endpoint } from '../contract';
import { credentialProblem, excludedScope, readCredential } from '../service/credential';
import { errorOf, isGone, meaningOf } from '../service/statuses';
import { withoutSecret } from '../service/redact';

/** One cheap request for each read scope. */
const PROBES: Endpoint[] = [
	ENDPOINTS.getCredits,
	ENDPOINTS.listModels,
	ENDPOINTS.listGenerations,
	ENDPOINTS.getUsage,
	ENDPOINTS.listVoices,
	ENDPOINTS.listPersonas,
	ENDPOINTS.listAgentRuns,
	ENDPOINTS.listWebhooks,
];

const ok = (message: string): INodeCredentialTestResult => ({ status: 'OK', message });
const error = (message: string): INodeCredentialTestResult => ({ status: 'Error', message });

/** The status of an answer and what the service says; no status where there is no answer. */
async function probe(
	context: ICredentialTestFunctions,
	{ baseUrl, apiKey }: { baseUrl: string; apiKey: string },
	{ path }: Endpoint,
): Promise<{ status?: number; said: string }> {
	try {
		const { statusCode, body } = (await context.helpers.request({
			method: 'GET',
			uri: `${baseUrl}${path}`,
			headers: { Authorization: `Bearer ${apiKey}` },
			json: true,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
			timeout: 20_000,
		})) as { statusCode: number; body: unknown };
		const { message } = errorOf(withoutSecret(body, apiKey));
		return { status: statusCode, said: message ? ` The service says: ${message}` : '' };
	} catch {
		return { said: '' };
	}
}

/** What an answer says about the key; `undefined` if only that it may not read this. */
function verdict({ success }: Endpoint, status: number | undefined, said: string) {
	if (status === undefined)
		return error('The base URL did not respond. Check it, and that the service can be reached.');
	const { refusal, words } = meaningOf(status);
	if (refusal === 'forbidden') return undefined;
	if (success?.includes(status) || refusal === 'throttled') return ok('Connection successful');
	if (refusal === 'badKey') return error(`The API key is invalid.${said}`);
	if (!isGone(status)) return error(`${words({})[0]}.${said}`);
	return error(
		`Nothing was found at the base URL. Check it: such as https://api.example.com/v1.${said}`,
	);
}

/**
 * Tests a key with whatever read scope it has: the declared ones first, then the others, so that a
 * wrong key (401), a missing scope and a missing entitlement (both 403) can be distinguished.
 * Specification: Authentication 4.
 */
export async function mediaGenApiTest(
	this: ICredentialTestFunctions,
	{ data: credential = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const read = readCredential(credential);
	if (read.problem !== undefined) return error(credentialProblem(read) ?? '');
	const isDeclared = ({ scope }: Endpoint) => excludedScope(credential, [scope]) === undefined;
	const declared = PROBES.filter(isDeclared);
	let reason = '';
	for (const endpoint of [...declared, ...PROBES.filter((one) => !isDeclared(one))]) {
		const { status, said } = await probe(this, read, endpoint);
		reason = said;
		const end = verdict(endpoint, status, said);
		if (!end) continue;
		if (end.status === 'Error' || isDeclared(endpoint) || declared.length === 0) return end;
		return error(
			`The key is valid, but has none of the read scopes chosen under Limit to Scopes; it has ${endpoint.scope}. Correct the list, or empty it.`,
		);
	}
	return error(
		`The key is valid, but may read nothing. Either it has no read scope, or the workspace has no API access, which needs an active subscription or a successful top-up.${reason}`,
	);
}

/** A secret cannot be tested against the service, but typical copying mistakes can be detected. */
export async function mediaGenWebhookSecretApiTest({
	data,
}: ICredentialsDecrypted): Promise<INodeCredentialTestResult> {
	const secret = data?.signingSecret;
	if (typeof secret !== 'string' || secret === '')
		return error('Enter the signing secret that was shown when the webhook was created.');
	if (secret.trim() !== secret)
		return error('The secret begins or ends with a space. Every delivery would be refused.');
	return ok(
		'The secret looks complete. Only the first event can show whether it is the right one.',
	);
}
