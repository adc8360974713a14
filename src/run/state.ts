import { randomUUID } from 'crypto';
import { LIMITS } from '../contract';
import type { Json } from '../base/types';

/** What is needed to read a job again. */
export interface JobReference {
	id: string;
	/** The `object` constant of its kind. */
	object?: string;
}

/** Which idempotency keys an item may use. Keys are numbered from 0. */
interface Keys {
	/** The first key that may be used: those before it lead to nothing usable. */
	firstKey: number;
}

/** Nothing was sent, or it is certain that nothing was done. */
export interface New extends Keys {
	is: 'new';
}

/**
 * A request is in flight, or its outcome is unknown. Holds the key and the body exactly as sent.
 */
export interface Sent extends Keys {
	is: 'sent';
	/** The number of the key. */
	attempt: number;
	/** `undefined` with `none`. */
	key?: string;
	path: string;
	body: unknown;
	/** When this key was first sent, in milliseconds since the epoch. */
	firstSentAt: number;
	/**
	 * Still set when the execution starts again after a crash: the outcome of that attempt is
	 * unknown.
	 */
	isInFlight: boolean;
	/** Whether an earlier attempt under this key may have been carried out. */
	mayBeCarriedOut: boolean;
	/**
	 * The execution that warned the user that a job may exist for the request as it was before the
	 * change.
	 */
	warnedIn?: string;
}

/** A job exists, or is done: has succeeded. From here on it is only read, never requested again. */
export interface Created extends Keys {
	is: 'created' | 'done';
	attempt: number;
	job: JobReference;
	/** Of a job that is done, as JSON if it is small: text, so that nothing downstream modifies it. */
	resource?: string;
}

/**
 * What is known about the money spent on one item. Plain data, because n8n stores it with the
 * execution.
 */
export type ItemState = New | Sent | Created;

/** An item begins so: nothing was sent for it. */
export const NEW: New = { is: 'new', firstKey: 0 };

/** What can happen to an item. `transition` says what each one means in each state. */
export type ItemEvent =
	/** An attempt is about to be sent. Recorded before it is. */
	| { kind: 'sending'; attempt: number; key?: string; path: string; body: unknown; now: number }
	/** The attempt did nothing and proves nothing: a 429, or it never left this machine. */
	| { kind: 'noEffect' }
	/** The attempt may have been carried out: no response, an unusable one, or a server error. */
	| { kind: 'outcomeUnknown' }
	/** The service refused this very request. `nextKey`: the number of the key of the next request. */
	| { kind: 'refused'; nextKey: number }
	| { kind: 'jobKnown'; job: JobReference }
	| { kind: 'jobSucceeded'; resource?: string }
	| { kind: 'jobFailed' }
	/**
	 * The user changed the request. `restart`: keys derive from the content, so they are numbered
	 * from 0 again.
	 */
	| { kind: 'requestChanged'; restart: boolean }
	/** A search at the service has shown that the attempt of unknown outcome created nothing. */
	| { kind: 'nothingFound'; restart: boolean }
	/** With `content`: a try starts from the same key as those of other executions. */
	| { kind: 'startsAtKey'; firstKey: number }
	| { kind: 'userWarned'; execution: string };

const newAt = (firstKey: number): New => ({ is: 'new', firstKey });

function sending(
	state: ItemState,
	{ attempt, key, path, body, now }: ItemEvent & { kind: 'sending' },
): ItemState {
	if ('job' in state) return state;
	if (state.is === 'sent' && state.attempt === attempt) {
		const mayBeCarriedOut = state.mayBeCarriedOut || state.isInFlight;
		return { ...state, isInFlight: true, mayBeCarriedOut };
	}
	const { firstKey } = state;
	const sent: Sent = {
		...{ is: 'sent', firstKey, attempt, path, body },
		...{ firstSentAt: now, isInFlight: true, mayBeCarriedOut: false },
	};
	return key === undefined ? sent : { ...sent, key };
}

const lastKeyOf = (state: ItemState) => (state.is === 'new' ? state.firstKey - 1 : state.attempt);

/**
 * What is known after an event. A refusal is about its own request only: it frees the key only if
 * it answers the first attempt under that key. A known job never becomes unknown again, unless the
 * user changes the request or the job fails.
 */
export function transition(state: ItemState, event: ItemEvent): ItemState {
	const { firstKey } = state;
	switch (event.kind) {
		case 'sending':
			return sending(state, event);
		case 'noEffect':
			return state.is === 'sent' ? { ...state, isInFlight: false } : state;
		case 'outcomeUnknown':
			return state.is === 'sent' ? { ...state, isInFlight: false, mayBeCarriedOut: true } : state;
		case 'refused':
			if (state.is !== 'sent') return state;
			return state.mayBeCarriedOut ? { ...state, isInFlight: false } : newAt(event.nextKey);
		case 'jobKnown': {
			if ('job' in state) return state;
			const attempt = state.is === 'sent' ? state.attempt : firstKey;
			return { is: 'created', firstKey, attempt, job: event.job };
		}
		case 'jobSucceeded': {
			if (state.is !== 'created') return state;
			const { resource } = event;
			return { ...state, is: 'done', ...(resource !== undefined && { resource }) };
		}
		case 'jobFailed':
			return state.is === 'created' ? newAt(state.attempt + 1) : state;
		case 'requestChanged':
			return event.restart ? NEW : newAt(lastKeyOf(state) + 1);
		case 'nothingFound':
			if (state.is !== 'sent') return state;
			return newAt(event.restart ? 0 : state.attempt + 1);
		case 'startsAtKey':
			return state.is === 'new' || isWithoutEffect(state) ? newAt(event.firstKey) : state;
		case 'userWarned':
			return state.is === 'sent' ? { ...state, warnedIn: event.execution } : state;
	}
}

const KEY_LIFETIME_MS = LIMITS.idempotencyHours * 3_600_000;

/** Whether a request was sent that certainly did nothing. */
export const isWithoutEffect = (state: ItemState): boolean =>
	state.is === 'sent' && !isOutcomeOpen(state);

/** Whether only the service knows the outcome of the last request. */
export const isOutcomeOpen = (state: ItemState): state is Sent =>
	state.is === 'sent' && (state.mayBeCarriedOut || state.isInFlight);

/**
 * Whether the service may have dropped a key that it first received at that moment. So it counts
 * where the clock was set back: how long ago that was is not known then.
 */
export const isKeyExpired = (firstSentAt: number, now: number): boolean =>
	now < firstSentAt || now - firstSentAt >= KEY_LIFETIME_MS;

/** What a try has to do first. */
export type Step =
	/**
	 * Send a new request. `startsOver`: what is known is about another request, or its key has
	 * expired.
	 */
	| { do: 'send'; startsOver: boolean }
	/** Send the request of unknown outcome again, unchanged. */
	| { do: 'resend'; sent: Sent }
	/** Read the known job. */
	| { do: 'read'; job: JobReference }
	/** Output the known resource. */
	| { do: 'output'; job: JobReference; resource: string }
	/**
	 * Search the service for a job of the unknown attempt, because its key can no longer settle it.
	 */
	| { do: 'search'; sent: Sent; because: 'expired' | 'changed' }
	/** The user changed the request but not the custom key, which belongs to the earlier request. */
	| { do: 'reject'; job?: JobReference };

/** What decides about the next step, besides what is known of the item. */
export interface Facts {
	/** Milliseconds since the epoch. */
	now: number;
	/** Whether the user has changed the request since it was sent. */
	isChanged: boolean;
	/** Whether the key stays the same whatever is requested (`custom`). */
	hasFixedKey: boolean;
	execution: string;
}

function nextStepOfSent(sent: Sent, { now, isChanged, hasFixedKey, execution }: Facts): Step {
	const isExpired = isKeyExpired(sent.firstSentAt, now);
	const startOver: Step = { do: 'send', startsOver: true };
	if (!isOutcomeOpen(sent)) return isChanged || isExpired ? startOver : { do: 'resend', sent };
	if (!isChanged) {
		return isExpired ? { do: 'search', sent, because: 'expired' } : { do: 'resend', sent };
	}
	if (hasFixedKey && !isExpired) return { do: 'reject' };
	// A manual retry after the warning is the user's decision. Retry On Fail stays in the execution
	// that warned.
	const hasDecided = sent.warnedIn !== undefined && sent.warnedIn !== execution;
	return hasDecided ? startOver : { do: 'search', sent, because: 'changed' };
}

/**
 * What a try of an item starts with. Never a second request while the first may have been carried
 * out.
 */
export function nextStep(state: ItemState, facts: Facts): Step {
	if (state.is === 'new') return { do: 'send', startsOver: false };
	if (state.is === 'sent') return nextStepOfSent(state, facts);
	if (facts.isChanged) {
		return facts.hasFixedKey ? { do: 'reject', job: state.job } : { do: 'send', startsOver: true };
	}
	if (state.is === 'done' && state.resource !== undefined) {
		return { do: 'output', job: state.job, resource: state.resource };
	}
	return { do: 'read', job: state.job };
}

/** What is remembered about one item, so that running the node again continues instead of paying again. */
export interface ItemMemory {
	state: ItemState;
	/** Fingerprint of what the user controls: the unevaluated parameters and the input item. */
	inputFingerprint?: string;
	/** Fingerprint of the evaluated request, before uploads. */
	fingerprint?: string;
	/** Hash of the custom key, if it has one. */
	customKey?: string;
	/** Its files at the service, by the identity of each; `at` in ms since the epoch. */
	uploads?: Record<string, { file: Json; at: number }>;
	/** Credits that a request of unknown outcome may have reserved; they are in the sum of the execution. */
	expectedCredits?: number;
	/** Only for a tool call: the execution in which it has ended well. */
	endedIn?: string;
}

/** What a node remembers of an execution. Plain data, because n8n stores it with the execution. */
export interface NodeMemory {
	/** Goes into the keys of this execution, which makes them unique. */
	runId: string;
	items: Record<string, ItemMemory>;
	/** The request that a custom key belongs to and the item that used it first (`run:item`), by the hash of the key. */
	keys?: Record<string, { fingerprint: string; item: string }>;
	/** Jobs that no longer belong to an item, by id: they failed, or the request was changed. */
	formerJobs?: Record<string, true>;
}

/**
 * The memory of a node, which n8n stores with the execution (node context): it survives Retry On Fail and Retry
 * Execution. The run id is stored before the first request is sent.
 */
export function nodeMemory(context: Record<string, unknown>): NodeMemory {
	return (context.mediaGen ??= { runId: randomUUID(), items: {} }) as NodeMemory;
}

export const newMemory = (): ItemMemory => ({ state: NEW });

/** The memory of an item, `run:item`; a new one if there is none. */
export const itemMemory = (memory: NodeMemory, item: string): ItemMemory =>
	(memory.items[item] ??= newMemory());

export function noteFormerJob(node: NodeMemory, id: string): void {
	(node.formerJobs ??= {})[id] = true;
}

/** Ids of all jobs that this node is known to have created. */
export const knownJobIds = ({ items, formerJobs = {} }: NodeMemory): Set<string> => {
	const jobs = Object.values(items).flatMap(({ state }) => ('job' in state ? [state.job.id] : []));
	return new Set([...jobs, ...Object.keys(formerJobs)]);
};

/** What is known of an item: its own state, or those of its parts, each of which creates a job. */
export const statesOf = ({
	node: { items },
	origin: { item },
	parts = [],
	memory,
}: {
	node: NodeMemory;
	origin: { item: string };
	parts?: unknown[];
	memory: ItemMemory;
}): Array<[part: string, state: ItemState]> =>
	parts.length < 2
		? [['', memory.state]]
		: parts.map((_, index) => [`.${index}`, items[`${item}.${index}`]?.state ?? NEW]);

/** Records an event. Nothing else changes the state of an item. */
export function recordEvent(memory: ItemMemory, event: ItemEvent): void {
	memory.state = transition(memory.state, event);
}
