import { LIMITS } from '../../contract';

/** What is needed to read a job again. */
export interface JobReference {
	id: string;
	/** The `object` constant of its kind. */
	object?: string;
}

/**
 * Which idempotency keys an item may use. A key is known by its number: the first one is 0.
 */
interface Keys {
	/** The first key that may be used: nothing good exists under those before it. */
	base: number;
	/** By Content: so many keys from the first on have been answered with 402. */
	short?: number;
}

/** Nothing was sent, or it is certain that nothing was done. */
export interface New extends Keys {
	is: 'new';
}

/** A request is out, or its outcome is unknown: the key and the body as they were sent. */
export interface Asked extends Keys {
	is: 'asked';
	attempt: number;
	/** `undefined` with Idempotency set to None. */
	key?: string;
	path: string;
	body: unknown;
	/** When the first try under this key was sent, in milliseconds since the epoch. */
	since: number;
	/** Whether a try is on its way: still so when the execution starts again, nobody knows what became of it. */
	isOut: boolean;
	/** Whether an earlier try may have been carried out. */
	isUnclear: boolean;
	/** The execution in which the user was told that a job may exist although he has changed the request. */
	told?: string;
}

/** A job exists. It is only ever read again. */
export interface Made extends Keys {
	is: 'made';
	attempt: number;
	job: JobReference;
}

/** The job has ended well. */
export interface Done extends Keys {
	is: 'done';
	attempt: number;
	job: JobReference;
	/** The resource as JSON, where it is small: plain text, so that nothing downstream can change it. */
	resource?: string;
}

/** What is known of the money of one item. Plain data, because n8n stores it with the execution. */
export type ItemState = New | Asked | Made | Done;

export const NEW: New = { is: 'new', base: 0 };

export type ItemEvent =
	/** A try is about to go out. Noted before it does. */
	| { kind: 'sending'; attempt: number; key?: string; path: string; body: unknown; now: number }
	/** It did nothing and proves nothing: a 429, or it never left this machine. */
	| { kind: 'withoutEffect' }
	/** It may have been carried out: no response, an unusable one, a server fault. */
	| { kind: 'outcomeUnknown' }
	/** A refusal of this very request. `rotates`: whether the next one gets a key of its own. */
	| { kind: 'refused'; status: number; rotates: boolean }
	/** A job exists. `attempt`: the number of its key, where another item has sent the request. */
	| { kind: 'answered'; job: JobReference; attempt?: number }
	| { kind: 'endedWell'; resource?: string }
	| { kind: 'endedBadly' }
	/** The user asks for something else. `restart`: keys are counted anew, because they follow from the content. */
	| { kind: 'changed'; restart: boolean }
	/** A look at the service has shown that an unknown try has left nothing. */
	| { kind: 'leftNothing'; restart: boolean }
	/** By Content, another try begins: it asks from the first key on, because other executions do too. */
	| { kind: 'walksAgain' }
	| { kind: 'told'; execution: string };

const released = (base: number, { short }: Keys): New => ({
	is: 'new',
	base,
	...(short !== undefined && short > base && { short }),
});

function refused(state: Asked, status: number, rotates: boolean): ItemState {
	// Of a repeat it says nothing about the try before.
	if (state.isUnclear) return { ...state, isOut: false };
	if (rotates) return released(state.attempt + 1, state);
	const short = status === 402 ? Math.max(state.short ?? 0, state.attempt + 1) : state.short;
	return released(state.base, { ...state, short });
}

function sending(
	state: ItemState,
	{ attempt, key, path, body, now }: ItemEvent & { kind: 'sending' },
): ItemState {
	if (state.is === 'made' || state.is === 'done') return state;
	const { base, short } = state;
	const keys = short === undefined ? { base } : { base, short };
	if (state.is === 'asked' && state.attempt === attempt) {
		return { ...state, isOut: true, isUnclear: state.isUnclear || state.isOut };
	}
	const sent = { attempt, ...(key !== undefined && { key }), path, body };
	return { is: 'asked', ...keys, ...sent, since: now, isOut: true, isUnclear: false };
}

/**
 * By Content: whether the key of the request that is out was taken because those before it were short of credits. They were so a
 * moment before, so this one has most likely met the same; another execution would begin with the first key all the same.
 */
export const isDerived = (state: ItemState): state is Asked =>
	state.is === 'asked' && state.attempt > state.base;

const attemptOf = (state: ItemState) => (state.is === 'new' ? state.base - 1 : state.attempt);

/**
 * What is known after an event. A refusal concerns its own request alone: it releases the key only when it has answered the first
 * try under it. A known job never becomes unknown again, except that the user wants something else or that it has failed.
 */
export function transition(state: ItemState, event: ItemEvent): ItemState {
	switch (event.kind) {
		case 'sending':
			return sending(state, event);
		case 'withoutEffect':
			return state.is === 'asked' ? { ...state, isOut: false } : state;
		case 'outcomeUnknown':
			return state.is === 'asked' ? { ...state, isOut: false, isUnclear: true } : state;
		case 'refused':
			return state.is === 'asked' ? refused(state, event.status, event.rotates) : state;
		case 'answered': {
			if (state.is === 'made' || state.is === 'done') return state;
			const { base, short } = state;
			const attempt = event.attempt ?? (state.is === 'asked' ? state.attempt : base);
			return { is: 'made', base, ...(short !== undefined && { short }), attempt, job: event.job };
		}
		case 'endedWell': {
			if (state.is !== 'made') return state;
			const { resource } = event;
			return { ...state, is: 'done', ...(resource !== undefined && { resource }) };
		}
		case 'endedBadly':
			return state.is === 'made' ? released(state.attempt + 1, state) : state;
		case 'changed':
			return event.restart ? NEW : released(attemptOf(state) + 1, state);
		case 'leftNothing':
			return state.is === 'asked' ? released(event.restart ? 0 : state.attempt + 1, state) : state;
		case 'walksAgain':
			return state.is === 'new' || isDerived(state) ? released(0, state) : state;
		case 'told':
			return state.is === 'asked' ? { ...state, told: event.execution } : state;
	}
}

/** What a try has to do first. */
export type Step =
	/** Send a new request. `isAfresh`: whatever is known is of another request, or can no longer be asked for. */
	| { do: 'ask'; isAfresh: boolean }
	/** Send the request of unknown outcome again, as it was. */
	| { do: 'repeat'; asked: Asked }
	/** Read the known job. */
	| { do: 'read'; job: JobReference }
	/** Output the known resource. */
	| { do: 'output'; job: JobReference; resource: string }
	/** Look whether an unknown try has left a job, because its key can no longer tell. */
	| { do: 'look'; asked: Asked; because: 'expired' | 'changed' }
	/** The user wants something else, but the key is his and holds another request. */
	| { do: 'refuse'; job?: JobReference };

export interface Facts {
	/** Milliseconds since the epoch. */
	now: number;
	/** Whether the user has changed the request since it was sent. */
	isChanged: boolean;
	/** Whether the key stays the same whatever is asked for (Custom Key). */
	hasFixedKey: boolean;
	execution: string;
}

const KEY_LIFE_MS = LIMITS.idempotencyHours * 3_600_000;

/** Whether the outcome of the request that is out cannot be told without asking. */
export const isOpen = (state: ItemState): state is Asked =>
	state.is === 'asked' && (state.isUnclear || state.isOut);

/** Whether the service may have forgotten a key that it was first sent at that moment. */
export const isForgotten = (since: number, now: number): boolean => now - since >= KEY_LIFE_MS;

function stepOfAsked(asked: Asked, { now, isChanged, hasFixedKey, execution }: Facts): Step {
	const isForgot = isForgotten(asked.since, now);
	const afresh: Step = { do: 'ask', isAfresh: true };
	if (!isOpen(asked)) return isChanged || isForgot ? afresh : { do: 'repeat', asked };
	if (!isChanged)
		return isForgot ? { do: 'look', asked, because: 'expired' } : { do: 'repeat', asked };
	if (hasFixedKey && !isForgot) return { do: 'refuse' };
	// Once told, whoever retries by hand has decided. Retry On Fail stays within the execution that told.
	const isDecided = asked.told !== undefined && asked.told !== execution;
	return isDecided ? afresh : { do: 'look', asked, because: 'changed' };
}

/** What a try of an item begins with. Never a second request where the first may have been carried out. */
export function stepOf(state: ItemState, facts: Facts): Step {
	if (state.is === 'new') return { do: 'ask', isAfresh: false };
	if (state.is === 'asked') return stepOfAsked(state, facts);
	if (facts.isChanged) {
		return facts.hasFixedKey ? { do: 'refuse', job: state.job } : { do: 'ask', isAfresh: true };
	}
	if (state.is === 'done' && state.resource !== undefined) {
		return { do: 'output', job: state.job, resource: state.resource };
	}
	return { do: 'read', job: state.job };
}
