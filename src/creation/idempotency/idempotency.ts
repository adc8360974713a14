import { LIMITS } from '../../api';
import { BoundedMap } from '../../base/maps';
import { sha256, shortHash } from '../../base/hash';
import { fail, ok, type Failed, type Result } from '../../base/result';
import { DAY_MS } from '../../base/times';
import type { ApiRequest } from '../../base/types';
import { canonicalJson, withoutInstances } from '../../base/values';
import { BinaryReference, identityOf, type LocalFiles } from '../../files/localFile';
import type { IdempotencyMode, Item, Settings } from '../item';
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
 */
export interface Idempotency {
	/**
	 * Names who uploads its files. Two uploads of the same bytes by one owner have the same key, so that the
	 * service gives both the same URL. All items of a run have one owner. Executions that share the key of
	 * the request have one owner too, because under one key they must all name the same URL.
	 */
	readonly uploadOwner: string;
	/** What names the request to executions that know nothing of this one, if anything does. */
	readonly requestNameForOthers?: string;
	/**
	 * Whether executions that know nothing of this one use the key as well. Then the request must depend on
	 * nothing that only this execution knows.
	 */
	readonly othersUseKey: boolean;
	/**
	 * What makes another request the same one: its content, so that an item goes on with what another try or
	 * execution has lost; the user's key, whatever it asks for; or nothing, so that each try makes a request
	 * of its own.
	 */
	readonly sameBy: Exclude<IdempotencyMode, 'execution'>;
	/** Hash of the user's own key, if that makes requests the same. */
	readonly ownKeyHash?: string;
	/**
	 * The key that the next request would have, as of now; `undefined` if it would have none. To ask changes
	 * nothing.
	 * @param filledIn its body, where that says more than the user has asked for: under one key there is one
	 * body
	 */
	peekKey(filledIn?: unknown): string | undefined;
	/** A request goes out, under the key of `peekKey` with the same argument. */
	noteSent?(key: string, filledIn?: unknown): void;
	/**
	 * The current key leads to nothing: to a job that had failed before this try, or to a 402, which a
	 * service may keep.
	 * @returns whether there is another key to try at once
	 */
	tryNextKey?(because: 'failedBefore' | 'noCredits'): boolean;
	/** The service has made a job under this key. */
	noteJobMade?(key: string): void;
	/** The service has refused a request under this key: it has certainly made no job for it. */
	noteRefused?(key: string): void;
	/** Credits may have come since the last 402: the key that others use is tried again. */
	retrySharedKey?(): void;
	/** Takes the key for this request. @returns why it must not be sent under it */
	claimKey?(): Failed | undefined;
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

/** @param filledIn see {@link Idempotency.peekKey} */
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
	if (sameBy !== 'custom') memory.keySeed = keySeedOf(item, requestHash);
}

/** Each item of each execution makes a request of its own, and a retry finds it by the memory of the item. */
class OnRetries implements Idempotency {
	readonly othersUseKey = false;
	readonly sameBy = 'content';

	constructor(
		private readonly item: Item,
		private readonly requestHash: string,
	) {}

	get uploadOwner(): string {
		return this.item.nodeMemory.runId;
	}

	peekKey(filledIn?: unknown): string {
		const { memory } = this.item;
		const keySeed = memory.keySeed ?? keySeedOf(this.item, this.requestHash);
		return keyFrom(keySeed, memory.state.keyNumber, filledIn);
	}
}

/** Far more than anybody needs: so many jobs of one request fail within a day only where all of them do. */
const MAX_KEYS = 50;

/** A key in the place of another one. */
interface ReplacementKey {
	readonly key: string;
	/** When it was first used, on the monotonic clock. */
	readonly since: number;
	/** Whether this process has paid under it. */
	isPaid: boolean;
}

/** More keys than a workspace needs in a day. */
const MOST_REPLACEMENTS = 20_000;

/** Of a workspace: what this process uses in place of shared keys under which the service keeps a 402. */
class ReplacementKeys extends BoundedMap<string, ReplacementKey> {
	constructor() {
		super(MOST_REPLACEMENTS);
	}

	get mayBeForgotten(): boolean {
		return this.size === 0;
	}
}

/**
 * All executions that ask for the same share a key, and need no memory for that: each try begins with number
 * 0, and a key whose job had failed before the try gives way to the next number.
 *
 * After a 402 the service may keep that answer for the shared key. So a key of this execution is tried in its
 * place, the replacement, which all items of this process use that have met the same 402, until the service
 * refuses it too. Once a job is made under the replacement, it is used for a day by all that ask for the
 * same: under the shared key they would get the old 402, and then pay again.
 */
class SameRequest implements Idempotency {
	readonly sameBy = 'content';
	private readonly onRetries: OnRetries;
	/** How many shared keys led to jobs that had failed before this try. */
	private number = 0;
	/** The shared key of the request that went out last: its own, or the one that its key stands in for. */
	private lastShared = '';
	/** Whether the next key is one that only this execution knows. */
	private isLastResort = false;

	constructor(
		private readonly item: Item,
		private readonly requestHash: string,
	) {
		this.onRetries = new OnRetries(item, requestHash);
	}

	get uploadOwner(): string {
		return this.item.origin.requester.nodeId;
	}

	get requestNameForOthers(): string {
		return `${this.uploadOwner}\n${this.requestHash}`;
	}

	get othersUseKey(): boolean {
		return !this.isLastResort;
	}

	peekKey(filledIn?: unknown): string {
		if (this.isLastResort)
			return this.replacementOf(this.lastShared)?.key ?? this.onRetries.peekKey(filledIn);
		const shared = this.sharedKey(filledIn);
		const replacement = this.replacementOf(shared);
		return replacement?.isPaid ? replacement.key : shared;
	}

	private sharedKey(filledIn: unknown): string {
		return keyFrom(this.requestNameForOthers, this.number, filledIn);
	}

	noteSent(key: string, filledIn?: unknown): void {
		if (!this.isLastResort) this.lastShared = this.sharedKey(filledIn);
		else if (!this.replacementOf(this.lastShared)) this.replace(this.lastShared, key, false);
	}

	private get replacements(): ReplacementKeys {
		return this.item.workspace.shared(ReplacementKeys);
	}

	/** What another execution or another row of this process has begun to use in its place within a day. */
	private replacementOf(shared: string): ReplacementKey | undefined {
		const { clock } = this.item.workspace;
		const replacement = this.replacements.get(shared);
		const isOver = replacement !== undefined && clock.monotonic() - replacement.since >= DAY_MS;
		return isOver ? undefined : replacement;
	}

	private replace(shared: string, key: string, isPaid: boolean): void {
		const since = this.item.workspace.clock.monotonic();
		this.replacements.set(shared, { key, since, isPaid });
	}

	noteJobMade(key: string): void {
		const replacement = this.replacementOf(this.lastShared);
		if (replacement?.key === key) replacement.isPaid = true;
		// Another row was refused under the same replacement, and has deleted it, while this request was out.
		else if (this.isLastResort && !replacement?.isPaid) this.replace(this.lastShared, key, true);
	}

	/**
	 * A replacement that was paid under is kept: what is refused while there are no credits does not undo
	 * that.
	 */
	noteRefused(key: string): void {
		const replacement = this.replacements.get(this.lastShared);
		if (replacement?.key === key && !replacement.isPaid) this.replacements.delete(this.lastShared);
	}

	tryNextKey(because: 'failedBefore' | 'noCredits'): boolean {
		if (this.isLastResort) return false;
		if (because === 'noCredits') {
			this.isLastResort = true;
			return true;
		}
		this.number += 1;
		this.isLastResort = this.hasTriedAll;
		return true;
	}

	private get hasTriedAll(): boolean {
		return this.number >= MAX_KEYS;
	}

	/** From the shared key on, at its last number: jobs that had failed before have still failed. */
	retrySharedKey(): void {
		this.isLastResort = this.hasTriedAll;
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
	readonly sameBy = 'custom';
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

	peekKey(): string {
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
	readonly sameBy = 'none';
	readonly uploadOwner: string;

	constructor({ nodeMemory }: Item) {
		this.uploadOwner = nodeMemory.runId;
	}

	peekKey(): undefined {
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
