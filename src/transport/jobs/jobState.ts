import { ENDPOINTS, type Endpoint, type Scope } from '../../contract';
import { fail, ok, type Result } from '../base/result';
import { isRecord, type Json, type Resource } from '../base/types';

/** The statuses with which a kind of job ends well or badly. */
export interface TerminalStatuses {
	good: readonly string[];
	bad: readonly string[];
}

/** They are not documented (specification: AgentRun), so users can set others. */
export const AGENT_TERMINAL_STATUSES: TerminalStatuses = {
	good: ['awaiting_review', 'completed'],
	bad: ['failed'],
};

/** The statuses that end each kind of job. Specification: States and transitions. */
const TERMINAL_STATUSES: Record<string, TerminalStatuses> = {
	generation: { good: ['completed', 'partially_completed'], bad: ['failed'] },
	speech_generation: { good: ['completed'], bad: ['failed'] },
	persona: { good: ['ready'], bad: ['failed'] },
};

/** For a job of unknown kind: whatever ends a job of a known kind. */
const ANY_TERMINAL_STATUSES: TerminalStatuses = {
	good: ['completed', 'partially_completed', 'ready'],
	bad: ['failed'],
};

/** Where each kind of job is read; GET /jobs/{id} reads any other. */
const READERS: Record<string, Endpoint> = {
	generation: ENDPOINTS.getGeneration,
	speech_generation: ENDPOINTS.getSpeech,
	agent_run: ENDPOINTS.getAgentRun,
	persona: ENDPOINTS.getPersona,
	voice: ENDPOINTS.getVoice,
};

const objectOf = (job: Json): string => (typeof job.object === 'string' ? job.object : '');

const known = <T>(table: Record<string, T>, name: string): T | undefined =>
	Object.hasOwn(table, name) ? table[name] : undefined;

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
	const object = objectOf(job);
	const { good, bad } =
		object === 'agent_run'
			? agentStatuses
			: (known(TERMINAL_STATUSES, object) ?? ANY_TERMINAL_STATUSES);
	const { status } = job;
	if (typeof status !== 'string') return 'running';
	if (good.includes(status)) return 'good';
	return bad.includes(status) ? 'bad' : 'running';
}

/** An ended job as a result: if it ended badly, a failure with the job. */
export function toResult(job: Resource, agentStatuses?: TerminalStatuses): Result<Resource> {
	if (jobState(job, agentStatuses) !== 'bad') return ok(job);
	return fail(
		{ kind: 'jobFailed', reason: statedReason(job) ?? 'failed without a stated reason' },
		job,
	);
}

export const readerOf = (object: string): Endpoint => known(READERS, object) ?? ENDPOINTS.getJob;

export function readerPath(job: Resource): string {
	// A lone surrogate cannot be encoded.
	const id = job.id.replace(/\p{Surrogate}/gu, '\ufffd');
	return readerOf(objectOf(job)).path.replace('{id}', encodeURIComponent(id));
}

/** The scope that this needs; `undefined` if the specification names none. */
export const readerScope = (object: string): Scope | undefined => readerOf(object).scope;

/** Whether the list of generations shows the job. */
export const isGeneration = (job: Resource): boolean => objectOf(job) === 'generation';

const messageOf = (value: unknown): string | undefined =>
	isRecord(value) && typeof value.message === 'string' && value.message !== ''
		? value.message
		: undefined;

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * Why a job failed wholly or in part. The specification does not name the field (Generation), so
 * the likely ones are tried in order: `error.message`, `errors[].message`,
 * `outputs[].error.message`.
 */
export function statedReason(job: Resource): string | undefined {
	const candidates = [
		[messageOf(job.error)],
		list(job.errors).map(messageOf),
		list(job.outputs).map((output) => messageOf(isRecord(output) ? output.error : undefined)),
	];
	for (const messages of candidates) {
		const reasons = [...new Set(messages.filter((message) => message !== undefined))];
		if (reasons.length > 0) return reasons.join('; ');
	}
	return undefined;
}

/** The outputs of a job: `outputs` of a generation, `output` of a speech generation. */
export const outputsIn = ({ outputs, output }: Json): unknown[] =>
	Array.isArray(outputs) ? outputs : [output];
