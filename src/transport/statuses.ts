import { textOf } from '../api';
import type { Failed, ServiceError } from '../base/result';
import { isNoResponse, isRecord, isSuccess, type SendResult } from '../base/types';
import { baseUrlIn } from './baseUrl';
import { isUnreadable, messageIn, particularIn, plainText, wordsOfPage } from './bodies';

/** What the words depend on. */
interface Context {
	/** The scope that the request needs, where the specification shows one. */
	scope?: string;
	/** Whether the request is for one resource. */
	hasId?: boolean;
	/** Whether the request only read the job that the item has created. */
	readsOwnJob?: boolean;
	/** How far the run has come, as sentences with a space after them. */
	progress?: string;
	/** How to go on with what is paid for. */
	goOn?: string;
}

export type Text = [happened: string, todo: string];

export type Refusal = 'invalid' | 'badKey' | 'noCredits' | 'forbidden' | 'notFound' | 'throttled';

/** All that a status of the service means. Specification: Errors 2. */
interface Meaning {
	refusal?: Refusal;
	/** Whether the same request is tried again. `replayable`: where repeating it has no further effect. */
	again: 'always' | 'replayable' | 'never';
	/**
	 * Whether it proves, as the specification says, that the request has done nothing. Otherwise nobody
	 * knows.
	 */
	nothingDone: boolean;
	/** Whether a hop before the service answered, such as a proxy, so that the service has done nothing. */
	hop?: boolean;
	/** Why the other items of the run need not be sent: it would meet them too. */
	concernsRun?: string;
	words: (context: Context) => Text;
}

const refused = (refusal: Refusal, concernsRun?: string) =>
	({ refusal, again: 'never', nothingDone: true, concernsRun }) as const;

const invalid: Meaning = {
	...refused('invalid'),
	words: () => ['The service refused the request as invalid', 'Correct what the service names.'],
};

/**
 * A 409 is in no contract. Some services say by it that a key was used for another request, and some that
 * the first request with it is still being carried out, which passes.
 */
const OF_OTHER_REQUEST =
	/\b(used|belongs|bound)\b.* (another|other|different) (request|body|payload)|\bdifferent (request )?(body|payload|content|parameters?|arguments?|input)\b|\b(does not|doesn't) match\b|mismatch|reused/i;
const UNDER_WAY =
	/in[ -]progress|in use|using|being processed|processing|pending|executing|running|not (yet )?(completed|finished)|lock|wait|concurrent|try again/i;

const keyOfOther: Meaning = {
	...refused('invalid'),
	words: () => [
		'The idempotency key belongs to another request',
		'Another key is needed: On Retries takes one by itself when this is run again.',
	],
};

function isKeyOfOther({ message = '', type = '', isPage }: ServiceError): boolean {
	const said = `${type} ${message}`;
	return isPage !== true && OF_OTHER_REQUEST.test(said) && !UNDER_WAY.test(said);
}

const OTHER_WORKSPACE = 'Check that the credential belongs to the workspace that made the job.';
const NO_SUCH_ID =
	'No resource with this ID exists in the workspace of the key. Check the ID, and that the credential belongs to the same workspace.';

const NO_SUCH_PATH =
	'Check the base URL of the credential: it ends in /v1, and addresses of the legacy API are not those of the current one.';

export const OUT_OF_CREDITS = 402;

const KNOWN: Partial<Record<number, Meaning>> = {
	400: invalid,
	401: {
		...refused('badKey', 'the API key was refused'),
		words: () => [
			'The API key is invalid or missing',
			'Open the credential, enter a valid key of the workspace and test it. Legacy credentials are not interchangeable with current keys.',
		],
	},
	[OUT_OF_CREDITS]: {
		...refused('noCredits', 'the credits ran out'),
		words: ({ progress = '', goOn = 'run this again' }) => [
			'Not enough credits',
			`${progress}Top up the workspace, then ${goOn}.`,
		],
	},
	403: {
		...refused('forbidden', 'the key is not allowed to do this'),
		words: ({ readsOwnJob, scope }) => [
			readsOwnJob ? 'The key is not allowed to read the job' : 'The key is not allowed to do this',
			`The key needs the ${scope ? `scope ${scope}` : 'read scope of the resource that the job is'}. If it has it, the workspace may lack API access: that requires an active subscription or a successful top-up.`,
		],
	},
	404: {
		...refused('notFound'),
		words: ({ readsOwnJob, hasId }) => {
			if (readsOwnJob) return ['The service does not know the job', OTHER_WORKSPACE];
			return ['Not found', hasId ? NO_SUCH_ID : NO_SUCH_PATH];
		},
	},
	// A gateway gave up waiting, and the service may have carried the request out.
	408: { ...other(408), again: 'replayable' },
	// The service may still be at work on another attempt with this key; else see `keyOfOther`.
	409: { ...other(409), again: 'replayable' },
	// Not in the specification: most services check a request before they charge for it, but nothing says so
	// here.
	422: { ...invalid, nothingDone: false },
	// As 409: too early.
	425: { ...other(425), again: 'replayable' },
	429: {
		...refused('throttled', 'the service kept refusing with 429'),
		again: 'always',
		words: () => [
			'Rate or concurrency limit exceeded',
			'The service still refused after waiting and trying again. Others may be using the workspace: lower Requests per Minute or Concurrent Jobs in the credential to leave them room, or run this later.',
		],
	},
};

/** One that the specification does not name, such as 520 and 524 of gateways, or an unusable 2xx. */
function other(status: number): Meaning {
	return {
		again: status >= 500 || isSuccess(status) ? 'replayable' : 'never',
		nothingDone: false,
		words: () => [
			`The service answered with status ${status}`,
			'Try again later. If it stays, check the base URL of the credential.',
		],
	};
}

/** A redirect: n8n follows none, as the key would go along. */
function redirect(status: number, leadsTo: string): Meaning {
	const base = baseUrlIn(leadsTo);
	const todo =
		base === undefined
			? 'Check the base URL of the credential.'
			: `If that is the address of the API, enter ${base} as the base URL of the credential.`;
	const happened = `The service answered with status ${status}, which leads to ${leadsTo}`;
	return { ...other(status), words: () => [happened, todo] };
}

/** What is between n8n and the service asks for a sign-in of its own: it let nothing through. */
const SIGN_INS: Partial<Record<number, Meaning>> = {
	407: {
		again: 'never',
		nothingDone: true,
		hop: true,
		concernsRun: 'a proxy wants a sign-in',
		words: () => [
			'A proxy between n8n and the service wants a sign-in (status 407)',
			'Check the user name and password of the proxy: in Proxy of the node, or in the environment of n8n.',
		],
	},
	511: {
		again: 'never',
		nothingDone: true,
		hop: true,
		concernsRun: 'the network wants a sign-in',
		words: () => [
			'The network between n8n and the service wants a sign-in (status 511)',
			'Sign in to the network of the machine on which n8n runs.',
		],
	},
};

/** What a status means in an answer that is a page: a hop on the way to the service has written it. */
const ofHop = (status: number): Meaning => ({
	again: meaningOf(status).again,
	nothingDone: status === 429,
	refusal: status === 429 ? 'throttled' : undefined,
	words: () => [
		`A proxy or another server answered instead of the service (status ${status})`,
		'Check the base URL of the credential, and that the proxies and firewalls between n8n and the service let its requests through.',
	],
});

/** @param said what the answer says, where it may be that of a hop */
export function meaningOf(status: number, said?: ServiceError): Meaning {
	const leadsTo = status >= 300 && status < 400 ? said?.leadsTo : undefined;
	if (leadsTo !== undefined) return redirect(status, leadsTo);
	if (status === 409 && said !== undefined && isKeyOfOther(said)) return keyOfOther;
	const known = SIGN_INS[status] ?? KNOWN[status] ?? other(status);
	const isOfHop = said?.isPage === true && SIGN_INS[status] === undefined;
	return isOfHop ? ofHop(status) : known;
}

export const refusalOf = ({ failure }: Failed): Meaning['refusal'] =>
	failure.kind === 'status' ? meaningOf(failure.status, failure.serviceError).refusal : undefined;

export const isGone = (status: number): boolean => status === 404 || status === 410;

/**
 * Why the same request may be tried again, which decides how often (`client.ts`):
 * - `throttled`: 429, nothing was done
 * - `unreachable`: no connection was made, nothing was done
 * - `transient`: no answer, or one that leaves open what was done, such as a 5xx
 * - `foreign`: an answer that is not the service's, such as a page of a gateway; nobody knows what was done
 *
 * `undefined` for a final answer of the service, for one that nobody can read, and for what failed on
 * this machine.
 */
export type RetryReason = 'throttled' | 'unreachable' | 'transient' | 'foreign';

export function retryReason(response: SendResult): RetryReason | undefined {
	if (isNoResponse(response)) {
		if (response.unsent === undefined) return 'transient';
		return response.unsent === 'connection' ? 'unreachable' : undefined;
	}
	const { again, hop } = meaningOf(response.status, errorOf(response.body, response.headers));
	if (again === 'always') return 'throttled';
	if (isUnreadable(response.body)) return undefined;
	if (isSuccess(response.status)) return 'foreign';
	if (again === 'replayable') return 'transient';
	return isAnswerOfService(response) || hop ? undefined : 'foreign';
}

/** Whether the service may have done what was asked, where it did not answer with a usable success. */
export function isOutcomeUnknown(response: SendResult): boolean {
	const reason = retryReason(response);
	if (!isNoResponse(response) && isUnreadable(response.body)) return reason !== 'throttled';
	return reason === 'transient' || reason === 'foreign';
}

/** A general message with the first particular that stands beside it. */
function inParticular(message: string | undefined, details: unknown): string | undefined {
	const particular = particularIn(details);
	if (message === undefined || particular === undefined) return message ?? particular;
	const isSaid = message
		.toLowerCase()
		.includes((particular.split(': ').at(-1) ?? '').toLowerCase());
	return isSaid ? message : plainText(`${message.replace(/[.:]$/, '')}: ${particular}`);
}

/** Where a redirect leads, as far as it may be shown. */
function leadsToOf({ location }: Record<string, string>): string | undefined {
	const [address = ''] = (textOf(location) ?? '').split(/[?#]/);
	return textOf(plainText(address));
}

/**
 * Reads the Error shape without trusting it, and the message also where others put theirs.
 * Specification: Error.
 */
export function errorOf(body: unknown, headers: Record<string, string> = {}): ServiceError {
	const leadsTo = leadsToOf(headers);
	if (typeof body === 'string' && body.trim() !== '')
		return { message: wordsOfPage(body), isPage: true, leadsTo };
	const error = isRecord(body) && isRecord(body.error) ? body.error : {};
	return {
		message: inParticular(messageIn(error.message) ?? messageIn(body), error.details),
		type: textOf(error.message) && textOf(error.type),
		requestId: textOf(error.request_id),
		details: error.details,
		leadsTo,
	};
}

/** A 4xx in the Error shape, whose two required fields are texts; a gateway has shapes of its own. */
const isRefusalOfService = (status: number, { type }: ServiceError): boolean =>
	status >= 400 && status < 500 && type !== undefined;

/**
 * Whether a response is the service's own: a 2xx with a JSON object, or a 4xx in the Error shape.
 * Anything else, such as a 5xx or a page of a gateway, says nothing about what was asked.
 */
export function isAnswerOfService(response: SendResult): boolean {
	if (isNoResponse(response)) return false;
	const { status, body } = response;
	// The specification shows no body of some answers, so an empty one will do.
	const isUsable = isRecord(body) || body === undefined || body === null || body === '';
	return isSuccess(status) ? isUsable : isRefusalOfService(status, errorOf(body));
}

/** Whether it was the service itself that refused. */
export const isRefusal = ({ failure }: Failed): boolean =>
	failure.kind === 'status' && isRefusalOfService(failure.status, failure.serviceError);

/** What storages write where a request took them too long, which may pass. */
const TOO_SLOW = /\bRequestTimeout\b/;

/** The same of a file that they never take. */
const WRONG_SIZE = /\b(EntityTooLarge|EntityTooSmall)\b/;

const BAD_REQUEST = 400;

/** Whether it takes the words of a storage to know what it means by a status. */
export const needsWords = (status: number): boolean => status === BAD_REQUEST;

/**
 * What the storage of a file, which is not the service, means by a status that is no success: the same
 * address again, a new one, another one but once, or nothing more.
 * @param said the beginning of its body
 */
export function ofStorage(
	status: number,
	said: string,
): 'again' | 'newAddress' | 'otherAddress' | 'never' {
	if (status >= 500 || status === 408 || status === 429) return 'again';
	if (status === BAD_REQUEST && WRONG_SIZE.test(said)) return 'never';
	// Storages answer so whatever they do not like: most often what signs the link is out of date.
	if (status === BAD_REQUEST) return TOO_SLOW.test(said) ? 'again' : 'otherAddress';
	// The address has expired, was used up or is not known (any more).
	return [401, 403, 404, 409, 410, 412].includes(status) ? 'newAddress' : 'never';
}
