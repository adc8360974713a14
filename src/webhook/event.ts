import { EVENTS } from '../contract';
import { isRecord, textOf, type Json } from './json';

/** What can be told of an event. The shape of its payload is not shown (specification: Events). */
export interface MediaGenEvent {
	/** One of the eight kinds, or what the payload says instead, or `unknown`. */
	kind: string;
	/** Tells this event from all others, where the payload has such an id. */
	eventId?: string;
	resourceId?: string;
	/** The resource as far as the payload holds it. */
	resource?: Json;
}

/** Kinds that a payload means which is the resource itself and names no kind. */
const MEANT: Record<string, Record<string, string>> = {
	generation: { completed: 'generation.completed', failed: 'generation.failed' },
	speech_generation: { completed: 'generation.completed', failed: 'generation.failed' },
	agent_run: { completed: 'agent.completed', failed: 'agent.failed' },
	persona: { ready: 'persona.ready', failed: 'persona.failed' },
};

const isKnown = (kind: string | undefined) =>
	(EVENTS as ReadonlyArray<string | undefined>).includes(kind);

/** The own property only, so that `constructor` and the like are not found. */
const own = <T>(table: Record<string, T>, name: unknown): T | undefined =>
	typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;

function kindOf(payload: Json, { object, status }: Json): string {
	const named = [payload.type, payload.event, payload.event_type].map(textOf);
	const stated = named.find(isKnown) ?? named.find((kind) => kind !== undefined);
	if (stated !== undefined) return stated;
	if (object === 'voice') return 'voice.created';
	return own(own(MEANT, object) ?? {}, status) ?? 'unknown';
}

/** The first place that holds a resource: `data.object`, `data`, `resource`, or the payload itself. */
function resourceOf(payload: Json): Json {
	const { data, resource } = payload;
	const inner = isRecord(data) ? data.object : undefined;
	return [inner, data, resource].filter(isRecord).find(({ id }) => textOf(id)) ?? payload;
}

/**
 * Reads an event without depending on its shape: the kind from `type`, `event`, `event_type`, the id of the resource from
 * `data.object.id`, `data.id`, `resource.id`, `id`. An `id` at the top that is not the resource's is the event's.
 */
export function readEvent(payload: Json): MediaGenEvent {
	const resource = resourceOf(payload);
	const resourceId = textOf(resource.id);
	const top = resource === payload || payload.id === resourceId ? undefined : textOf(payload.id);
	return {
		kind: kindOf(payload, resource),
		eventId: textOf(payload.event_id) ?? top,
		resourceId,
		resource: resourceId === undefined ? undefined : resource,
	};
}
