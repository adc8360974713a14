import { createHash } from 'crypto';
import { ENDPOINTS, LIMITS } from '../contract';
import { BoundedMap } from '../base/boundedMap';
import { fail, ok, type Failed, type Result } from '../base/result';
import { isRecord, isResource, type Resource } from '../base/types';
import { pageOf, readPages } from '../service/pages';
import type { Refusal } from '../service/statuses';
import type { Workspace } from '../service/workspace';
import type { IdempotencyMode, Item } from './item';
import {
	isKeyExpired,
	isOutcomeOpen,
	isWithoutEffect,
	knownJobIds,
	recordEvent,
	type Facts,
	type JobReference,
	type Sent,
} from './state';

/** Names the request of an item in this node, whatever the number of its key and whichever execution makes it. */
export const contentOf = ({ origin, memory }: Pick<Item, 'origin' | 'memory'>): string =>
	`${origin.node}\n${memory.fingerprint ?? ''}`;

/** Whether the key of an item is the same in every execution, so that the request must be, too. */
export const isKeyPersistent = ({ settings: { idempotency } }: Pick<Item, 'settings'>): boolean =>
	idempotency === 'content' || idempotency === 'custom';

/**
 * The key under which a file is uploaded: the same for the same file of the same item in this
 * execution and, where the key of the request is the same in every execution, in all of them. So a
 * repeated request names the same URL.
 */
export function uploadKey({ settings, memory, origin }: Item, identity: string): string {
	const item = `${origin.runId}\n${origin.item}`;
	// With `content` that of one request, so that its key and that of its files end together.
	const content = contentOf({ origin, memory });
	const owners = { execution: item, none: item, content, custom: settings.idempotencyKey };
	return `n8n-${sha256(`upload\n${owners[settings.idempotency]}\n${identity}`)}`;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** 128 bits: short enough to store for thousands of items, long enough to be unique. */
export const shortHash = (text: string): string =>
	createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** What is wrong with a custom key. Specification: Operation details, Idempotency-Key. */
export function customKeyProblem(key: string): string | undefined {
	if (key === '') return 'is empty';
	if (key.length > LIMITS.idempotencyKeyLength.max) {
		return `has ${key.length} characters; at most ${LIMITS.idempotencyKeyLength.max} are allowed`;
	}
	return /^[\x20-\x7e]+$/.test(key) ? undefined : 'may only contain printable ASCII characters';
}

const itemName = (item: string): string => {
	const [round = '0', name = '0'] = item.split(':');
	// Without its part.
	const index = parseInt(name, 10);
	if (round === 'call') return 'a call of this tool';
	return round === '0' ? `item ${index}` : `item ${index} of run ${Number(round) + 1}`;
};

const inOrder = new Intl.Collator('en', { numeric: true }).compare;

/** The custom key still belongs to the request as it was before the user changed it. */
export function keyInUse(job: JobReference | undefined): Failed {
	const problem = job
		? `belongs to another request, whose job is ${job.id}`
		: 'belongs to another request, which may or may not have been carried out';
	const hint = 'Give the changed request a key of its own';
	return fail({ kind: 'input', field: 'Idempotency Key', problem, hint }, job && { ...job });
}

/**
 * What this process knows of one content, whichever execution asked for it, for as long as the
 * service keeps a key. Other processes find the same of its keys by asking the service, from the first on.
 */
interface ContentHistory {
	/** When it was first tried, in milliseconds since the epoch. */
	readonly since: number;
	/** With `content`: the number to start with; those before it led to failed jobs. */
	first: number;
	/** The number under which there is, or may be, a job. */
	used?: number;
	/** The id of that job, once it is known. */
	job?: string;
	/** How many numbers, counted from 0, were refused for lack of credits. */
	refused: number;
	/** With `execution`: jobs that failed executions have paid for and given to nobody, oldest first. */
	undelivered: Array<{ job: JobReference; runId: string }>;
}

/** More than run at once in any workspace, and little memory. */
const MAX_CONTENTS = 1_000;

type OfContent = Pick<Item, 'workspace' | 'origin' | 'memory'>;

const histories = new WeakMap<Workspace, BoundedMap<string, ContentHistory>>();

function knownHistoryOf(item: OfContent): ContentHistory | undefined {
	const { workspace } = item;
	const known = histories.get(workspace)?.get(contentOf(item));
	return known && !isKeyExpired(known.since, workspace.clock.now()) ? known : undefined;
}

function historyOf(item: OfContent): ContentHistory {
	const { workspace } = item;
	const since = workspace.clock.now();
	const history = knownHistoryOf(item) ?? { since, first: 0, refused: 0, undelivered: [] };
	const known = histories.get(workspace) ?? new BoundedMap<string, ContentHistory>(MAX_CONTENTS);
	histories.set(workspace, known.set(contentOf(item), history));
	return history;
}

/** A run has ended, and the job of an item was given to the user, or the next one should give it. */
export function noteDelivery(item: Item, job: JobReference, isDelivered: boolean): void {
	const history = isDelivered ? knownHistoryOf(item) : historyOf(item);
	if (!history) return;
	const others = history.undelivered.filter((one) => one.job.id !== job.id);
	const isNew = others.length === history.undelivered.length;
	if (isDelivered) history.undelivered = others;
	else if (isNew) history.undelivered.push({ job, runId: item.node.runId });
	// It knows of a job that was paid for.
	if (!isDelivered) item.workspace.keep();
}

/** How far back the list of generations is searched, in entries. */
const SEARCH_DEPTH = 1_000;

async function listGenerations(
	{ workspace, host }: Item,
	cursor?: string,
): Promise<Result<Resource[]>> {
	const query: Record<string, string> = cursor === undefined ? {} : { cursor };
	const list = { method: 'GET', path: ENDPOINTS.listGenerations.path, query } as const;
	const page = { wanted: SEARCH_DEPTH, takesLimit: true };
	const entries = await readPages(workspace.client, host.channel, list, page);
	return entries.ok ? ok(entries.value.filter(isResource)) : entries;
}

/** A list may show less of a job than the job itself does. */
const mayBe = (shown: unknown, requested: unknown) =>
	shown === undefined || shown === null || shown === requested;

/**
 * Finds out whether an attempt of unknown outcome was carried out when its key can no longer settle
 * it. Any generation with the same mode and model that this node does not know may be the one;
 * nothing is created then, so nothing is paid twice.
 * @returns a failure if the attempt may have created something
 */
export async function findPossibleDuplicate(
	item: Item,
	{ body }: Sent,
	because: 'expired' | 'changed',
): Promise<Result<void>> {
	if (item.spec.object !== 'generation') {
		return fail({ kind: 'possibleDuplicate', candidates: [], because });
	}
	const listed = await listGenerations(item);
	if (!listed.ok) return { ...listed, endpoint: ENDPOINTS.listGenerations };
	const request = isRecord(body) ? body : {};
	const known = knownJobIds(item.node);
	const candidates = listed.value
		.filter(({ mode, model }) => mayBe(mode, request.mode) && mayBe(model, request.model))
		.map(({ id }) => id)
		.filter((id) => !known.has(id));
	// A list that is longer than the search may hold the job further down.
	const mayBeBeyond = listed.value.length >= SEARCH_DEPTH;
	return candidates.length > 0 || mayBeBeyond
		? fail({ kind: 'possibleDuplicate', candidates, because })
		: ok(undefined);
}

/**
 * With the keys `content` and `custom`: what was there before this run of the node created anything.
 * Under a key that other executions share, the answer to a creation may be a job of an earlier run,
 * and look new.
 */
export class EarlierRuns {
	/** Ids on the newest page of the list of generations; `undefined` where it could not be read. */
	private newest: Set<string> | undefined;
	/** Where the list goes on after that page; `undefined` where that is all. */
	private next: string | undefined;
	private loading: Promise<void> | undefined;
	private older: Promise<Set<string>> | undefined;
	private readonly firstKeys = new Map<string, number>();

	/** To be called before anything is created: at most one request for all items of the run. */
	async load(item: Item): Promise<void> {
		await (this.loading ??= this.read(item));
	}

	private async read({ workspace, host, spec }: Item): Promise<void> {
		// The other kinds have no list with the jobs of a day.
		if (spec.object !== 'generation') return;
		const query = { limit: LIMITS.listLimit.max };
		const request = { method: 'GET', path: ENDPOINTS.listGenerations.path, query } as const;
		const page = await workspace.client.request(host.channel, request, { maxAttempts: 2 });
		if (!page.ok) return;
		const { entries, next } = pageOf(page.value.body);
		this.newest = new Set(entries.filter(isResource).map(({ id }) => id));
		this.next = next;
	}

	/** The key that all items with this content start with, as it is when the first of them does. */
	firstKey(content: string, known: number): number {
		const first = this.firstKeys.get(content) ?? known;
		this.firstKeys.set(content, first);
		return first;
	}

	/** Whether a job is of an earlier run, so that it may have ended: for certain only where all were listed. */
	mayHave(id: string): 'likely' | 'possibly' | 'never' {
		if (this.newest?.has(id) ?? true) return 'likely';
		return this.next === undefined ? 'never' : 'possibly';
	}

	/** Whether a job is certain to be of an earlier run; reads the list further back if need be. */
	async has(item: Item, id: string): Promise<boolean> {
		if (this.newest?.has(id)) return true;
		if (this.next === undefined) return false;
		// What comes after the newest page as it was then: nothing of this run can be there.
		this.older ??= listGenerations(item, this.next).then(
			(listed) => new Set(listed.ok ? listed.value.map((job) => job.id) : []),
		);
		return (await this.older).has(id);
	}
}

/**
 * What _Avoid Paying Twice_ means for one item: the keys of its requests, and whether what is known of
 * them is about the request as it is now. Nothing else in the life of an item depends on it.
 */
export class ItemKeys {
	private readonly mode: IdempotencyMode;

	constructor(
		private readonly item: Item,
		private readonly requestFingerprint: string,
	) {
		this.mode = item.settings.idempotency;
	}

	/**
	 * The idempotency key of a request (specification: Operation details, Idempotency-Key). Each has a
	 * number, from 0; a later number is a new request:
	 *
	 * | Avoid Paying Twice               | the key of number n is made of           |
	 * | -------------------------------- | ---------------------------------------- |
	 * | On Retries (`execution`)         | the execution, the item, n               |
	 * | Same Request Within 24 Hours (`content`) | the node, the request with its files, n |
	 * | Own Key (`custom`)               | what the user gave, whatever n is        |
	 * | Off (`none`)                     | nothing: there is none                   |
	 */
	of(number: number): string | undefined {
		const { origin, settings } = this.item;
		switch (this.mode) {
			case 'none':
				return undefined;
			case 'custom':
				return settings.idempotencyKey;
			case 'content':
				return `n8n-${sha256(`${origin.node}\n${this.requestFingerprint}\n${number}`)}`;
			case 'execution':
				return `n8n-${sha256(`${origin.runId}\n${origin.item}\n${number}`)}`;
		}
	}

	/** Whether each run of the node makes requests of its own, as there is no key. */
	get isNone(): boolean {
		return this.mode === 'none';
	}

	/** Whether the numbers begin at 0 again where the request is changed. */
	get restart(): boolean {
		return this.mode === 'content';
	}

	private get ownKeyHash(): string | undefined {
		return this.mode === 'custom' ? shortHash(this.item.settings.idempotencyKey) : undefined;
	}

	/**
	 * Claims a key of the user's own, before anything is sent; resolves once all items of the run have.
	 * Under one key for different requests, every item would get the media of the first one, so this is
	 * refused, also if the other item was in an earlier run of the node in this execution.
	 */
	async claim(): Promise<void> {
		const { node, origin, batch, itemIndex } = this.item;
		if (this.ownKeyHash === undefined) return;
		const fingerprint = this.requestFingerprint;
		const use = ((node.keys ??= {})[this.ownKeyHash] ??= { fingerprint, item: origin.item });
		if (use.item === origin.item) use.fingerprint = fingerprint;
		if (use.fingerprint !== fingerprint) {
			// Items are prepared side by side: what is said does not depend on which came first.
			const [one = '', other = ''] = [use.item, origin.item].sort(inOrder);
			const failed = fail({
				kind: 'input',
				field: 'Idempotency Key',
				problem: `is the same for ${itemName(one)} and ${itemName(other)}, which make different requests`,
				hint: 'Give each request a key of its own, for example one that contains the ID of the item',
			});
			batch.reject(itemIndex, failed);
			// Neither is sent, as it is unclear which one the key is meant for.
			const [round, index] = use.item.split(':');
			const isSameRun = round === origin.item.split(':')[0] && round !== 'call';
			if (isSameRun) batch.reject(parseInt(index ?? '', 10), failed);
		}
		await batch.keyClaimed(itemIndex);
	}

	/** From now on, what is known of the item is about this request. */
	remember(): void {
		const { memory, inputFingerprint } = this.item;
		memory.inputFingerprint = inputFingerprint;
		memory.fingerprint = this.requestFingerprint;
		memory.customKey = this.ownKeyHash;
	}

	/**
	 * What decides about the next step. The user has changed the request if both the parameters and
	 * input that the user controls and the resulting request differ: one that merely evaluates
	 * differently each time (`$now` in a prompt) is the same one.
	 */
	get facts(): Facts {
		const { memory, inputFingerprint, origin, workspace } = this.item;
		const isOtherRequest = memory.fingerprint !== this.requestFingerprint;
		return {
			now: workspace.clock.now(),
			isChanged: memory.inputFingerprint !== inputFingerprint && isOtherRequest,
			hasFixedKey: this.mode === 'custom' && memory.customKey === this.ownKeyHash,
			execution: origin.executionId,
		};
	}

	/** Whether nothing is known of the item that its first request has to follow. */
	get isAtStart(): boolean {
		const { state } = this.item.memory;
		return state.is === 'new' || (this.mode === 'content' && isWithoutEffect(state));
	}

	/** With `content`, all executions try the keys of a content in the same order. */
	startAtFirst(): void {
		if (this.mode !== 'content') return;
		const { first, used = 0 } = historyOf(this.item);
		const firstKey = this.item.batch.earlierRuns.firstKey(contentOf(this.item), first);
		// Another item of the run may have found the job under a later key.
		recordEvent(this.item.memory, { kind: 'startsAtKey', firstKey: Math.max(firstKey, used) });
	}

	/**
	 * In the editor a new execution goes on with a job that a failed one has paid for and given to
	 * nobody: with the oldest of another execution, which nobody else takes.
	 */
	takeUndelivered(): JobReference | undefined {
		const { origin, spec } = this.item;
		if (!origin.isManual || this.mode !== 'execution' || spec.holdsSecret) return undefined;
		const history = knownHistoryOf(this.item);
		const index = history?.undelivered.findIndex(({ runId }) => runId !== origin.runId) ?? -1;
		return index < 0 ? undefined : history?.undelivered.splice(index, 1)[0]?.job;
	}

	/**
	 * The number of the key after a refusal that shows that nothing was done. With `content`, a service
	 * may repeat a 402 for the key whatever the balance is, so the first key that has met none is next.
	 * Unless there may be a job under this one, at a service that looks at the balance first.
	 */
	after(number: number, refusal: Refusal | undefined): number {
		if (this.mode === 'execution') return number + 1;
		if (this.mode !== 'content' || refusal !== 'noCredits') return number;
		const history = historyOf(this.item);
		if (history.used === number) return number;
		return (history.refused = Math.max(number + 1, history.refused));
	}

	/** With `content`: the key to try at once after a 402. */
	nextAfterNoCredits(number: number): number | undefined {
		const { state } = this.item.memory;
		const isFree = this.mode === 'content' && state.is === 'new' && state.firstKey > number;
		return isFree ? state.firstKey : undefined;
	}

	/** With `content`, the other executions of this process start where there is, or may be, a job. */
	noteUse(number: number): void {
		const { memory, workspace } = this.item;
		const job = 'job' in memory.state ? memory.state.job.id : undefined;
		if (this.mode !== 'content' || !(job ?? isOutcomeOpen(memory.state))) return;
		const history = historyOf(this.item);
		if (number >= history.first) Object.assign(history, { first: number, used: number, job });
		// Who forgets it starts with the first key, or takes a 402 for a sign that there is no job: and pays again.
		workspace.keep();
	}

	/** The known job has failed; one of the day before, whose key has expired, says nothing. */
	noteFailure(): void {
		const { state } = this.item.memory;
		if (this.mode !== 'content' || !('job' in state)) return;
		const history = historyOf(this.item);
		const isLast = history.used === state.attempt && (history.job ?? state.job.id) === state.job.id;
		if (isLast) history.first = state.attempt + 1;
	}

	/** Finds out what is there, before anything is created under keys that other executions share. */
	async lookBack(): Promise<void> {
		const { batch, memory } = this.item;
		if (isKeyPersistent(this.item) && !('job' in memory.state))
			await batch.earlierRuns.load(this.item);
	}

	/** Whether a job that looks new may be old and may have ended: under a key that other executions share. */
	mayBeEarlier(id: string): 'likely' | 'possibly' | 'never' {
		return isKeyPersistent(this.item) ? this.item.batch.earlierRuns.mayHave(id) : 'never';
	}

	/**
	 * Whether the next key is tried after a failed job: with `content`, if it is of an earlier run. A job
	 * that this run has made ends the item: whatever fails at once would be paid for again and again.
	 */
	async leadOnFrom(id: string): Promise<boolean> {
		return this.mode === 'content' && (await this.item.batch.earlierRuns.has(this.item, id));
	}
}
