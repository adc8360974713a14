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

/**
 * The kind as the payload says it: under a likely name, else one of the eight under any other name.
 */
function statedKind(payload: Json): string | undefined {
	const named = [payload.type, payload.event, payload.event_type].map(textOf);
	const isStated = named.find(isKnown) ?? Object.values(payload).map(textOf).find(isKnown);
	return isStated ?? named.find((kind) => kind !== undefined);
}

function impliedKind({ object, status }: Json): string {
	if (object === 'voice') return 'voice.created';
	return ownValue(ownValue(IMPLIED_KINDS, object) ?? {}, status) ?? 'unknown';
}

/** What a resource may be called in its events, by the first word of their kinds. */
const RESOURCE_NAMES: Record<string, readonly string[]> = {
	generation: ['generation', 'speech_generation', 'speech'],
	agent: ['agent_run', 'run'],
	voice: ['voice'],
	persona: ['persona'],
};

const hasId = ({ id }: Json) => textOf(id) !== undefined;

/**
 * The first place that holds a resource: `data.object`, `data`, `resource`, its own name. The
 * payload itself where it has the object constant of one.
 */
function resourceIn(payload: Json, names: readonly string[]): Json | undefined {
	const { data, resource } = payload;
	const inner = isRecord(data) ? data.object : undefined;
	const found = [inner, data, resource].filter(isRecord).find(hasId);
	if (found) return found;
	if (payload.object === 'voice' || ownValue(IMPLIED_KINDS, payload.object)) return payload;
	const named = [data, payload]
		.filter(isRecord)
		.flatMap((holder) => names.map((name) => holder[name]));
	return named.filter(isRecord).find(hasId);
}

/** The id of a resource that the payload only names. */
function namedId(payload: Json, names: readonly string[]): string | undefined {
	const holders = [payload.data, payload].filter(isRecord);
	const ids = holders.flatMap((holder) =>
		['resource', ...names].map((name) => textOf(holder[`${name}_id`])),
	);
	return ids.find((id) => id !== undefined);
}

/**
 * Reads an event without depending on its shape: the kind from `type`, `event`, `event_type`, the
 * id of the resource from `data.object.id`, `data.id`, `resource.id`, its own name
 * (`generation.id`, `generation_id`), `id`. An `id` at the top that is not the resource's is the
 * event's.
 */
export function readEvent(payload: Json): MediaGenEvent {
	const stated = statedKind(payload);
	const names = ownValue(RESOURCE_NAMES, stated?.split('.')[0]) ?? [];
	const found = resourceIn(payload, names);
	const named = found ? undefined : namedId(payload, names);
	const resource = found ?? (named === undefined ? payload : {});
	const resourceId = named ?? textOf(resource.id);
	const top = payload.id === resourceId ? undefined : textOf(payload.id);
	return {
		kind: stated ?? impliedKind(resource),
		eventId: textOf(payload.event_id) ?? top,
		resourceId,
		resource: hasId(resource) ? resource : undefined,
	};
}
