import { LIMITS } from '../../contract';

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
	/** By Content: how many keys, counted from the first one, have been answered with 402. */
	insufficientKeys?: number;
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
	/** `undefined` with Idempotency set to None. */
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

/** A job exists. From here on it is only read, never requested again. */
export interface Created extends Keys {
	is: 'created';
	attempt: number;
	job: JobReference;
}

/** The job has succeeded. */
export interface Done extends Keys {
	is: 'done';
	attempt: number;
	job: JobReference;
	/**
	 * The resource as JSON, if it is small. Stored as text so that nothing downstream can modify it.
	 */
	resource?: string;
}

/**
 * What is known about the money spent on one item. Plain data, because n8n stores it with the
 * execution.
 */
export type ItemState = New | Sent | Created | Done;

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
	/** The service refused this very request. `rotates`: whether the next request gets a new key. */
	| { kind: 'refused'; status: number; rotates: boolean }
	/** A job exists. `attempt`: the number of its key, if another item sent the request. */
	| { kind: 'jobKnown'; job: JobReference; attempt?: number }
	| { kind: 'jobSucceeded'; resource?: string }
	| { kind: 'jobFailed' }
	/**
	 * The user changed the request. `restart`: keys derive from the content, so they are numbered
	 * from 0 again.
	 */
	| { kind: 'requestChanged'; restart: boolean }
	/** A search at the service has shown that the attempt of unknown outcome created nothing. */
	| { kind: 'nothingFound'; restart: boolean }
	/** By Content, another try starts from the first key, because other executions do too. */
	| { kind: 'startsAtFirstKey' }
	| { kind: 'userWarned'; execution: string };

const keysOf = (firstKey: number, insufficientKeys: number | undefined): Keys =>
	insufficientKeys === undefined ? { firstKey } : { firstKey, insufficientKeys };

function withNewKey(firstKey: number, insufficientKeys: number | undefined): New {
	const counts = insufficientKeys !== undefined && insufficientKeys > firstKey;
	return { is: 'new', ...keysOf(firstKey, counts ? insufficientKeys : undefined) };
}

function refused(state: Sent, status: number, rotates: boolean): ItemState {
	const { attempt, insufficientKeys, firstKey } = state;
	// The refusal of a repeat says nothing about the attempt before it.
	if (state.mayBeCarriedOut) return { ...state, isInFlight: false };
	if (rotates) return withNewKey(attempt + 1, insufficientKeys);
	if (status !== 402) return withNewKey(firstKey, insufficientKeys);
	return withNewKey(firstKey, Math.max(insufficientKeys ?? 0, attempt + 1));
}

function sending(
	state: ItemState,
	{ attempt, key, path, body, now }: ItemEvent & { kind: 'sending' },
): ItemState {
	if (state.is === 'created' || state.is === 'done') return state;
	if (state.is === 'sent' && state.attempt === attempt) {
		const mayBeCarriedOut = state.mayBeCarriedOut || state.isInFlight;
		return { ...state, isInFlight: true, mayBeCarriedOut };
	}
	const sent: Sent = {
		is: 'sent',
		...keysOf(state.firstKey, state.insufficientKeys),
		attempt,
		path,
		body,
		firstSentAt: now,
		isInFlight: true,
		mayBeCarriedOut: false,
	};
	return key === undefined ? sent : { ...sent, key };
}

/**
 * By Content: whether the request in flight uses a later key because the earlier ones were answered
 * with 402. Those answers are moments old, so this request most likely gets a 402 too, and another
 * execution starts from the first key.
 */
export const isLaterKey = (state: ItemState): state is Sent =>
	state.is === 'sent' && state.attempt > state.firstKey;

const lastKeyOf = (state: ItemState) => (state.is === 'new' ? state.firstKey - 1 : state.attempt);

/**
 * What is known after an event. A refusal is about its own request only: it frees the key only if
 * it answers the first attempt under that key. A known job never becomes unknown again, unless the
 * user changes the request or the job fails.
 */
export function transition(state: ItemState, event: ItemEvent): ItemState {
	const { firstKey, insufficientKeys } = state;
	switch (event.kind) {
		case 'sending':
			return sending(state, event);
		case 'noEffect':
			return state.is === 'sent' ? { ...state, isInFlight: false } : state;
		case 'outcomeUnknown':
			return state.is === 'sent' ? { ...state, isInFlight: false, mayBeCarriedOut: true } : state;
		case 'refused':
			return state.is === 'sent' ? refused(state, event.status, event.rotates) : state;
		case 'jobKnown': {
			if (state.is === 'created' || state.is === 'done') return state;
			const attempt = event.attempt ?? (state.is === 'sent' ? state.attempt : firstKey);
			return { is: 'created', ...keysOf(firstKey, insufficientKeys), attempt, job: event.job };
		}
		case 'jobSucceeded': {
			if (state.is !== 'created') return state;
			const { resource } = event;
			return resource === undefined ? { ...state, is: 'done' } : { ...state, is: 'done', resource };
		}
		case 'jobFailed':
			return state.is === 'created' ? withNewKey(state.attempt + 1, insufficientKeys) : state;
		case 'requestChanged':
			return event.restart ? NEW : withNewKey(lastKeyOf(state) + 1, insufficientKeys);
		case 'nothingFound':
			if (state.is !== 'sent') return state;
			return withNewKey(event.restart ? 0 : state.attempt + 1, insufficientKeys);
		case 'startsAtFirstKey':
			return state.is === 'new' || isLaterKey(state) ? withNewKey(0, insufficientKeys) : state;
		case 'userWarned':
			return state.is === 'sent' ? { ...state, warnedIn: event.execution } : state;
	}
}

const KEY_LIFETIME_MS = LIMITS.idempotencyHours * 3_600_000;

/** Whether only the service knows the outcome of the last request. */
export const isOutcomeOpen = (state: ItemState): state is Sent =>
	state.is === 'sent' && (state.mayBeCarriedOut || state.isInFlight);

/** Whether the service may have dropped a key that it first received at that moment. */
export const isKeyExpired = (firstSentAt: number, now: number): boolean =>
	now - firstSentAt >= KEY_LIFETIME_MS;
