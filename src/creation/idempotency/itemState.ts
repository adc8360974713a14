import { LIMITS } from '../../api';
import type { Doubt } from '../../base/result';
import type { Json } from '../../base/types';
import { randomUUID } from 'crypto';

/*
 * What is known of an item, and what follows from that, in three parts:
 *
 * 1. What a node remembers of its items (`NodeMemory`).
 * 2. The states of an item, and what changes them (`transition`).
 * 3. What a try starts with (`nextStep`).
 */

/** The request of an item, as far as it tells whether that is the one which is known. */
export interface AskedFor {
	/** Hash of what the user controls: the unevaluated parameters and the input item. */
	userInputHash: string;
	/** Hash of the request as it is evaluated (`requestHashOf`). */
	requestHash: string;
	/** Hash of the key of the user's own, if it has one. */
	ownKeyHash?: string;
}

/** What is remembered about one item, so that running the node again continues instead of paying again. */
export interface ItemMemory extends Partial<AskedFor> {
	state: ItemState;
	/**
	 * What the item's own keys are made of, each with a number. An item that takes over a request which an
	 * earlier execution has lost takes over this too, so that its keys are the same.
	 */
	keySeed?: string;
	/** The execution in which it has ended well: n8n, or the agent, was given its result. */
	endedIn?: string;
}

/** A file at the service. */
export interface SentFile {
	/** What the service says of it. */
	file: Json;
	/** Since when it is known by its name, in ms since the epoch. */
	at: number;
}

/** What a node remembers of an execution. Plain data, because n8n stores it with the execution. */
export interface NodeMemory {
	/** Goes into the keys of this execution, which makes them unique. */
	runId: string;
	/** The execution that this memory began with: a retry goes on with that of the one it retries. */
	startedIn?: string;
	/** Whether that execution was a retry for which n8n had no memory, as of one that was stopped. */
	startedInRetry?: boolean;
	/** By place, `run:item`, or `run:item.part` from the second part of an item on. */
	items: Record<string, ItemMemory>;
	/**
	 * The request that a key of the user's own belongs to and the item that has used it first, by the hash of
	 * the key.
	 */
	keys?: Record<string, { requestHash: string; item: string }>;
	/** What its items have sent to the service, by the name of each file. */
	uploads?: Record<string, SentFile>;
}

/**
 * The memory of a node, which n8n stores with the execution (node context): it survives Retry On Fail and
 * Retry Execution. The run id is stored before the first request is sent.
 */
export function nodeMemoryIn(
	context: Record<string, unknown>,
	execution: string,
	isRetry = false,
): NodeMemory {
	context.mediaGen ??= {
		runId: randomUUID(),
		startedIn: execution,
		startedInRetry: isRetry,
		items: {},
	};
	return context.mediaGen as NodeMemory;
}

/** Whether all that a node remembers has ended well. */
export function hasEnded({ mediaGen }: Record<string, unknown>): boolean {
	const items = Object.values((mediaGen as NodeMemory | undefined)?.items ?? {});
	return items.length > 0 && items.every(({ endedIn }) => endedIn !== undefined);
}

export const newMemory = (): ItemMemory => ({ state: NEW });

/** The memory of an item by its place, `run:item`; a new one if there is none. */
export function itemMemory({ items }: NodeMemory, place: string): ItemMemory {
	items[place] ??= newMemory();
	return items[place];
}

/**
 * The place of a part of an item. The first one has that of the item: a text may become longer, or shorter.
 */
export const placeOfPart = (place: string, index: number): string =>
	index === 0 ? place : `${place}.${index}`;

/** How a part of an item is named beside its item. */
export const labelOfPart = (index: number): string => `.${index}`;

interface ItemWithMemory {
	nodeMemory: NodeMemory;
	origin: { place: string };
	/** Its requests, where it needs several. */
	parts?: unknown[];
	memory: ItemMemory;
}

/** What is known of an item, or, where it needs several requests, of each part. */
export const memoriesOf = ({
	nodeMemory,
	origin,
	parts = [],
	memory,
}: ItemWithMemory): ItemMemory[] =>
	parts.length < 2
		? [memory]
		: parts.map((_, index) => nodeMemory.items[placeOfPart(origin.place, index)] ?? newMemory());

/**
 * The state of an item under '', or, where it needs several requests, that of each part under '.0', '.1' …
 */
export function statesOf(item: ItemWithMemory): Array<[part: string, state: ItemState]> {
	const memories = memoriesOf(item);
	if (memories.length < 2) return [['', item.memory.state]];
	return memories.map(({ state }, index) => [labelOfPart(index), state]);
}

/** @param execution in which the item has ended well; `undefined` if it has failed */
export function recordEnd(item: ItemWithMemory, execution: string | undefined): void {
	for (const memory of memoriesOf(item)) memory.endedIn = execution;
}

/* 2. The states of an item */

/** What is needed to read a job again. */
export interface JobReference {
	id: string;
	/** The `object` constant of its kind. */
	object?: string;
}

/** What is known about the money spent on an item. Plain data, because n8n stores it with the execution. */
export type ItemState = New | Sent | Created;

/** Nothing was sent, or nothing came of what was sent. */
export interface New extends Numbered {
	is: 'new';
}

/**
 * A request was sent under this key and no job of it is known: it is out, nobody knows what it has done, or
 * it has done nothing and is sent again, as after a 429. Key and body are those that were sent.
 */
export interface Sent extends Requested {
	is: 'sent';
	/** `undefined` where Avoid Paying Twice is off. */
	key?: string;
	path: string;
	body: unknown;
	/** When this key was first sent, in milliseconds since the epoch. */
	firstSentAt: number;
	/** Whether an attempt is out, or was when the process crashed. */
	isInFlight: boolean;
	/** Whether an earlier attempt under this key may have been carried out. */
	mayBeCarriedOut: boolean;
}

/**
 * A job exists or, if it is `done`, has succeeded. It is only read, and not requested again while it is
 * there.
 */
export interface Created extends Requested {
	is: 'created' | 'done';
	job: JobReference;
	/** If its answer said that it is a plan: the status that it had then. With another it has gone on. */
	planStatus?: string;
	/** Of a job that is done, as JSON if it is small: text, so that nothing downstream modifies it. */
	resource?: string;
}

/** A request was sent. */
interface Requested extends Numbered {
	/** The name of the workspace that it was sent to last, if that is known. */
	workspace?: string;
	/** The execution that told the user that to go on may mean to pay twice. */
	warnedIn?: string;
}

interface Numbered {
	/** Of the next key of *On Retries*: they are numbered from 0, and those before it led to nothing. */
	keyNumber: number;
}

/** What can happen to an item. `transition` says what each one means in each state. */
export type ItemEvent =
	/** An attempt is about to be sent. Recorded before it is. */
	| {
			kind: 'sending';
			key?: string;
			path: string;
			body: unknown;
			now: number;
			workspace: string;
	  }
	/** What was sent did nothing and proves nothing: a 429, or it never left this machine. */
	| { kind: 'noEffect' }
	/** What was sent may have been carried out: no response, an unusable one, or a server error. */
	| { kind: 'outcomeUnknown' }
	/**
	 * The service refused this very request. `keepsKey`: the next one is sent under the same key, because the
	 * refusal does not prove that nothing was done under it.
	 */
	| { kind: 'refused'; keepsKey?: boolean }
	| { kind: 'jobKnown'; job: JobReference; planStatus?: string }
	| { kind: 'jobSucceeded'; resource?: string }
	| { kind: 'jobFailed' }
	/** What follows is another request: the user changed it, or decided after a warning. */
	| { kind: 'startsOver' }
	| { kind: 'userWarned'; execution: string };

/** Changes the state of an item. Else it is set only by what an item goes on with (`goOnWithLost`). */
export function recordEvent(memory: { state: ItemState }, event: ItemEvent): void {
	memory.state = transition(memory.state, event);
}

/** What is known after an event. What says nothing in a state leaves it as it is. */
export function transition(state: ItemState, event: ItemEvent): ItemState {
	if (event.kind === 'startsOver') return newAt(state.keyNumber + 1);
	switch (state.is) {
		case 'new':
			return fromNew(state, event);
		case 'sent':
			return fromSent(state, event);
		case 'created':
		case 'done':
			return fromCreated(state, event);
	}
}

function fromNew(state: New, event: ItemEvent): ItemState {
	const { keyNumber } = state;
	switch (event.kind) {
		case 'sending':
			return sentFirst(keyNumber, event);
		case 'jobKnown':
			return createdBy(event, { keyNumber });
	}
	return state;
}

function fromSent(state: Sent, event: ItemEvent): ItemState {
	const { keyNumber, workspace } = state;
	switch (event.kind) {
		case 'sending':
			return state.key === event.key ? sentAgain(state, event) : sentFirst(keyNumber, event);
		case 'noEffect':
			return { ...state, isInFlight: false };
		case 'outcomeUnknown':
			return { ...state, isInFlight: false, mayBeCarriedOut: true };
		case 'refused':
			// It is about its own attempt only: an earlier one under the key may have been carried out.
			if (state.mayBeCarriedOut) return { ...state, isInFlight: false };
			return newAt(event.keepsKey ? keyNumber : keyNumber + 1);
		case 'jobKnown':
			return createdBy(event, { keyNumber, workspace });
		case 'userWarned':
			return { ...state, warnedIn: event.execution };
	}
	return state;
}

/** A job that is known stays known, whatever comes of further requests, until it fails. */
function fromCreated(state: Created, event: ItemEvent): ItemState {
	const { keyNumber, job, workspace, planStatus } = state;
	const mayEnd = state.is === 'created';
	switch (event.kind) {
		case 'jobSucceeded':
			if (!mayEnd) return state;
			return { is: 'done', keyNumber, job, workspace, planStatus, resource: event.resource };
		case 'jobFailed':
			return mayEnd ? newAt(keyNumber + 1) : state;
		case 'userWarned':
			return { ...state, warnedIn: event.execution };
	}
	return state;
}

/** What a request is worth to whoever goes on with it: most if it has made a job, less if it may have. */
const RANKS: Record<ItemState['is'], number> = { done: 2, created: 2, sent: 1, new: 0 };

export const rankOf = ({ state }: ItemMemory): number => RANKS[state.is];

/** How far the request of an item has come: the larger, the later. */
export const stageOf = (memory: ItemMemory): number => memory.state.keyNumber * 3 + rankOf(memory);

const newAt = (keyNumber: number): New => ({ is: 'new', keyNumber });

/** An item begins so: nothing was sent for it. */
export const NEW: New = newAt(0);

type Sending = ItemEvent & { kind: 'sending' };

const sentFirst = (keyNumber: number, { key, path, body, now, workspace }: Sending): Sent => ({
	is: 'sent',
	keyNumber,
	workspace,
	key,
	path,
	body,
	firstSentAt: now,
	isInFlight: true,
	mayBeCarriedOut: false,
});

function sentAgain(state: Sent, sending: Sending): Sent {
	const { workspace } = sending;
	const mayBeCarriedOut = state.mayBeCarriedOut || state.isInFlight;
	// If nothing was done, the request was put together anew, such as with another URL of its file.
	const { path, body } = mayBeCarriedOut ? state : sending;
	return {
		...state,
		path,
		body,
		workspace,
		isInFlight: true,
		// In another workspace the key is new: what the first one may have made, the user has given up.
		mayBeCarriedOut: mayBeCarriedOut && !isOfOther(state, workspace),
		// The user has decided to go on, or is back in the first workspace.
		warnedIn: undefined,
	};
}

const createdBy = (
	{ job, planStatus }: ItemEvent & { kind: 'jobKnown' },
	known: Requested,
): Created => ({ is: 'created', ...known, job, planStatus });

/** Whether a request went to another workspace than this, or to the same under another API key. */
export const isOfOther = (state: ItemState, workspace: string): boolean =>
	state.is !== 'new' && state.workspace !== undefined && state.workspace !== workspace;

/** Whether the outcome of the last request is open: only the service knows what it has done. */
export const isOutcomeOpen = (state: ItemState): state is Sent =>
	state.is === 'sent' && (state.mayBeCarriedOut || state.isInFlight);

/**
 * Whether the service may have dropped a key that it first received at that moment. A moment far ahead
 * of the clock counts as long ago: the clock was set back, by nobody knows how much.
 */
export function isKeyExpired(firstSentAt: number, now: number): boolean {
	const age = now - firstSentAt;
	return age < -CLOCK_CORRECTION_MS || age >= KEY_LIFETIME_MS;
}

const KEY_LIFETIME_MS = LIMITS.idempotencyHours * 3_600_000;

/** By so much at most a clock is corrected, in ms, without saying anything of how old a key is. */
const CLOCK_CORRECTION_MS = 5 * 60_000;

/* 3. What a try starts with */

/** What decides about the next step, besides what is known of the item. */
export interface Facts {
	/** Milliseconds since the epoch. */
	now: number;
	/** Whether it is another request than that which was sent, for whatever reason. */
	contentDiffers: boolean;
	/** Whether that is because the user has changed it. */
	changedByUser: boolean;
	/** Whether it has the same key of the user's own as the request that was sent. */
	usesOwnKey: boolean;
	execution: string;
	/** The name of the workspace: a rotated API key gives it another one. */
	workspace: string;
}

/**
 * Compares what a try asks for with what is remembered. The user has changed the request if both the
 * parameters and input that the user controls and the resulting request differ: one that merely evaluates
 * differently each time (`$now` in a prompt) is the same one.
 */
export function factsOf(
	memory: ItemMemory,
	askedFor: AskedFor,
	here: Pick<Facts, 'now' | 'execution' | 'workspace'>,
): Facts {
	const contentDiffers =
		memory.requestHash !== undefined && memory.requestHash !== askedFor.requestHash;
	const isSameInput = memory.userInputHash === askedFor.userInputHash;
	const isSameKey = memory.ownKeyHash === askedFor.ownKeyHash;
	return {
		...here,
		contentDiffers,
		changedByUser: contentDiffers && !isSameInput,
		usesOwnKey: askedFor.ownKeyHash !== undefined && isSameKey,
	};
}

/** What a try has to do first. */
export type Step =
	/** Send a new request. `startsOver`: what is known is about another one, or its key has expired. */
	| { do: 'send'; startsOver: boolean }
	/** Send what has no final answer yet again, unchanged. */
	| { do: 'resend'; sent: Sent }
	/** Read the known job. */
	| { do: 'read'; job: JobReference }
	/** Output the known resource. */
	| { do: 'output'; job: JobReference; resource: string }
	/** Tell the user that a job may exist, because the key can no longer show whether it does. */
	| { do: 'warn'; because: Doubt }
	/** The user changed the request but not the key of their own, which belongs to the earlier request. */
	| { do: 'reject'; job?: JobReference };

/**
 * What a try of an item starts with. Never a second request while the first may have been carried
 * out, unless the user was told.
 */
export function nextStep(state: ItemState, facts: Facts): Step {
	const { now, contentDiffers, changedByUser, usesOwnKey } = facts;
	switch (state.is) {
		case 'new':
			return { do: 'send', startsOver: changedByUser };
		case 'sent': {
			const isExpired = isKeyExpired(state.firstSentAt, now);
			if (isOutcomeOpen(state)) return nextStepWhileOpen(state, isExpired, facts);
			// What certainly did nothing is built anew.
			return { do: 'send', startsOver: contentDiffers || isExpired };
		}
		case 'created':
		case 'done': {
			const { job, resource } = state;
			if (changedByUser && usesOwnKey) return { do: 'reject', job };
			if (changedByUser) return { do: 'send', startsOver: true };
			return resource === undefined ? { do: 'read', job } : { do: 'output', job, resource };
		}
	}
}

/** The next step while the request of before may have been carried out. */
function nextStepWhileOpen(sent: Sent, isExpired: boolean, facts: Facts): Step {
	const { changedByUser, usesOwnKey, execution, workspace } = facts;
	if (changedByUser && usesOwnKey && !isExpired) return { do: 'reject' };
	let doubt: Doubt | undefined;
	if (changedByUser) doubt = 'changed';
	else if (sent.key === undefined) doubt = 'noKey';
	else if (isExpired) doubt = 'expired';
	else if (isOfOther(sent, workspace)) doubt = 'otherWorkspace';
	if (doubt !== undefined && !hasDecided(sent, execution)) return { do: 'warn', because: doubt };
	// Under its key also in another workspace: if only the API key was rotated, that finds the job.
	if (doubt === undefined || doubt === 'otherWorkspace') return { do: 'resend', sent };
	return { do: 'send', startsOver: true };
}

/**
 * Whether the user goes on after a warning: the next execution is the user's decision. Retry On Fail stays in
 * the one that warned.
 */
export const hasDecided = (state: ItemState, execution: string): boolean =>
	state.is !== 'new' && state.warnedIn !== undefined && state.warnedIn !== execution;
