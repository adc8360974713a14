import type { ServiceError } from '../../base/result';
import type { NoResponse } from '../../base/types';
import { baseUrlIn } from '../../transport/credential';
import { meaningOf, type AnswerKind } from '../../transport/statuses';

/* What a person or an agent reads of a request that has failed: of the answer, or that none came. */

/** What has happened, and what to do. */
export type Text = [happened: string, todo: string];

/** What the words of an answer depend on, beside its status. */
interface Asked {
	/** The scope that the request needs, where the specification shows one. */
	scope?: string;
	/** Whether the request is for one resource. */
	hasId?: boolean;
	/** Whether the request only read the job that the item has created. */
	readsOwnJob?: boolean;
	/** How far the run has come, as sentences with a space after them. */
	jobsSoFar?: string;
	/** How to go on with what is paid for. */
	goOn?: string;
}

const NO_SUCH_ID =
	'No resource with this ID exists in the workspace of the key. Check the ID, and that the credential belongs to the same workspace.';

const NO_SUCH_PATH =
	'Check the base URL of the credential: it ends in /v1, and addresses of the legacy API are not those of the current one.';

/** A redirect to what may be the base URL, or not. */
function ofRedirect(status: number, leadsTo: string): Text {
	const base = baseUrlIn(leadsTo);
	const todo =
		base === undefined
			? 'Check the base URL of the credential.'
			: `If that is the address of the API, enter ${base} as the base URL of the credential.`;
	return [`The service answered with status ${status}, which leads to ${leadsTo}`, todo];
}

/** What is said of an answer that is no success. */
const OF_ANSWER: Record<AnswerKind, (status: number, asked: Asked, leadsTo: string) => Text> = {
	invalid: () => ['The service refused the request as invalid', 'Correct what the service names.'],
	badKey: () => [
		'The API key is invalid or missing',
		'Open the credential, enter a valid key of the workspace and test it. Legacy credentials are not interchangeable with current keys.',
	],
	noCredits: (_, { jobsSoFar = '', goOn: next = 'run this again' }) => [
		'Not enough credits',
		`${jobsSoFar}Top up the workspace, then ${next}.`,
	],
	forbidden: (_, { readsOwnJob: isOwnJob, scope }) => [
		isOwnJob ? 'The key is not allowed to read the job' : 'The key is not allowed to do this',
		`The key needs the ${scope ? `scope ${scope}` : 'read scope of the resource that the job is'}. If it has it, the workspace may lack API access: that requires an active subscription or a successful top-up.`,
	],
	notFound: (_, { readsOwnJob: isOwnJob, hasId }) =>
		isOwnJob
			? [
					'The service does not know the job',
					'Check that the credential belongs to the workspace that made the job.',
				]
			: ['Not found', hasId ? NO_SUCH_ID : NO_SUCH_PATH],
	throttled: () => [
		'Rate or concurrency limit exceeded',
		'The service still refused after waiting and trying again. Others may be using the workspace: lower Requests per Minute or Concurrent Jobs in the credential to leave them room, or run this later.',
	],
	keyOfOther: () => ['The idempotency key belongs to another request', 'Another key is needed.'],
	redirect: (status, _, leadsTo) => ofRedirect(status, leadsTo),
	proxySignIn: (status) => [
		`A proxy between n8n and the service wants a sign-in (status ${status})`,
		'Check the user name and password of the proxy: in Proxy of the node, or in the environment of n8n.',
	],
	networkSignIn: (status) => [
		`The network between n8n and the service wants a sign-in (status ${status})`,
		'Sign in to the network of the machine on which n8n runs.',
	],
	foreign: (status) => [
		`A proxy or another server answered instead of the service (status ${status})`,
		'Check the base URL of the credential, and that the proxies and firewalls between n8n and the service let its requests through.',
	],
	other: (status) => [
		`The service answered with status ${status}`,
		'Try again later. If it stays, check the base URL of the credential.',
	],
};

/** What is said of an answer that is no success, without the words of the service itself. */
export function wordsOfAnswer(status: number, error: ServiceError, asked: Asked = {}): Text {
	const { kind } = meaningOf(status, error);
	return OF_ANSWER[kind](status, asked, error.leadsTo ?? '');
}

const CHECK_NETWORK = 'Check the base URL of the credential and the network.';

/** What happened to a request without an answer, and what to do. */
export function wordsOfNoResponse({ noResponse: reason, unsent }: NoResponse): Text {
	switch (unsent) {
		case undefined:
			return [`The service did not respond (${reason})`, CHECK_NETWORK];
		case 'connection':
			return [`The service cannot be reached (${reason})`, CHECK_NETWORK];
		case 'certificate':
			return [
				`The certificate of the service is not accepted (${reason})`,
				'Check the base URL of the credential. A certificate of a private authority must be made known to n8n.',
			];
		case 'local':
			return [`n8n could not send the request: ${reason}`, 'Check the credential.'];
		case 'noTurn':
			return [
				`The request was not sent: ${reason}`,
				'Try again in a minute, or once the executions that use the same workspace are over.',
			];
		case 'keyExpired':
			return [
				`The request was not sent again: ${reason}`,
				'Look at the service for its job before you execute again.',
			];
	}
}
