import { ENDPOINTS, textOf, type Endpoint } from '../api';
import { BoundedMap } from '../base/maps';
import { isRecord, type Json, type Resource } from '../base/types';

export interface TerminalStatuses {
	good: readonly string[];
	bad: readonly string[];
}

/** The statuses of agent runs that the nodes know. The specification shows none (AgentRun). */
export const AGENT_STATUS = {
	planned: 'plan_proposed',
	atReview: 'awaiting_review',
	completed: 'completed',
	failed: 'failed',
} as const;

const { planned, atReview, completed, failed } = AGENT_STATUS;

/**
 * The statuses that end the wait for an agent run after each of its steps: the run has ended, or waits for a
 * person. Users can set others. After an approval the wait does not end with the plan that was approved, and
 * after a review not with the gate that was reviewed.
 */
export const AGENT_STATUSES = {
	any: { good: [planned, atReview, completed], bad: [failed] },
	afterApproval: { good: [atReview, completed], bad: [failed] },
	afterReview: { good: [completed], bad: [failed] },
} as const satisfies Record<string, TerminalStatuses>;

/**
 * By the `object` of a job: where it is read, and the statuses with which it ends well (specification: States
 * and transitions).
 */
const KINDS: Record<string, { reader: Endpoint; good?: readonly string[] }> = {
	generation: { reader: ENDPOINTS.getGeneration, good: ['completed', 'partially_completed'] },
	speech_generation: { reader: ENDPOINTS.getSpeech, good: ['completed'] },
	persona: { reader: ENDPOINTS.getPersona, good: ['ready'] },
	agent_run: { reader: ENDPOINTS.getAgentRun },
	voice: { reader: ENDPOINTS.getVoice },
};

/** For other kinds of jobs: every status with which any known kind ends well. */
const ANY_GOOD = ['completed', 'partially_completed', 'ready'];

const knownKind = (object: unknown) =>
	typeof object === 'string' && Object.hasOwn(KINDS, object) ? KINDS[object] : undefined;

/**
 * `good` and `bad` mean that the job has ended. A partially completed generation is good, and so is an agent
 * run that waits for a person.
 */
export type JobState = 'running' | 'good' | 'bad';

/**
 * The state of a job. An unknown or missing status counts as running: the wait for such a job ends at its
 * deadline, not by a guess.
 * @param agentStatuses the statuses that end an agent run
 */
export function jobState(
	job: Json,
	agentStatuses: TerminalStatuses = AGENT_STATUSES.any,
): JobState {
	const { object, status } = job;
	const ofKind = { good: knownKind(object)?.good ?? ANY_GOOD, bad: ['failed'] };
	const { good, bad } = object === 'agent_run' ? agentStatuses : ofKind;
	if (typeof status !== 'string') return 'running';
	if (good.includes(status)) return 'good';
	return bad.includes(status) ? 'bad' : 'running';
}

/**
 * Whether a job holds a slot: only with a status that the specification gives to a job that runs (States and
 * transitions). A job with an unknown status, such as `canceled`, may have ended. It is waited for, but it
 * counts for no slot.
 */
export const holdsSlot = ({ status }: Json): boolean => status === 'queued' || status === 'pending';

/** More words than any service has. */
const MOST_WORDS = 20;

/**
 * The words of a service for a job that runs which the specification does not have, such as `processing`:
 * it shows no transitions out of `queued`. By {@link holdsSlot} alone, a job with such a word would hold no
 * slot, and most creations would be sent too early and refused: a batch takes three times as long
 * (`test/transport/sharing.test.ts`).
 */
export class RunningWords {
	private readonly words = new BoundedMap<unknown, true>(MOST_WORDS);

	/** A job has ended well. The status with which it was seen before is a word for a job that runs. */
	learn({ status }: Json): void {
		if (typeof status === 'string') this.words.set(status, true);
	}

	/** Whether a job holds a slot: by {@link holdsSlot}, or because its status is one of these words. */
	holdsSlot(job: Json): boolean {
		return holdsSlot(job) || this.words.has(job.status);
	}
}

/** Where a job is read, by its `object`. GET /jobs/{id} reads a job of any kind. */
export const readerOf = (object: unknown): Endpoint =>
	knownKind(object)?.reader ?? ENDPOINTS.getJob;

export function readerPath({ id, object }: Resource): string {
	// A lone surrogate cannot be encoded.
	const encodable = id.replace(/\p{Surrogate}/gu, '\ufffd');
	return readerOf(object).path.replace('{id}', encodeURIComponent(encodable));
}

const MEDIA_OBJECTS = new Set<unknown>(['generation', 'speech_generation']);

/** Whether a resource is a job whose outputs are files. */
export const isMedia = ({ object }: Json): boolean => MEDIA_OBJECTS.has(object);

/** The outputs of a job that can be downloaded. A generation has `outputs`, a speech generation `output`. */
export const filesIn = ({ outputs, output }: Json): Json[] =>
	(Array.isArray(outputs) ? outputs : [output])
		.filter(isRecord)
		.filter(({ url }) => textOf(url) !== undefined);

/** How many outputs a job says it has, whether or not it shows links to them. */
export const outputCount = ({ outputs, output_ids: ids }: Json): number =>
	Math.max(...[outputs, ids].map((list) => (Array.isArray(list) ? list.length : 0)));

/**
 * Whether a job that has ended well is shown without all of its outputs. A list, an event and the answer to a
 * repeated creation may show less than a read of the job.
 */
export function lacksOutputs(job: Json): boolean {
	if (!isMedia(job)) return false;
	// A partially completed job does not say how many outputs it has.
	const expected = job.status === 'completed' ? Math.max(1, outputCount(job)) : 1;
	return filesIn(job).length < expected;
}
