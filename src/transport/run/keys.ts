import { createHash } from 'crypto';
import { ENDPOINTS, LIMITS } from '../../contract';
import { BoundedMap } from '../base/boundedMap';
import { fail, ok, type Failed, type Result } from '../base/result';
import { isRecord, isResource, type Resource } from '../base/types';
import { pageOf, readPages } from '../http/client';
import type { Workspace } from '../workspace';
import type { Item } from './item';
import { isKeyExpired, knownJobIds, type JobReference, type Sent } from './itemState';

/**
 * The idempotency keys of an item (specification: Operation details, Idempotency-Key). Each request
 * has a number, from 0; a later number is a new request:
 *
 * | Avoid Paying Twice               | the key of number n is made of           |
 * | -------------------------------- | ---------------------------------------- |
 * | On Retries (`execution`)         | the execution, the item, n               |
 * | Same Request Within 24 Hours (`content`) | the node, the request with its files, n |
 * | Own Key (`custom`)               | what the user gave, whatever n is        |
 * | Off (`none`)                     | nothing: there is none                   |
 */
export function keyOf(
	{ settings, origin }: Pick<Item, 'settings' | 'origin'>,
	requestFingerprint: string,
	number: number,
): string | undefined {
	switch (settings.idempotency) {
		case 'none':
			return undefined;
		case 'custom':
			return settings.idempotencyKey;
		case 'content':
			return `n8n-${sha256(`${origin.node}\n${requestFingerprint}\n${number}`)}`;
		case 'execution':
			return `n8n-${sha256(`${origin.runId}\n${origin.item}\n${number}`)}`;
	}
}

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

/**
 * Claims the custom key for a request, before anything is sent. Under one key for different
 * requests, every item would get the media of the first one, so this is refused, also if the other
 * item was in an earlier run of the node in this execution.
 */
export function claimCustomKey(
	{ settings, node, origin, batch, itemIndex }: Item,
	requestFingerprint: string,
): void {
	if (settings.idempotency !== 'custom') return;
	const keys = (node.keys ??= {});
	const name = shortHash(settings.idempotencyKey);
	const use = keys[name];
	if (!use || use.item === origin.item) {
		keys[name] = { fingerprint: requestFingerprint, item: origin.item };
		return;
	}
	if (use.fingerprint === requestFingerprint) return;
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
export class ContentHistory {
	/** With `content`: the number to start with; those before it led to failed jobs. */
	first = 0;
	/** The number under which there is, or may be, a job. */
	used: number | undefined;
	/** The id of that job, once it is known. */
	private job: string | undefined;
	/** How many, counted from 0, were refused for lack of credits. */
	private refused = 0;
	/** With `execution`: jobs that failed executions have paid for and given to nobody, oldest first. */
	private undelivered: Array<{ job: JobReference; runId: string }> = [];

	/** @param since when it was first tried, in milliseconds since the epoch */
	constructor(readonly since: number) {}

	/** There is, or may be, a job under this number. */
	noteUse(number: number, job?: string): void {
		if (number < this.first) return;
		this.first = this.used = number;
		this.job = job;
	}

	/** A job under this number has failed; one of the day before, whose key has expired, says nothing. */
	noteFailure(number: number, job: string): void {
		if (this.used === number && (this.job ?? job) === job) this.first = number + 1;
	}

	/**
	 * The number of the key after a 402. Under this one there may be a job, at a service that looks at
	 * the balance first: then it stays. Otherwise a service may repeat its refusal for the key whatever
	 * the balance is, so the next one is the first that has not met any.
	 */
	afterNoCredits(number: number): number {
		if (this.used === number) return number;
		this.refused = Math.max(number + 1, this.refused);
		return this.refused;
	}

	/** @param runId of the failed execution that has the job */
	addUndelivered(job: JobReference, runId: string): void {
		if (!this.undelivered.some((one) => one.job.id === job.id))
			this.undelivered.push({ job, runId });
	}

	/** A job was delivered after all, such as by Retry Execution. */
	noteDelivery({ id }: JobReference): void {
		this.undelivered = this.undelivered.filter(({ job }) => job.id !== id);
	}

	/** The oldest job of another execution, which nobody else takes. */
	takeUndelivered(runId: string): JobReference | undefined {
		const known = this.undelivered.find((one) => one.runId !== runId);
		if (known) this.noteDelivery(known.job);
		return known?.job;
	}
}

/** More than run at once in any workspace, and little memory. */
const MAX_CONTENTS = 1_000;

type OfContent = Pick<Item, 'workspace' | 'origin' | 'memory'>;

const histories = new WeakMap<Workspace, BoundedMap<string, ContentHistory>>();

export function knownHistoryOf(item: OfContent): ContentHistory | undefined {
	const { workspace } = item;
	const known = histories.get(workspace)?.get(contentOf(item));
	return known && !isKeyExpired(known.since, workspace.clock.now()) ? known : undefined;
}

export function historyOf(item: OfContent): ContentHistory {
	const { workspace } = item;
	const history = knownHistoryOf(item) ?? new ContentHistory(workspace.clock.now());
	const known = histories.get(workspace) ?? new BoundedMap<string, ContentHistory>(MAX_CONTENTS);
	histories.set(workspace, known.set(contentOf(item), history));
	return history;
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
