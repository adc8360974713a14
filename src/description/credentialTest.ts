import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { ENDPOINTS, type Endpoint, type Scope } from '../contract';
import { apiKeyOf } from '../transport/credential';
import { errorOf, isGone, meaningOf } from '../transport/http/statuses';
import { withoutSecret } from '../transport/http/redact';
import { credentialProblem } from './connection';

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

interface Probed {
	status: number;
	message: string;
}

const ok = (message: string): INodeCredentialTestResult => ({ status: 'OK', message });
const error = (message: string): INodeCredentialTestResult => ({ status: 'Error', message });

async function probe(
	context: ICredentialTestFunctions,
	credential: ICredentialDataDecryptedObject,
	{ path }: Endpoint,
): Promise<Probed | undefined> {
	const key = apiKeyOf(credential);
	const request = {
		method: 'GET',
		uri: `${String(credential.baseUrl)}${path}`,
		headers: { Authorization: `Bearer ${key}` },
		json: true,
		simple: false,
		resolveWithFullResponse: true,
		followRedirect: false,
		timeout: 20_000,
	};
	try {
		const answer = (await context.helpers.request(request)) as {
			statusCode: number;
			body: unknown;
		};
		const { message } = errorOf(withoutSecret(answer.body, key));
		return { status: answer.statusCode, message: message ? ` The service says: ${message}` : '' };
	} catch {
		return undefined;
	}
}

/** What a status other than 403 means; `undefined` for 403, after which another scope is tried. */
function verdict(probed: Probed | undefined): INodeCredentialTestResult | undefined {
	if (!probed)
		return error('The base URL did not respond. Check it, and that the service can be reached.');
	const { status, message } = probed;
	if (status === 200 || meaningOf(status).again === 'always') return ok('Connection successful');
	if (status === 401) return error(`The API key is invalid.${message}`);
	if (status === 403) return undefined;
	if (isGone(status))
		return error(
			`Nothing was found at the base URL. Check it: such as https://api.example.com/v1.${message}`,
		);
	return error(`The service answered with status ${status}.${message}`);
}

/**
 * Tests a key with whatever read scope it has: the declared ones first, then the others, so that a
 * wrong key (401), a missing scope and a missing entitlement (both 403) can be distinguished.
 * Specification: Authentication 4.
 */
export async function mediaGenApiTest(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const credential = data ?? {};
	const problem = credentialProblem(credential);
	if (problem) return error(problem);

	const scopes = credential.scopes as unknown;
	const declared = Array.isArray(scopes) ? (scopes as Scope[]) : [];
	const isDeclared = ({ scope }: Endpoint) => scope !== undefined && declared.includes(scope);
	let message = '';
	for (const endpoint of [
		...PROBES.filter(isDeclared),
		...PROBES.filter((one) => !isDeclared(one)),
	]) {
		const probed = await probe(this, credential, endpoint);
		const end = verdict(probed);
		message = probed?.message ?? message;
		if (!end) continue;
		if (end.status === 'OK' && !isDeclared(endpoint) && PROBES.some(isDeclared)) {
			return error(
				`The key is valid, but has none of the read scopes chosen under Limit to Scopes; it has ${endpoint.scope}. Correct the list, or empty it.`,
			);
		}
		return end;
	}
	return error(
		`The key is valid, but may read nothing. Either it has no read scope, or the workspace has no API access, which needs an active subscription or a successful top-up.${message}`,
	);
}
