import type { IAllExecuteFunctions, ILoadOptionsFunctions } from 'n8n-workflow';
import { CREDENTIAL, credentialProblem, readCredential } from '../transport/credential';
import { credentialIdOf } from './entrance';
import { operationError } from './output/errors';
import { n8nHost, type HostContext } from './n8nHost';
import { workspaceOf } from '../transport/workspace';

/**
 * The service behind the credential of a node, where there is no item: in lists of the editor and in
 * triggers.
 * @throws NodeOperationError when the credential's base URL or key cannot be used
 */
export async function connect(
	context: IAllExecuteFunctions | ILoadOptionsFunctions,
	limits: Pick<HostContext, 'signal' | 'fairnessKey' | 'timeoutMs'>,
) {
	const node = context.getNode();
	const access = readCredential(await context.getCredentials(CREDENTIAL));
	if (access.problem !== undefined)
		throw operationError(node, credentialProblem(access, ' of the credential') ?? '');
	const host = n8nHost({ functions: context, files: () => ({}), ...limits }, access);
	return { access, host, workspace: workspaceOf(access, credentialIdOf(node)) };
}
