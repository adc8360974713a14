import type { MediaGenEvent } from './event';
import type { Json } from '../contract';

/** Which events a user wants; an empty list means all of them. */
export interface Filters {
	modes: readonly string[];
	models: readonly string[];
	statuses: readonly string[];
	resourceIds: readonly string[];
}

/** `unknown`: the resource must be read to decide. */
export type Verdict = 'wanted' | 'unwanted' | 'unknown';

/** Whose events begin with the name of something that is not made by a model. */
const OBJECT_BY_PREFIX = new Map([
	['agent', 'agent_run'],
	['voice', 'voice'],
	['persona', 'persona'],
]);

/** The kind of a resource by its own word, else by the event's kind. */
export function objectOf({ kind, resource }: MediaGenEvent): string {
	if (typeof resource?.object === 'string') return resource.object;
	const [prefix = ''] = kind.split('.');
	return OBJECT_BY_PREFIX.get(prefix) ?? '';
}

const MADE_BY_MODEL = ['generation', 'speech_generation', ''];
const WITH_STATUS = [...MADE_BY_MODEL, 'agent_run', 'persona'];

function compare(wanted: readonly string[], value: unknown): Verdict {
	if (wanted.length === 0) return 'wanted';
	if (value === undefined || value === null) return 'unknown';
	// Not `String(value)`, which throws for some JSON.
	return wanted.some((each) => each === value) ? 'wanted' : 'unwanted';
}

/**
 * Whether the user wants this event. A filter speaks of the resources that have its field: modes
 * and models of generations and speech (whose mode is audio), statuses of all but voices; it lets
 * the others pass.
 */
export function verdictOf(event: MediaGenEvent, filters: Filters): Verdict {
	const object = objectOf(event);
	const { mode, model, status }: Json = event.resource ?? {};
	const verdicts = [compare(filters.resourceIds, event.resourceId ?? '')];
	if (MADE_BY_MODEL.includes(object)) {
		verdicts.push(compare(filters.modes, object === 'speech_generation' ? 'audio' : mode));
		verdicts.push(compare(filters.models, model));
	}
	if (WITH_STATUS.includes(object)) verdicts.push(compare(filters.statuses, status));
	if (verdicts.includes('unwanted')) return 'unwanted';
	return verdicts.includes('unknown') ? 'unknown' : 'wanted';
}
