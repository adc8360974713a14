import type { Item } from '../../../src/creation/item';
import { refusalOf } from '../../../src/transport/statuses';
import { knowsKey, wasWanted, type Replies, type Reply } from './questions';
import { fine, inOneLine, saidOf, unanswered, unknown, wrong, type Finding } from './finding';

/* The checks of the key: whether the service knows it, and which scopes it has. */

const isForbidden = ({ result }: Reply): boolean => !result.ok && refusalOf(result) === 'forbidden';

const allOf = ({ reads, writes }: Replies): Reply[] => [...Object.values(reads), ...writes];

export function keyAndBaseUrl({ host }: Item, replies: Replies): Finding {
	const { problem, reads } = replies;
	if (problem) {
		const { says, todo } = saidOf(problem, reads.credits.endpoint);
		return wrong(says, todo === '' ? 'Open the credential and correct it.' : todo);
	}
	const wanted = allOf(replies).filter(wasWanted);
	if (wanted.some(knowsKey)) return fine(`The service at ${host.baseUrl} accepts the key.`);
	const first = wanted.find(({ result }) => !result.ok);
	if (first === undefined || first.result.ok) {
		const todo =
			'Empty Scopes of the Key in the credential, or choose the scopes that the key has.';
		return unknown('the credential excludes all scopes, so nothing was asked.', todo);
	}
	const { says, todo } = saidOf(first.result, first.endpoint);
	return refusalOf(first.result) === 'throttled' ? unknown(says, todo) : wrong(says, todo);
}

/** Whether anything was read: only a workspace with API access may. */
const isEntitled = ({ reads }: Replies): boolean =>
	Object.values(reads).some((reply) => reply.result.ok && knowsKey(reply));

const ENTITLE =
	'Check in the app that the workspace has an active subscription or a successful top-up, and then which scopes the key has.';

/** A missing entitlement is answered as a missing scope is. Specification: Authentication 4. */
export function apiAccess(replies: Replies): Finding {
	if (isEntitled(replies)) return fine('The workspace may use the API.');
	if (replies.writes.some((reply) => stateOfWrite(reply) === 'has'))
		return fine('Probably the workspace may use the API: what creates is refused as invalid only.');
	const first = allOf(replies).find((reply) => knowsKey(reply) && isForbidden(reply));
	if (first === undefined || first.result.ok)
		return unknown('no answer of the service shows it.', '');
	const { says } = saidOf(first.result, first.endpoint);
	return unknown(
		`everything is refused, as the workspace has no API access or the key has no scope. ${says}`,
		ENTITLE,
	);
}

type State = 'has' | 'lacks' | 'excluded' | 'unknown';

function stateOfRead(reply: Reply): State {
	if (reply.result.ok) return 'has';
	if (!wasWanted(reply)) return 'excluded';
	return isForbidden(reply) ? 'lacks' : 'unknown';
}

/** A request without fields that was refused as such has passed the scope, if that is looked at first. */
function stateOfWrite(reply: Reply): State {
	if (reply.result.ok) return 'unknown';
	const refusal = refusalOf(reply.result);
	const isRefusedAsSuch = knowsKey(reply) && (refusal === 'invalid' || refusal === 'noCredits');
	return isRefusedAsSuch ? 'has' : stateOfRead(reply);
}

/** By scope; several questions may need the same. */
function scopeStates(replies: Reply[], stateOf: (reply: Reply) => State): Map<string, State> {
	const states = new Map<string, State>();
	for (const reply of replies) {
		const { scope = '' } = reply.endpoint;
		const known = states.get(scope) ?? 'unknown';
		states.set(scope, known === 'unknown' ? stateOf(reply) : known);
	}
	return states;
}

/**
 * @param replies those of the scopes
 * @param has how what it has is introduced
 * @param isSure whether what is refused lacks the scope, and not all API access
 */
function scopes(
	replies: Reply[],
	stateOf: (reply: Reply) => State,
	has: string,
	isSure: boolean,
): Finding {
	const states = scopeStates(replies, stateOf);
	const namesOf = (wanted: State) =>
		[...states].filter(([, state]) => state === wanted).map(([scope]) => scope);
	const sentence = (words: string, names: string[]) =>
		names.length > 0 ? `${words}: ${names.join(', ')}.` : '';
	const lacking = namesOf('lacks');
	const open = namesOf('unknown');
	const says = inOneLine(
		sentence(has, namesOf('has')),
		sentence('Lacks', lacking),
		sentence('Not known', open),
		sentence('Excluded by Scopes of the Key in the credential', namesOf('excluded')),
	);
	if (lacking.length > 0) {
		const todo = `Give the key ${lacking.join(', ')}; or, if it is not meant to have them, choose the scopes that it has under Scopes of the Key in the credential.`;
		return wrong(says, isSure ? todo : ENTITLE);
	}
	if (open.length === 0) return fine(says);
	const isOpen = ({ endpoint }: Reply) => open.some((scope) => scope === endpoint.scope);
	const first = replies.find((reply) => isOpen(reply) && stateOf(reply) === 'unknown');
	if (first === undefined || first.result.ok) return unknown(says, '');
	const reason = unanswered(first.result, first.endpoint);
	return { ...reason, says: open.length < states.size ? `${reason.says} ${says}` : reason.says };
}

export const readScopes = (replies: Replies): Finding =>
	scopes(Object.values(replies.reads), stateOfRead, 'Has', isEntitled(replies));

export function writeScopes(replies: Replies): Finding {
	const { writes } = replies;
	const accepted = writes.find(({ result }) => result.ok);
	if (accepted) {
		const { method, path, scope = '' } = accepted.endpoint;
		return unknown(
			`the service has accepted ${method} ${path} without any field, which the API does not allow.`,
			`Check whether something was made there, and ask whoever runs the service. The key has ${scope}.`,
		);
	}
	const has =
		'Probably has (a request without fields was refused as invalid, which the service may check before the scope)';
	return scopes(writes, stateOfWrite, has, isEntitled(replies));
}
