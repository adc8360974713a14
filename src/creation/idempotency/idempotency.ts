import { LIMITS } from '../../api';
import { sha256, shortHash } from '../../base/hash';
import { fail, ok, type Failed, type Result } from '../../base/result';
import { isRecord, type ApiRequest } from '../../base/types';
import { canonicalJson, withoutInstances } from '../../base/values';
import { BinaryReference, identityOf, type LocalFiles } from '../../files/localFile';
import type { IdempotencyMode, Item, Settings } from '../item';
import { EqualRequests, type Outcome, type QueueBehind } from './equalRequests';
import type { AskedFor, JobReference } from './itemState';

/**
 * What _Avoid Paying Twice_ means for the request of one item: under which key it is sent, and who else finds
 * that key. There is a class for each choice. Elsewhere the choice is asked for only to word messages and
 * rows of failed items, and to compare the requests of a run that have one key of the user's own; and
 * `n8n/check.ts` says what _Same in the Editor_ means where the workflow runs.
 *
 * A key (specification: Operation details, Idempotency-Key) is made of what names the request and a number.
 * The number rises when a key has led to nothing.
 *
 * What names the request, and what the number is:
 *
 * - _On Retries_ (`execution`): the execution, the place of the item and the hash of its request, which make
 *   its `keySeed`; a number kept in the item's state.
 * - _Same Request Within 24 Hours_ (`content`): the node and the hash of the request; 0 at first in each try.
 *   After a 402 a key of _On Retries_ stands in.
 * - _Own Key_ (`custom`): what the user gave; no number.
 * - _Off_ (`none`): there is no key.
 *
 * A try calls the methods in this order:
 *
 * 1. `claimKey`, once.
 * 2. Each time that the request may be sent: `queueBehind`, `currentKey` (`leadingKey` for one that was sent
 *    before) and, as it goes out, `holdEqualRequests`.
 * 3. Once it is not out any more: `releaseEqualRequests`.
 * 4. If its answer was a 402, or its key leads to a job that had failed before or is gone: `tryNextKey`. If
 *    it waits for credits then: `retrySharedKey`.
 */
export interface Idempotency {
	/**
	 * Names who uploads its files. Two uploads of the same bytes by one owner have the same key, so that the
	 * service gives both the same URL. All items of a run have one owner. Executions that share the key of
	 * the request have one owner too, because under one key they must all name the same URL.
	 */
	readonly uploadOwner: string;
	/** What the request is called by executions that know nothing of this one, if they share its key. */
	readonly requestNameForOthers?: string;
	/**
	 * Whether executions that know nothing of this one use the key as well. Then the request must depend on
	 * nothing that only this execution knows.
	 */
	readonly othersUseKey: boolean;
	/**
	 * Whether a job may stand under the key that this execution knows nothing of: another one has used it, or
	 * another retry of the same execution.
	 */
	readonly keyMayBeOld: boolean;
	/**
	 * What makes another request the same one: what it asks for, so that an item goes on with what another
	 * try or execution has lost; the user's key, whatever it asks for; or nothing, so that each try makes a
	 * request of its own.
	 */
	readonly sameBy: 'request' | 'ownKey' | 'nothing';
	/** Hash of the user's own key, if that makes requests the same. */
	readonly ownKeyHash?: string;
	/** Takes the key for this request. @returns why it must not be sent under it */
	claimKey?(): Failed | undefined;
	/**
	 * Where it waits if an equal request of this process is out whose answer decides about the key.
	 * @param filledIn see {@link Idempotency.currentKey}
	 */
	queueBehind?(filledIn?: unknown): QueueBehind | undefined;
	/**
	 * The key under which an equal request of this process was carried out, or may have been. All equal ones
	 * are sent under it, also those that had another key before.
	 */
	leadingKey?(filledIn?: unknown): string | undefined;
	/**
	 * The key that the next request would have, as of now; `undefined` if it would have none. To ask changes
	 * nothing.
	 * @param filledIn its body, where that says more than the user has asked for: under one key there is one
	 * body
	 */
	currentKey(filledIn?: unknown): string | undefined;
	/** The request goes out under this key: from now on equal ones of this process wait. */
	holdEqualRequests?(key: string, filledIn?: unknown): void;
	/** It is not out any more, so they go on. Calling it again does nothing. */
	releaseEqualRequests?(outcome: Outcome): void;
	/**
	 * The key leads to nothing: to a 402, which a service may keep, to a job that had failed before this try,
	 * or to one that is gone.
	 * @returns whether there is another key to try at once
	 */
	tryNextKey?(because: 'failedBefore' | 'gone' | 'noCredits'): boolean;
	/** Credits may have come since the last 402: the key that others use is tried again. */
	retrySharedKey?(): void;
}

/**
 * A hash of the _content_ of a request: what the user asks for, whatever the order of its fields. Its files
 * count by their bytes, not by the URLs under which they are sent.
 */
export function requestHashOf(
	{ path, body }: Pick<ApiRequest, 'path' | 'body'>,
	files: LocalFiles,
): string {
	const named = withoutInstances([path, body], BinaryReference, ({ field }) => {
		const file = files.get(field);
		return { binary: file && identityOf(file) };
	});
	return shortHash(canonicalJson(named));
}

/** What is filled in where the user has not chosen it: the first model, and what is left of a limit. */
const FILLED_IN = ['model', 'max_credits'];

/**
 * The body of a request as it is sent, where it says more than the user has asked for: then it goes into the
 * key.
 */
export function filledIn(body: unknown, { body: asked }: Pick<ApiRequest, 'body'>): unknown {
	if (!isRecord(body) || !isRecord(asked)) return undefined;
	return FILLED_IN.some((field) => body[field] !== asked[field]) ? body : undefined;
}

/** @param filledIn see {@link Idempotency.currentKey} */
function keyFrom(name: string, number: number, filledIn: unknown): string {
	const parts = [name, String(number)];
	if (filledIn !== undefined) parts.push(canonicalJson(filledIn));
	return `n8n-${sha256(parts.join('\n'))}`;
}

/** The key of an upload: a repeated request has to name the same URL. */
export const uploadKey = (owner: string, identity: string): string =>
	`n8n-${sha256(`upload\n${owner}\n${identity}`)}`;

/** What is wrong with a key of the user's own. Specification: Operation details, Idempotency-Key. */
export function ownKeyProblem(key: string): string | undefined {
	if (key === '') return 'is empty';
	if (key.length > LIMITS.idempotencyKeyLength.max) {
		return `has ${key.length} characters; at most ${LIMITS.idempotencyKeyLength.max} are allowed`;
	}
	return /^[\x20-\x7e]+$/.test(key) ? undefined : 'may only contain printable ASCII characters';
}

/**
 * What the own keys of an item are made of. Its place tells it from others of the execution that ask for the
 * same.
 */
const keySeedOf = (
	{ nodeMemory, origin }: Pick<Item, 'nodeMemory' | 'origin'>,
	requestHash: string,
): string => shortHash([nodeMemory.runId, requestHash, origin.place].join('\n'));

/** From now on, what is known of the item is about the request that it asks for in this try. */
export function rememberRequest(item: Item, askedFor: AskedFor, { sameBy }: Idempotency): void {
	const { memory } = item;
	const { requestHash, userInputHash, ownKeyHash } = askedFor;
	const isSame = memory.requestHash === requestHash;
	memory.userInputHash = userInputHash;
	memory.ownKeyHash = ownKeyHash;
	if (isSame) return;
	memory.requestHash = requestHash;
	delete memory.keySeed;
	if (sameBy !== 'ownKey') memory.keySeed = keySeedOf(item, requestHash);
}

/** Each item of each execution makes a request of its own, and a retry finds it by the memory of the item. */
class OnRetries implements Idempotency {
	readonly othersUseKey = false;
	readonly sameBy = 'request';

	constructor(
		private readonly item: Item,
		private readonly requestHash: string,
	) {}

	get keyMayBeOld(): boolean {
		const { nodeMemory, origin } = this.item;
		return nodeMemory.startedIn !== origin.requester.execution;
	}

	get uploadOwner(): string {
		return this.item.nodeMemory.runId;
	}

	currentKey(filledIn?: unknown): string {
		const { memory } = this.item;
		const keySeed = memory.keySeed ?? keySeedOf(this.item, this.requestHash);
		return keyFrom(keySeed, memory.state.keyNumber, filledIn);
	}
}

/** Far more than anybody needs: so many jobs of one request fail within a day only where all of them do. */
const MAX_KEYS = 50;

/** A request of _Same Request_ that has gone out. */
interface LastSent {
	/** What equal ones are called by (`nameOf`). */
	readonly name: string;
	readonly key: string;
	/** Whether that is the shared key of its number. */
	readonly isShared: boolean;
	/** Whether that was the leading key, under which an equal request may have a job. */
	readonly wasLeading: boolean;
	isOut: boolean;
}

/**
 * All executions that ask for the same share a key, and need no memory for that: each try begins with number
 * 0, and a key whose job had failed before the try gives way to the next number.
 *
 * After a 402 the service may keep that answer for the shared key. So a key of this execution is tried in its
 * place. Once a job is made under that, all of this process that ask for the same use it for a day: under the
 * shared key they would get the old 402, and then pay again. `EqualRequests` keeps which key that is, the
 * leading one; as long as there is none, it lets one of them out at a time.
 */
class SameRequest implements Idempotency {
	readonly othersUseKey = true;
	readonly keyMayBeOld = true;
	readonly sameBy = 'request';
	private readonly onRetries: OnRetries;
	private readonly equals: EqualRequests;
	/** How many shared keys led to jobs that had failed before this try. */
	private number = 0;
	/** Whether the shared keys lead to nothing, so that a key of this execution is used. */
	private usesKeyOfExecution = false;
	private last: LastSent | undefined;
	/** When the job that the leading key led to was seen to be gone, on the monotonic clock. */
	private goneAt: number | undefined;

	constructor(
		private readonly item: Item,
		private readonly requestHash: string,
	) {
		this.onRetries = new OnRetries(item, requestHash);
		this.equals = item.workspace.shared(EqualRequests);
	}

	get uploadOwner(): string {
		return this.item.origin.requester.nodeId;
	}

	get requestNameForOthers(): string {
		return `${this.uploadOwner}\n${this.requestHash}`;
	}

	private sharedKey(number: number, filledIn: unknown): string {
		return keyFrom(this.requestNameForOthers, number, filledIn);
	}

	/** Equal requests have the same first key. */
	private nameOf(filledIn: unknown): string {
		return this.sharedKey(0, filledIn);
	}

	queueBehind(filledIn?: unknown): QueueBehind | undefined {
		return this.equals.queueBehind(this.nameOf(filledIn), this.goneAt);
	}

	leadingKey(filledIn?: unknown): string | undefined {
		return this.equals.leadingKey(this.nameOf(filledIn), this.goneAt);
	}

	currentKey(filledIn?: unknown): string {
		const leading = this.leadingKey(filledIn);
		if (leading !== undefined) return leading;
		return this.usesKeyOfExecution
			? this.onRetries.currentKey(filledIn)
			: this.sharedKey(this.number, filledIn);
	}

	holdEqualRequests(key: string, filledIn?: unknown): void {
		const name = this.nameOf(filledIn);
		const isShared = key === this.sharedKey(this.number, filledIn);
		this.last = { name, key, isShared, isOut: true, wasLeading: this.leadingKey(filledIn) === key };
		this.equals.hold(name);
	}

	releaseEqualRequests(outcome: Outcome): void {
		const { equals, last } = this;
		if (!last?.isOut) return;
		last.isOut = false;
		if (outcome !== 'nothing' && !last.wasLeading) equals.setLeadingKey(last.name, last.key);
		equals.release(last.name, outcome === 'unknown');
	}

	tryNextKey(because: 'failedBefore' | 'gone' | 'noCredits'): boolean {
		const { equals, last } = this;
		if (because === 'noCredits') {
			// Some services look for credits first, and then for what the key leads to.
			const mayHaveJob = last && equals.leadingKey(last.name, this.goneAt) !== undefined;
			if (this.usesKeyOfExecution || mayHaveJob) return false;
			this.usesKeyOfExecution = true;
			return true;
		}
		if (because === 'gone') this.goneAt = this.item.workspace.clock.monotonic();
		if (because === 'failedBefore' && last) equals.forgetKey(last.name, last.key);
		if (this.usesKeyOfExecution) return false;
		// What was sent under another key says nothing of the shared one with this number.
		if (last?.isShared ?? true) this.number += 1;
		this.usesKeyOfExecution = this.hasTriedAll;
		return true;
	}

	private get hasTriedAll(): boolean {
		return this.number >= MAX_KEYS;
	}

	/** From the shared key on, at its last number: jobs that had failed before have still failed. */
	retrySharedKey(): void {
		this.usesKeyOfExecution = this.hasTriedAll;
	}
}

export const GIVE_EACH_A_KEY =
	'Give each request a key of its own, for example one that contains the ID of the item';

/**
 * The key of the user's own belongs to another request: to this one as it was before it was changed, or to
 * one elsewhere.
 */
export function keyInUse(job: JobReference | undefined): Failed {
	const problem = job
		? `belongs to another request, whose job is ${job.id}`
		: 'belongs to another request, which may or may not have been carried out';
	const hint = 'Give the changed request a key of its own';
	return fail({ kind: 'input', field: 'Own Key', problem, hint }, job && { ...job });
}

/** The user says which requests are the same. */
class OwnKey implements Idempotency {
	readonly othersUseKey = true;
	readonly keyMayBeOld = true;
	readonly sameBy = 'ownKey';
	/** Other workflows may use the key too. */
	readonly uploadOwner = 'own key';
	readonly ownKeyHash: string;

	constructor(
		private readonly item: Item,
		private readonly requestHash: string,
	) {
		this.ownKeyHash = shortHash(item.settings.idempotencyKey);
	}

	get requestNameForOthers(): string {
		return this.item.settings.idempotencyKey;
	}

	currentKey(): string {
		return this.requestNameForOthers;
	}

	/**
	 * In all rounds of a loop a key is that of one request: for another one the service would give the media
	 * of the first.
	 */
	claimKey(): Failed | undefined {
		const { ownKeyHash } = this;
		const { nodeMemory, origin } = this.item;
		nodeMemory.keys ??= {};
		nodeMemory.keys[ownKeyHash] ??= { requestHash: this.requestHash, item: origin.place };
		const first = nodeMemory.keys[ownKeyHash];
		if (first.item === origin.place) first.requestHash = this.requestHash;
		if (first.requestHash === this.requestHash) return undefined;
		return fail({
			kind: 'input',
			field: 'Own Key',
			problem: 'was used in this execution for another request',
			hint: GIVE_EACH_A_KEY,
		});
	}
}

/** No key: each try of the node pays again. */
class Off implements Idempotency {
	readonly othersUseKey = false;
	readonly keyMayBeOld = false;
	readonly sameBy = 'nothing';
	readonly uploadOwner: string;

	constructor({ nodeMemory }: Item) {
		this.uploadOwner = nodeMemory.runId;
	}

	currentKey(): undefined {
		return undefined;
	}
}

const MODES: Record<IdempotencyMode, new (item: Item, requestHash: string) => Idempotency> = {
	execution: OnRetries,
	content: SameRequest,
	custom: OwnKey,
	none: Off,
};

/** @param requestHash see {@link requestHashOf} */
export const idempotencyOf = (item: Item, requestHash: string): Idempotency =>
	new MODES[item.settings.idempotency](item, requestHash);

/** Whether another try of a request may pay again. */
export const retryMayPay = (mode: IdempotencyMode): boolean => mode === 'none';

/**
 * The settings of the parts of an item, which need a request each: a key of the user's own is that of one
 * request.
 */
export function settingsOfParts(settings: Settings, count: number): Result<Settings[]> {
	const parts = Array.from({ length: count }, (_, index) => {
		// Not `1-1` for the first part of `1`: that may be the key of another item.
		return { ...settings, idempotencyKey: `${settings.idempotencyKey}#part=${index + 1}` };
	});
	if (settings.idempotency !== 'custom') return ok(parts);
	const wrong = ownKeyProblem(parts.at(-1)?.idempotencyKey ?? '');
	return wrong === undefined
		? ok(parts)
		: fail({ kind: 'input', field: 'Own Key', problem: wrong });
}
