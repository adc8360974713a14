import {
	NodeOperationError,
	type IAllExecuteFunctions,
	type ICredentialDataDecryptedObject,
	type ILoadOptionsFunctions,
} from 'n8n-workflow';
import {
	apiKeyOf,
	apiKeyProblem,
	CREDENTIAL,
	credentialIdOf,
	rateLimitsOf,
} from '../service/credential';
import type { HostContext } from '../service/host';
import { n8nHost } from '../service/n8n';
import { baseUrlProblem } from '../service/urls';
import { workspaceOf } from '../service/workspace';

/** What is wrong with the address or the key; `undefined` where both can be used. */
export function credentialProblem(
	credential: ICredentialDataDecryptedObject,
	whose = '',
): string | undefined {
	const urlProblem = baseUrlProblem(String(credential.baseUrl ?? ''));
	if (urlProblem) return `The base URL${whose} ${urlProblem}`;
	const keyProblem = apiKeyProblem(apiKeyOf(credential));
	return keyProblem && `The API key${whose} ${keyProblem}`;
}

/**
 * The service behind the credential of a node, where no item is at hand: in lists of the editor and in triggers.
 * @throws NodeOperationError when the credential's base URL or key cannot be used
 */
export async function connect(
	context: IAllExecuteFunctions | ILoadOptionsFunctions,
	limits: Pick<HostContext, 'signal' | 'fairnessKey' | 'timeoutMs'>,
) {
	const node = context.getNode();
	const credential = await context.getCredentials(CREDENTIAL);
	const problem = credentialProblem(credential, ' of the credential');
	if (problem) throw new NodeOperationError(node, problem);
	const baseUrl = String(credential.baseUrl);
	const apiKey = apiKeyOf(credential);
	const hostContext = { functions: context, files: () => ({}), ...limits };
	const host = n8nHost(hostContext, { url: '', baseURL: baseUrl }, apiKey);
	const workspace = workspaceOf(baseUrl, apiKey, rateLimitsOf(credential), credentialIdOf(node));
	return { credential, baseUrl, apiKey, host, workspace };
}
