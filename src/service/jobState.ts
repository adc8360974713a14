import { ENDPOINTS, type Endpoint } from '../contract';
import { fail, ok, type Result } from '../base/result';
import { isRecord, type Json, type Resource } from '../base/types';
import { messageIn, plainText } from './bodies';

export interface TerminalStatuses {
	good: readonly string[];
	bad: readonly string[];
}

/** Not documented (specification: AgentRun), so users can set others. */
export const AGENT_TERMINAL_STATUSES: TerminalStatuses = {
	good: ['awaiting_review', 'completed'],
	bad: ['failed'],
};

/** Where each kind of job is read, and the statuses with which it ends well (specification: States and transitions). */
const KINDS: Record<string, { reader: Endpoint; good?: readonly string[] }> = {
	generation: { reader: ENDPOINTS.getGeneration, good: ['completed', 'partially_completed'] },
	speech_generation: { reader: ENDPOINTS.getSpeech, good: ['completed'] },
	persona: { reader: ENDPOINTS.getPersona, good: ['ready'] },
	agent_run: { reader: ENDPOINTS.getAgentRun },
	voice: { reader: ENDPOINTS.getVoice },
};

/** For a job of any other kind: whatever ends a known one well. */
const ANY_GOOD = ['completed', 'partially_completed', 'ready'];

const kindOf = (object: unknown) =>
	typeof object === 'string' && Object.hasOwn(KINDS, object) ? KINDS[object] : undefined;

/** `good` and `bad` are ends. A partially completed generation is good. */
export type JobState = 'running' | 'good' | 'bad';

/**
 * A status that is unknown or missing counts as running: such a wait ends at its deadline, not by a
 * guess.
 * @param agentStatuses the statuses that end an agent run
 */
export function jobState(
	job: Json,
	agentStatuses: TerminalStatuses = AGENT_TERMINAL_STATUSES,
): JobState {
	const { object, status } = job;
	const ofKind = { good: kindOf(object)?.good ?? ANY_GOOD, bad: ['failed'] };
	const { good, bad } = object === 'agent_run' ? agentStatuses : ofKind;
	if (typeof status !== 'string') return 'running';
	if (good.includes(status)) return 'good';
	return bad.includes(status) ? 'bad' : 'running';
}

/** An ended job as a result: if it ended badly, a failure with the job. */
export function toResult(job: Resource, agentStatuses?: TerminalStatuses): Result<Resource> {
	if (jobState(job, agentStatuses) !== 'bad') return ok(job);
	const reason = statedReason(job) ?? 'failed without a stated reason';
	return fail({ kind: 'jobFailed', reason }, job);
}

/** Where a kind of job is read, by the `object` of its resource: GET /jobs/{id} reads any. */
export const readerOf = (object: unknown): Endpoint => kindOf(object)?.reader ?? ENDPOINTS.getJob;

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

/** The outputs of a job: `outputs` of a generation, `output` of a speech generation. */
export const outputsIn = ({ outputs, output }: Json): unknown[] =>
	Array.isArray(outputs) ? outputs : [output];
