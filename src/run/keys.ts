import { createHash } from 'crypto';
import { LIMITS } from '../contract';
import { fail, type Failed } from '../base/result';
import type { IdempotencyMode, Item } from './item';
import type { RequestName } from './openRequests';
import { isOutcomeOpen, recordEvent, type Facts, type JobReference, type Sent } from './state';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** 128 bits: short enough to store for thousands of items, long enough to be unique. */
export const shortHash = (text: string): string =>
	createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** Whether the key of an item is the same in every execution, so that the request must be, too. */
export const isKeyPersistent = ({ settings: { idempotency } }: Pick<Item, 'settings'>): boolean =>
	idempotency === 'content' || idempotency === 'custom';

/** Names the request of an item. Before it is known, as for a file that is only uploaded, its place stands for it. */
const nameOf = ({
	memory,
	node,
	origin,
}: Pick<Item, 'memory' | 'node' | 'origin'>): RequestName => ({
	runId: memory.runId ?? node.runId,
	content: memory.content ?? origin.item,
	occurrence: memory.occurrence ?? 0,
});

const textOf = ({ runId, content, occurrence }: RequestName): string =>
	[runId, content, occurrence].join('\n');

/**
 * The key under which a file is uploaded: derived as that of the request, so that a repeated request
 * names the same URL.
 */
export function uploadKey(item: Item, identity: string): string {
	const { settings, origin, memory } = item;
	const ofExecution = textOf(nameOf(item));
	const owners: Record<IdempotencyMode, string> = {
		execution: ofExecution,
		none: ofExecution,
		content: `${origin.node}\n${memory.content ?? ''}`,
		custom: settings.idempotencyKey,
	};
	return `n8n-${sha256(`upload\n${owners[settings.idempotency]}\n${identity}`)}`;
}

/** What is wrong with a key of the user's own. Specification: Operation details, Idempotency-Key. */
export function customKeyProblem(key: string): string | undefined {
	if (key === '') return 'is empty';
	if (key.length > LIMITS.idempotencyKeyLength.max) {
		return `has ${key.length} characters; at most ${LIMITS.idempotencyKeyLength.max} are allowed`;
	}
	return /^[\x20-\x7e]+$/.test(key) ? undefined : 'may only contain printable ASCII characters';
}

export const GIVE_EACH_A_KEY =
	'Give each request a key of its own, for example one that contains the ID of the item';

/** The key of the user's own still belongs to the request as it was before it was changed. */
export function keyInUse(job: JobReference | undefined): Failed {
	const problem = job
		? `belongs to another request, whose job is ${job.id}`
		: 'belongs to another request, which may or may not have been carried out';
	const hint = 'Give the changed request a key of its own';
	return fail({ kind: 'input', field: 'Own Key', problem, hint }, job && { ...job });
}

/** How many keys of a content are tried in one run before the key that *On Retries* would give. */
const KEYS_OF_CONTENT = 2;

/**
 * What _Avoid Paying Twice_ means for one item: the keys of its requests, and whether what is known of
 * them is about the request as it is now. Others ask only for `isKeyPersistent`, or read the mode to word a
 * message.
 *
 * The idempotency key of a request (specification: Operation details, Idempotency-Key):
 *
 * | Avoid Paying Twice                       | the key number n is made of                                     |
 * | ---------------------------------------- | --------------------------------------------------------------- |
 * | On Retries (`execution`)                 | the run id of the execution, the request and its occurrence, n  |
 * | Same Request Within 24 Hours (`content`) | the node, the request with its files, n                         |
 * | Own Key (`custom`)                       | what the user gave, whatever n is                               |
 * | Off (`none`)                             | nothing: there is none                                          |
 *
 * With _Same Request_ every run begins with n = 0, without any memory. A key may lead to nothing: to a
 * job that had failed when this run first looked at it, or to a 402, which a service may keep for the
 * key. The next key of the content is tried after a failed job, and after a second one, or a 402, the
 * key that _On Retries_ would give: at most three keys in a run, unless 402 and 429 call for more keys of the execution.
 */
export class ItemKeys {
	private readonly mode: IdempotencyMode;
	/** With `content`: how many of its keys led to jobs that had failed before. */
	private failedBefore = 0;
	/** With `content`: whether the key of `execution` is used. */
	private isLastResort = false;

	constructor(
		private readonly item: Item,
		private readonly content: string,
	) {
		this.mode = item.settings.idempotency;
	}

	/** The key of the next request; `undefined` with `none`. */
	get current(): string | undefined {
		const { origin, settings, memory } = this.item;
		if (this.mode === 'none') return undefined;
		if (this.mode === 'custom') return settings.idempotencyKey;
		if (this.isOfRun) {
			const number = memory.state.nextKey;
			return `n8n-${sha256(`${textOf(nameOf(this.item))}\n${number}`)}`;
		}
		return `n8n-${sha256(`${origin.node}\n${memory.content ?? ''}\n${this.failedBefore}`)}`;
	}

	/** Whether the current key is that of the execution, which only its run id can lead to. */
	private get isOfRun(): boolean {
		return this.mode === 'execution' || (this.mode === 'content' && this.isLastResort);
	}

	/** Whether each run of the node makes requests of its own, as there is no key. */
	get isNone(): boolean {
		return this.mode === 'none';
	}

	/**
	 * The current key leads to nothing in this run.
	 * @returns whether there is another one to try at once
	 */
	giveWay(because: 'failedBefore' | 'noCredits'): boolean {
		if (this.mode !== 'content' || this.isLastResort) return false;
		if (because === 'failedBefore') this.failedBefore += 1;
		this.isLastResort = because === 'noCredits' || this.failedBefore >= KEYS_OF_CONTENT;
		return true;
	}

	/** Credits may have come since the last 402. Jobs that had failed before stay failed. */
	startAgain(): void {
		this.isLastResort = this.failedBefore >= KEYS_OF_CONTENT;
	}

	/**
	 * After as many 429 under one key, a service may keep them for the key. A 429 proves that nothing was
	 * done, so the next key pays for nothing twice; keys that other executions share stay as they are.
	 */
	get mayChangeAfterRefusals(): boolean {
		return this.isOfRun;
	}

	private get ownKeyHash(): string | undefined {
		return this.mode === 'custom' ? shortHash(this.item.settings.idempotencyKey) : undefined;
	}

	/**
	 * What decides about the next step. The user has changed the request if both the parameters and
	 * input that the user controls and the resulting request differ: one that merely evaluates
	 * differently each time (`$now` in a prompt) is the same one.
	 */
	get facts(): Facts {
		const { memory, inputFingerprint, origin, workspace } = this.item;
		const isKnown = memory.content !== undefined;
		const isOtherRequest = memory.content !== this.content;
		return {
			now: workspace.clock.now(),
			isChanged: isKnown && memory.inputFingerprint !== inputFingerprint && isOtherRequest,
			hasFixedKey: this.mode === 'custom' && memory.customKey === this.ownKeyHash,
			execution: origin.executionId,
		};
	}

	/**
	 * From now on, what is known of the item is about this request. One that is new to the item goes on
	 * with what a former execution has left open.
	 */
	adopt(): void {
		const { memory, inputFingerprint, origin, openRequests, workspace } = this.item;
		const now = workspace.clock.now();
		openRequests.begin(origin.executionId, this.execution.isManual, now);
		const isNew = memory.content === undefined;
		const isSame = !isNew && !this.facts.isChanged;
		memory.customKey = this.ownKeyHash;
		memory.inputFingerprint = inputFingerprint;
		if (isSame) return;
		this.nameRequest();
		if (isNew) this.takeOverOpenRequest(now);
	}

	/** Records what the request asks for, and which of the equal ones of this execution it is. */
	private nameRequest(): void {
		const { memory, node } = this.item;
		node.contents ??= {};
		const occurrence = node.contents[this.content] ?? 0;
		node.contents[this.content] = occurrence + 1;
		memory.content = this.content;
		memory.occurrence = occurrence;
	}

	private takeOverOpenRequest(now: number): void {
		const { memory, origin, openRequests } = this.item;
		if (!origin.looksBack || this.mode === 'custom' || this.isNone) return;
		const lost = openRequests.takeOver({ content: this.content, ...this.execution }, now);
		if (!lost) return;
		memory.runId = lost.runId;
		memory.occurrence = lost.occurrence;
		const mayHaveJob = lost.outcome !== 'nothing';
		recordEvent(memory, { kind: 'takenOver', sent: lost.sent, mayHaveJob });
	}

	/**
	 * A key of the user's own is that of one request, in all rounds of a loop: for another one the service
	 * would give the media of the first.
	 */
	claim(): Failed | undefined {
		const hash = this.ownKeyHash;
		if (hash === undefined) return undefined;
		const { node, origin } = this.item;
		node.keys ??= {};
		node.keys[hash] ??= { content: this.content, item: origin.item };
		const owner = node.keys[hash];
		if (owner.item === origin.item) owner.content = this.content;
		if (owner.content === this.content) return undefined;
		return fail({
			kind: 'input',
			field: 'Own Key',
			problem: 'was used in this execution for another request',
			hint: GIVE_EACH_A_KEY,
		});
	}

	/** The request is about to be sent. Under a key that other executions share, they find it by that. */
	noteSending(sent: Sent): void {
		if (!this.isOfRun || sent.key !== this.current) return;
		this.item.openRequests.note({ ...nameOf(this.item), ...this.execution, sent });
	}

	private get execution() {
		const { executionId: execution, mode } = this.item.origin;
		return { execution, isManual: mode === 'manual' };
	}

	/** The final answer to the request has been recorded. */
	noteAnswer(): void {
		const { memory, openRequests } = this.item;
		const { state } = memory;
		const name = nameOf(this.item);
		if (state.is === 'new') openRequests.close(name);
		else if (state.is !== 'sent') openRequests.noteOutcome(name, 'job');
		else openRequests.noteOutcome(name, isOutcomeOpen(state) ? 'unknown' : 'nothing');
	}

	/** The job of the request has failed: what follows is a new one. */
	noteFailure(): void {
		this.item.openRequests.close(nameOf(this.item));
		recordEvent(this.item.memory, { kind: 'jobFailed' });
	}
}

/** The result of an item was given to n8n. */
export const noteDelivery = (item: Item): void =>
	item.openRequests.deliver(nameOf(item), item.origin.executionId);
