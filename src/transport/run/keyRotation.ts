import type { Batch } from './batch';
import type { Item } from './item';
import { listGenerations } from './listGenerations';

/** How many keys of the same content a run tries at most. */
const MAX_KEYS = 5;

interface FailedJob {
	id: string;
	/** Whether it had already failed when it was first polled. */
	endedAtFirstPoll: boolean;
	/** Whether this execution already knew that it had failed. */
	wasKnownToFail: boolean;
}

/**
 * By Content, the job under a key may belong to an earlier run and may have failed there; this run
 * then uses the next key. It must not mistake a job of its own for an earlier one, or it would keep
 * paying for a request that always fails. So it creates a job for the content at most once, and
 * skips further keys only if their jobs are certain to be older. Shared by all items of a run that
 * have this content.
 */
export class KeyRotation {
	private readonly decisions = new Map<string, Promise<boolean>>();

	/** Ids of the jobs that existed before this run created one. */
	private olderJobs: Set<string> | undefined;

	private readonly startedAt: number;

	private hasCreated = false;

	private keysTried = 1;

	constructor({ workspace }: Pick<Item, 'workspace'>) {
		this.startedAt = workspace.creations.failureCount;
	}

	/** Whether the run may use the next key, given that the job under this one has failed. */
	async mayRotate(item: Item, job: FailedJob): Promise<boolean> {
		const decision = this.decisions.get(job.id) ?? this.decide(item, job);
		this.decisions.set(job.id, decision);
		return await decision;
	}

	private async decide(
		item: Item,
		{ id, endedAtFirstPoll, wasKnownToFail }: FailedJob,
	): Promise<boolean> {
		if (this.keysTried >= MAX_KEYS) return false;
		const isOlder = wasKnownToFail || (this.olderJobs?.has(id) ?? false);
		const failedBefore = item.workspace.creations.hadFailed(id, this.startedAt);
		if (isOlder || failedBefore) {
			this.keysTried += 1;
			return true;
		}
		if (!endedAtFirstPoll || this.hasCreated) return false;
		this.hasCreated = true;
		this.keysTried += 1;
		this.olderJobs = await listOlderJobs(item);
		return true;
	}
}

/** The rotations of a run of the node, by content. */
const rotations = new WeakMap<Batch, Map<string, KeyRotation>>();

/** The rotation shared by all items of this run that have the same content. */
export function keyRotationOf(item: Item): KeyRotation {
	const { batch, memory } = item;
	const content = memory.fingerprint ?? '';
	const ofRun = rotations.get(batch) ?? new Map<string, KeyRotation>();
	rotations.set(batch, ofRun);
	const rotation = ofRun.get(content) ?? new KeyRotation(item);
	ofRun.set(content, rotation);
	return rotation;
}

/** Only generations can be listed; for other kinds of jobs none is known to be older. */
async function listOlderJobs(item: Item): Promise<Set<string>> {
	if (item.spec.object !== 'generation') return new Set();
	const listed = await listGenerations(item);
	return new Set(listed.ok ? listed.value.map(({ id }) => id) : []);
}
