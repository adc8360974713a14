import { EVENTS, type EventKind } from '../contract';
import { isOver, type Wait } from './pendingWaits';

/** The events that announce the end of each kind of job. */
const KINDS: Record<string, readonly EventKind[]> = {
	generation: ['generation.completed', 'generation.failed'],
	speech_generation: ['generation.completed', 'generation.failed'],
	agent_run: ['agent.review_required', 'agent.completed', 'agent.failed'],
	persona: ['persona.ready', 'persona.failed'],
};

const ANY_JOB = EVENTS.filter((kind) => kind !== 'voice.created');

/** The events that a parked execution needs to be sent. */
export function kindsFor(waits: Wait[]): EventKind[] {
	const pending = waits.filter((wait) => !isOver(wait)).map(({ ref }) => ref.object ?? '');
	const kinds = pending.flatMap(
		(object) => (Object.hasOwn(KINDS, object) ? KINDS[object] : undefined) ?? ANY_JOB,
	);
	return [...new Set(kinds)];
}
