import { EVENTS, isRecord, textOf, type Json } from '../contract';

/**
 * What is known about an event. The specification does not show the shape of its payload (Events).
 */
export interface MediaGenEvent {
	/** One of the eight kinds, or what the payload says instead, or `unknown`. */
	kind: string;
	/** Identifies the event, if the payload has such an id. */
	eventId?: string;
	resourceId?: string;
	/** The resource, as far as the payload contains it. */
	resource?: Json;
}

/** Kinds that a payload means which is the resource itself and names no kind. */
const IMPLIED_KINDS: Record<string, Record<string, string>> = {
	generation: { completed: 'generation.completed', failed: 'generation.failed' },
	speech_generation: { completed: 'generation.completed', failed: 'generation.failed' },
	agent_run: { completed: 'agent.completed', failed: 'agent.failed' },
	persona: { ready: 'persona.ready', failed: 'persona.failed' },
};

const isKnown = (kind: string | undefined) =>
	(EVENTS as ReadonlyArray<string | undefined>).includes(kind);

/** The own property only, so that `constructor` and the like are not found. */
const ownValue = <T>(table: Record<string, T>, name: unknown): T | undefined =>
	typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;

function kindOf(payload: Json, { object, status }: Json): string {
	const named = [payload.type, payload.event, payload.event_type].map(textOf);
	const stated = named.find(isKnown) ?? named.find((kind) => kind !== undefined);
	if (stated !== undefined) return stated;
	if (object === 'voice') return 'voice.created';
	return ownValue(ownValue(IMPLIED_KINDS, object) ?? {}, status) ?? 'unknown';
}

/**
 * The first place that holds a resource: `data.object`, `data`, `resource`, or the payload itself.
 */
function resourceOf(payload: Json): Json {
	const { data, resource } = payload;
	const inner = isRecord(data) ? data.object : undefined;
	return [inner, data, resource].filter(isRecord).find(({ id }) => textOf(id)) ?? payload;
}

/**
 * Reads an event without depending on its shape: the kind from `type`, `event`, `event_type`, the
 * id of the resource from `data.object.id`, `data.id`, `resource.id`, `id`. An `id` at the top that
 * is not the resource's is the event's.
 */
export function readEvent(payload: Json): MediaGenEvent {
	const resource = resourceOf(payload);
	const resourceId = textOf(resource.id);
	const top = payload.id === resourceId ? undefined : textOf(payload.id);
	return {
		kind: kindOf(payload, resource),
		eventId: textOf(payload.event_id) ?? top,
		resourceId,
		resource: resourceId === undefined ? undefined : resource,
	};
}
