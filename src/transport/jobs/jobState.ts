import { ENDPOINTS, type Endpoint, type Scope } from '../../contract';
import { fail, ok, type Result } from '../base/result';
import { isRecord, type Resource } from '../base/types';

/** The statuses with which a kind of job ends well or badly. */
export interface TerminalStatuses {
	good: readonly string[];
	bad: readonly string[];
}

/** Of agent runs the values of `status` are not shown (specification: AgentRun), so users can set others. */
export const AGENT_TERMINAL_STATUSES: TerminalStatuses = {
	good: ['awaiting_review', 'completed'],
	bad: ['failed'],
};

/** How each kind of job ends. Specification: States and transitions. */
const TERMINAL_STATUSES: Record<string, TerminalStatuses> = {
	generation: { good: ['completed', 'partially_completed'], bad: ['failed'] },
	speech_generation: { good: ['completed'], bad: ['failed'] },
	persona: { good: ['ready'], bad: ['failed'] },
};

/** What ends a job of a kind that is not known: whatever ends one of the known kinds. */
const ANY_TERMINAL_STATUSES: TerminalStatuses = {
	good: ['completed', 'partially_completed', 'ready'],
	bad: ['failed'],
};

/** Where each kind of job is read; whatever else it is, GET /jobs/{id} knows it. */
const READERS: Record<string, Endpoint> = {
	generation: ENDPOINTS.getGeneration,
	speech_generation: ENDPOINTS.getSpeech,
	agent_run: ENDPOINTS.getAgentRun,
	persona: ENDPOINTS.getPersona,
	voice: ENDPOINTS.getVoice,
};

const objectOf = (job: Resource): string => (typeof job.object === 'string' ? job.object : '');

const known = <T>(table: Record<string, T>, name: string): T | undefined =>
	Object.hasOwn(table, name) ? table[name] : undefined;

export type JobState = 'running' | 'good' | 'bad';

/**
 * A status that is unknown or missing counts as running: the deadline ends such a wait, not a guess.
 * @param agentEndings what ends an agent run
 */
export function jobState(
	job: Resource,
	agentEndings: TerminalStatuses = AGENT_TERMINAL_STATUSES,
): JobState {
	const object = objectOf(job);
	const { good, bad } =
		object === 'agent_run'
			? agentEndings
			: (known(TERMINAL_STATUSES, object) ?? ANY_TERMINAL_STATUSES);
	const { status } = job;
	if (typeof status !== 'string') return 'running';
	if (good.includes(status)) return 'good';
	return bad.includes(status) ? 'bad' : 'running';
}

/** An ended job as a result: one that ended badly is a failure that carries it. */
export function toResult(job: Resource, agentEndings?: TerminalStatuses): Result<Resource> {
	if (jobState(job, agentEndings) !== 'bad') return ok(job);
	return fail(
		{ kind: 'jobFailed', reason: statedReason(job) ?? 'failed without a stated reason' },
		job,
	);
}

/** The operation that reads a kind of job. */
export const readerOf = (object: string): Endpoint => known(READERS, object) ?? ENDPOINTS.getJob;

/** The path that reads this job again. */
export function readerPath(job: Resource): string {
	// Half of a surrogate pair cannot be encoded.
	const id = job.id.replace(/\p{Surrogate}/gu, '\ufffd');
	return readerOf(objectOf(job)).path.replace('{id}', encodeURIComponent(id));
}

/** The scope that reading a kind of job needs; `undefined` where the specification shows none. */
export const readerScope = (object: string): Scope | undefined => readerOf(object).scope;

export const isGeneration = (job: Resource): boolean => objectOf(job) === 'generation';

const messageOf = (value: unknown): string | undefined =>
	isRecord(value) && typeof value.message === 'string' && value.message !== ''
		? value.message
		: undefined;

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * Why a job failed wholly or in part. The specification does not show the field (Generation), so the likely places are
 * looked at in order: `error.message`, `errors[].message`, `outputs[].error.message`.
 */
export function statedReason(job: Resource): string | undefined {
	const places = [
		[messageOf(job.error)],
		list(job.errors).map(messageOf),
		list(job.outputs).map((output) => messageOf(isRecord(output) ? output.error : undefined)),
	];
	for (const messages of places) {
		const said = [...new Set(messages.filter((message) => message !== undefined))];
		if (said.length > 0) return said.join('; ');
	}
	return undefined;
}
