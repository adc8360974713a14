import { createHash } from 'crypto';
import { LIMITS } from '../../contract';
import { fail, type Failed } from '../base/result';
import { BoundedMap } from '../base/boundedMap';
import { isRecord } from '../base/types';
import { withoutReferences } from './binaryReference';
import type { Workspace } from '../workspace';
import type { Item } from './item';
import { isKeyExpired, type JobReference } from './itemState';

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

/**
 * A stable hash of a request: keys sorted, files represented by their identity instead of their
 * upload URL.
 */
export function fingerprint(body: unknown, identities: Record<string, string>): string {
	const named = withoutReferences(body, (field) => ({ binary: identities[field] }));
	const text = JSON.stringify(named, (_name, value: unknown) =>
		isRecord(value)
			? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
			: value,
	);
	return shortHash(text);
}

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
 * With `content`: what the executions of this process know of the keys of one content. Other processes
 * find the same by asking the service, from the first key on.
 */
export class KeysOfContent {
	/** The number to start with; those before it led to failed jobs. */
	first = 0;
	/** The number under which there is, or may be, a job. */
	used: number | undefined;
	/** The id of that job, once it is known. */
	private job: string | undefined;
	/** How many, counted from 0, were refused for lack of credits. */
	private refused = 0;

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
}

/** More than run at once in any workspace, and little memory. */
const MAX_CONTENTS = 1_000;

const contents = new WeakMap<Workspace, BoundedMap<string, KeysOfContent>>();

/** What this process knows of the keys for the content of an item, for as long as the service keeps them. */
export function keysOfContent(item: Pick<Item, 'workspace' | 'origin' | 'memory'>): KeysOfContent {
	const { workspace } = item;
	const known = contents.get(workspace) ?? new BoundedMap<string, KeysOfContent>(MAX_CONTENTS);
	contents.set(workspace, known);
	const now = workspace.clock.now();
	const content = contentOf(item);
	const former = known.get(content);
	const keys = former && !isKeyExpired(former.since, now) ? former : new KeysOfContent(now);
	known.set(content, keys);
	return keys;
}
