import type { IAllExecuteFunctions, ILoadOptionsFunctions } from 'n8n-workflow';
import {
	CREDENTIAL,
	credentialProblem,
	rateLimitsOf,
	readCredential,
} from '../transport/credential';
import { credentialIdOf } from './call';
import { operationError } from './shownErrors';
import { n8nHost, type HostContext } from './n8nHost';
import { workspaceOf } from '../transport/workspace';

/**
 * The service behind the credential of a node, where no item is at hand: in lists of the editor and in
 * triggers.
 * @throws NodeOperationError when the credential's base URL or key cannot be used
 */
export async function connect(
	context: IAllExecuteFunctions | ILoadOptionsFunctions,
	limits: Pick<HostContext, 'signal' | 'fairnessKey' | 'timeoutMs'>,
) {
	const node = context.getNode();
	const credential = await context.getCredentials(CREDENTIAL);
	const read = readCredential(credential);
	if (read.problem !== undefined)
		throw operationError(node, credentialProblem(read, ' of the credential') ?? '');
	const { baseUrl, apiKey } = read;
	const hostContext = { functions: context, files: () => ({}), ...limits };
	const host = n8nHost(hostContext, { url: '', baseURL: baseUrl }, apiKey);
	const workspace = workspaceOf(baseUrl, apiKey, rateLimitsOf(credential), credentialIdOf(node));
	return { credential, baseUrl, apiKey, host, workspace };
}
