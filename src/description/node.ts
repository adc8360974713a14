import type { INodeTypeDescription } from 'n8n-workflow';

/**
 * Stands for the base URL of the credential, which the runner puts in its place. n8n would evaluate
 * an expression here twice for every item, and each evaluation costs more than all that the
 * transport does for a read. Not left out: n8n takes a node without an address for one that the
 * credential must allow by name. No such host can exist (RFC 2606), so nothing is ever sent there.
 */
const BASE_URL_OF_CREDENTIAL = 'https://base-url-of-the-credential.invalid';

/** What is the same in the description of every node. */
export const sharedDescription = {
	requestDefaults: { baseURL: BASE_URL_OF_CREDENTIAL, json: true },
} satisfies Partial<INodeTypeDescription>;
