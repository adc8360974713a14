import type { MediaGenEvent } from './event';
import type { Json } from './json';

/** What a user wants to be told of; an empty list wants everything. */
export interface Filters {
	modes: readonly string[];
	models: readonly string[];
	statuses: readonly string[];
	resourceIds: readonly string[];
}

/** `unknown`: the resource has to be read to tell. */
export type Verdict = 'wanted' | 'unwanted' | 'unknown';

/** Whose events begin with the name of something that is not made by a model. */
const FAMILIES = new Map([
	['agent', 'agent_run'],
	['voice', 'voice'],
	['persona', 'persona'],
]);

/** The kind of a resource by its own word, else by the event's kind. */
export function objectOf({ kind, resource }: MediaGenEvent): string {
	if (typeof resource?.object === 'string') return resource.object;
	const [family = ''] = kind.split('.');
	return FAMILIES.get(family) ?? '';
}

const MADE_BY_MODEL = ['generation', 'speech_generation', ''];
const WITH_STATUS = [...MADE_BY_MODEL, 'agent_run', 'persona'];

function judge(wanted: readonly string[], value: unknown): Verdict {
	if (wanted.length === 0) return 'wanted';
	if (value === undefined) return 'unknown';
	// Not `String(value)`: there is JSON that cannot be made a text.
	return typeof value === 'string' && wanted.includes(value) ? 'wanted' : 'unwanted';
}

/**
 * Whether the user wants this event. A filter speaks of the resources that have its field: modes and models of generations and
 * speech (whose mode is audio), statuses of all but voices; it lets the others pass.
 */
export function verdictOf(event: MediaGenEvent, filters: Filters): Verdict {
	const object = objectOf(event);
	const { mode, model, status }: Json = event.resource ?? {};
	const verdicts = [judge(filters.resourceIds, event.resourceId ?? '')];
	if (MADE_BY_MODEL.includes(object)) {
		verdicts.push(judge(filters.modes, object === 'speech_generation' ? 'audio' : mode));
		verdicts.push(judge(filters.models, model));
	}
	if (WITH_STATUS.includes(object)) verdicts.push(judge(filters.statuses, status));
	if (verdicts.includes('unwanted')) return 'unwanted';
	return verdicts.includes('unknown') ? 'unknown' : 'wanted';
}
