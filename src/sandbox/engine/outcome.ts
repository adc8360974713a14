import type { JobOutcome, JobProblem } from '../state/entities';
import type { FaultSubject } from '../http/faults';
import type { Service } from '../service';

/**
 * How a job will end. Faults of the admin path come first; then, as a fiction for people and tests,
 * a text that contains `[fail]` or `[partial]`.
 */
export function outcomeOf({ faults }: Service, subject: FaultSubject): JobOutcome {
	if (faults.take('job_fail', subject)) return 'fail';
	if (faults.take('job_partial', subject)) return 'partial';
	if (subject.text?.includes('[fail]')) return 'fail';
	return subject.text?.includes('[partial]') ? 'partial' : 'succeed';
}

/** Which of the outputs fail: all, the last one, or none. */
export function failedOutputs(outcome: JobOutcome, count: number): Set<number> {
	if (outcome === 'fail') return new Set(Array.from({ length: count }, (_, index) => index));
	return new Set(outcome === 'partial' ? [count - 1] : []);
}

export function problem(output?: string): JobProblem {
	const message = 'The model could not make this output.';
	return { type: 'generation_failed', message, output };
}

/** The instant at which a job is done: its kind's time, longer or shorter by a seeded share. */
export function dueAt(
	{ clock, random, settings }: Service,
	kind: keyof Service['settings']['jobSeconds'],
	id: string,
): number {
	const seconds = settings.jobSeconds[kind] * random.jitter(`duration:${id}`, settings.jobJitter);
	return clock.ahead(seconds);
}
