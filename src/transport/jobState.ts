import { ENDPOINTS, textOf, type Endpoint } from '../api';
import { BoundedMap } from '../base/boundedMap';
import { fail, ok, type Failed, type Result } from '../base/result';
import { asText, isRecord, type Json, type Resource } from '../base/types';
import { messageIn, plainText } from './bodies';

export interface TerminalStatuses {
	good: readonly string[];
	bad: readonly string[];
}

/** Statuses of agent runs, as far as the nodes know any (specification: AgentRun shows none). */
export const AGENT_STATUS = {
	planned: 'plan_proposed',
	atReview: 'awaiting_review',
	completed: 'completed',
	failed: 'failed',
} as const;

const { planned, atReview, completed, failed } = AGENT_STATUS;

/**
 * The statuses with which an agent run has ended or waits for a person, after each of its steps; users
 * can set others. After an approval, the plan
 * that is approved is not what is waited for, and after a review the gate is not.
 */
export const AGENT_STATUSES = {
	any: { good: [planned, atReview, completed], bad: [failed] },
	afterApproval: { good: [atReview, completed], bad: [failed] },
	afterReview: { good: [completed], bad: [failed] },
} as const satisfies Record<string, TerminalStatuses>;

/**
 * Where each kind of job is read, and the statuses with which it ends well (specification: States and
 * transitions).
 */
const KINDS: Record<string, { reader: Endpoint; good?: readonly string[] }> = {
	generation: { reader: ENDPOINTS.getGeneration, good: ['completed', 'partially_completed'] },
	speech_generation: { reader: ENDPOINTS.getSpeech, good: ['completed'] },
	persona: { reader: ENDPOINTS.getPersona, good: ['ready'] },
	agent_run: { reader: ENDPOINTS.getAgentRun },
	voice: { reader: ENDPOINTS.getVoice },
};

/** For a job of any other kind: whatever ends a known one well. */
const ANY_GOOD = ['completed', 'partially_completed', 'ready'];

const knownKind = (object: unknown) =>
	typeof object === 'string' && Object.hasOwn(KINDS, object) ? KINDS[object] : undefined;

/**
 * `good` and `bad` are ends. A partially completed generation is good, and so is an agent run that
 * waits for a person.
 */
export type JobState = 'running' | 'good' | 'bad';

/**
 * A status that is unknown or missing counts as running: such a wait ends at its deadline, not by a
 * guess.
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
 * Whether a job holds a slot: only with a status that is known to be one of a job that runs (specification:
 * States and transitions). One with another word, such as `canceled`, may have ended: it is waited for, and
 * holds nothing.
 */
export const holdsSlot = ({ status }: Json): boolean => status === 'queued' || status === 'pending';

/** More than any service has. */
const MOST_WORDS = 20;

/** Words of a service for a job that runs, beside those of the specification. */
export class RunningWords {
	private readonly words = new BoundedMap<unknown, true>(MOST_WORDS);

	/** Takes how a job was last seen that has ended well: that is a word for one that runs. */
	learn({ status }: Json): void {
		if (typeof status === 'string') this.words.set(status, true);
	}

	/** Whether a job holds a slot, as {@link holdsSlot}, or with one of these words. */
	holdsSlot(job: Json): boolean {
		return holdsSlot(job) || this.words.has(job.status);
	}
}

const ABOUT_CREDITS = /credit|balance|budget/i;
const TOO_FEW =
	/insufficient|not enough|too few|exhausted|used up|r[ua]n out|out of|no[ _]credits|top.?up/i;

/**
 * What a job has failed for lack of: its errors, whose types and words the specification does not show, speak
 * of credits that are too few.
 */
function lackOf({ error, errors }: Resource, reason: string): 'credits' | 'budget' | undefined {
	const types = [error, errors].flat().map((one) => (isRecord(one) ? asText(one.type) : ''));
	const said = [...types, reason].filter((text) => ABOUT_CREDITS.test(text) && TOO_FEW.test(text));
	if (said.length === 0) return undefined;
	return said.some((text) => /budget/i.test(text)) ? 'budget' : 'credits';
}

/** An ended job as a result: if it ended badly, a failure with the job. */
export const toResult = (job: Resource, agentStatuses?: TerminalStatuses): Result<Resource> =>
	jobState(job, agentStatuses) === 'bad' ? failureOf(job) : ok(job);

/** What a job that has ended badly is to its item. */
export function failureOf(job: Resource): Failed {
	const reason = statedReason(job) ?? 'failed without a stated reason';
	return fail({ kind: 'jobFailed', reason, lacks: lackOf(job, reason) }, job);
}

/** Where a kind of job is read, by the `object` of its resource: GET /jobs/{id} reads any. */
export const readerOf = (object: unknown): Endpoint =>
	knownKind(object)?.reader ?? ENDPOINTS.getJob;

export function readerPath({ id, object }: Resource): string {
	// A lone surrogate cannot be encoded.
	const encodable = id.replace(/\p{Surrogate}/gu, '\ufffd');
	return readerOf(object).path.replace('{id}', encodeURIComponent(encodable));
}

/** Whether the list of generations shows the job. */
export const isGeneration = ({ object }: Resource): boolean => object === 'generation';

/**
 * Why a job failed wholly or in part. The specification does not name the field (Generation), so
 * the likely ones are tried in order: `error`, `errors[]`,
 * `outputs[].error`.
 */
export function statedReason({ error, errors, outputs }: Resource): string | undefined {
	const ofOutputs = [outputs].flat().map((output) => isRecord(output) && output.error);
	for (const candidates of [[error], [errors].flat(), ofOutputs]) {
		const messages = candidates.map((each) => messageIn(each));
		const reasons = new Set(messages.filter((message) => message !== undefined));
		if (reasons.size > 0) return plainText([...reasons].join('; '));
	}
	return undefined;
}

const MEDIA_OBJECTS = new Set<unknown>(['generation', 'speech_generation']);

/** Whether a resource is a job whose outputs are files. */
export const isMedia = ({ object }: Json): boolean => MEDIA_OBJECTS.has(object);

/**
 * The outputs of a job that can be downloaded: `outputs` of a generation, `output` of a speech generation.
 */
export const filesIn = ({ outputs, output }: Json): Json[] =>
	(Array.isArray(outputs) ? outputs : [output])
		.filter(isRecord)
		.filter(({ url }) => textOf(url) !== undefined);

/** How many outputs a job says that it has, whether or not it shows where they are. */
export const outputCount = ({ outputs, output_ids: ids }: Json): number =>
	Math.max(...[outputs, ids].map((list) => (Array.isArray(list) ? list.length : 0)));

/**
 * Whether media that have ended well are shown without files, or without all of them: as in a list, in
 * an event or in the answer to a repeated creation, which may show less than the job itself.
 */
export function lacksOutputs(job: Json): boolean {
	if (!isMedia(job)) return false;
	// Of a job that was made in part nobody knows how many there are.
	const expected = job.status === 'completed' ? Math.max(1, outputCount(job)) : 1;
	return filesIn(job).length < expected;
}
