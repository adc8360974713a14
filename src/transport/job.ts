import { ENDPOINTS } from '../contract';
import { isRecord, type Resource } from './types';

/** How each kind of job ends. Specification: States and transitions. */
const ENDINGS: Record<string, { good: readonly string[]; bad: readonly string[] }> = {
	generation: { good: ['completed', 'partially_completed'], bad: ['failed'] },
	speech_generation: { good: ['completed'], bad: ['failed'] },
	persona: { good: ['ready'], bad: ['failed'] },
};

/** Where each kind of job is read; whatever else it is, GET /jobs/{id} knows it. */
const READERS: Record<string, string> = {
	generation: ENDPOINTS.getGeneration.path,
	speech_generation: ENDPOINTS.getSpeech.path,
	agent_run: ENDPOINTS.getAgentRun.path,
	persona: ENDPOINTS.getPersona.path,
};

const objectOf = (job: Resource): string => (typeof job.object === 'string' ? job.object : '');

export type JobState = 'running' | 'good' | 'bad';

/** A status that is unknown or missing counts as running: the deadline ends such a wait, not a guess. */
export function jobState(job: Resource): JobState {
	const endings = ENDINGS[objectOf(job)];
	const status = String(job.status);
	if (endings?.good.includes(status)) return 'good';
	return endings?.bad.includes(status) ? 'bad' : 'running';
}

/** The path that reads this job again. */
export function readerPath(job: Resource): string {
	const path = READERS[objectOf(job)] ?? ENDPOINTS.getJob.path;
	return path.replace('{id}', encodeURIComponent(job.id));
}

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
