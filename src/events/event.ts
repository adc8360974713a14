import { createHash } from 'crypto';
import { EVENTS, isRecord, textOf, type Json } from '../contract';
import { isResource, type Resource } from '../base/types';

/** What is known about an event; the specification does not show its payload (Events). */
export interface MediaGenEvent {
	/** One of the eight kinds, or what the payload says instead, or `unknown`. */
	kind: string;
	eventId?: string;
	resourceId?: string;
	/** The resource, as far as the payload contains it. */
	resource?: Resource;
}

/**
 * The object that a verified body holds, without properties called `__proto__`, which a later merge
 * could turn into a prototype; bytes that are not UTF-8 become U+FFFD. Never throws: `undefined` for
 * what is not JSON, no object or nested too deeply, none of which can be an event.
 */
export function readPayload(rawBody: Uint8Array): Json | undefined {
	try {
		// Decoding drops a byte order mark.
		const text = new TextDecoder().decode(rawBody);
		const parsed: unknown = JSON.parse(text, (name, value: unknown) =>
			name === '__proto__' ? undefined : value,
		);
		return isRecord(parsed) ? parsed : undefined;
	} catch {
		return undefined;
	}
}

/** The fields that name the kind of an event. */
const KIND_FIELDS = ['type', 'event', 'event_type'];

/** Where an event may hold its resource, or what belongs to the resource. */
const CONTAINERS = ['data', 'payload', 'object', 'resource'];

/** What a resource may be called, by the first word of the event's kind. */
const RESOURCE_NAMES: Record<string, string[]> = {
	generation: ['generation', 'speech_generation', 'speech'],
	agent: ['agent_run', 'run', 'agent'],
	voice: ['voice'],
	persona: ['persona'],
};

/** The kind that a record names, if any: one of the eight in any field, or a text in a usual one. */
function kindIn(record: Json): string | undefined {
	const usual = KIND_FIELDS.map((name) => textOf(record[name])).find((kind) => kind !== undefined);
	const known = Object.values(record).find((value) => EVENTS.some((kind) => kind === value));
	return usual ?? textOf(known);
}

/** What names an event is never the resource, whatever else it holds: its `id` is the event's. */
const asResource = (value: unknown): Resource | undefined =>
	isResource(value) && kindIn(value) === undefined ? value : undefined;

/**
 * The resource of an event: in `data`, `payload`, `object` or `resource`, or one level below under
 * one of these names or that of its kind; a payload that names no event is the resource itself.
 */
function resourceIn(payload: Json, names: readonly string[]): Resource | undefined {
	const places = [...CONTAINERS, ...names];
	for (const container of places.map((name) => payload[name]).filter(isRecord)) {
		const inner = places.map((name) => asResource(container[name]));
		const found = inner.find((resource) => resource !== undefined) ?? asResource(container);
		if (found) return found;
	}
	return asResource(payload);
}

/** The id of a resource that is not there itself, such as `generation_id`, `resource_id`. */
function idOfResourceIn(payload: Json, names: readonly string[]): string | undefined {
	const records = [payload, ...CONTAINERS.map((name) => payload[name])].filter(isRecord);
	const ids = [...names, 'resource'].flatMap((name) =>
		records.map((record) => textOf(record[`${name}_id`])),
	);
	return ids.find((id) => id !== undefined);
}

/**
 * Reads an event, whose shape the specification does not show: its kind, and the resource or else
 * the resource's id; neither is ever the id of the event.
 */
export function readEvent(payload: Json): MediaGenEvent {
	const kind = kindIn(payload) ?? 'unknown';
	const [word = ''] = kind.split('.');
	const names = Object.hasOwn(RESOURCE_NAMES, word) ? (RESOURCE_NAMES[word] ?? []) : [];
	const resource = resourceIn(payload, names);
	const resourceId = resource?.id ?? idOfResourceIn(payload, names);
	const eventIds = [payload.id, payload.event_id].map(textOf);
	return {
		kind,
		eventId: eventIds.find((id) => id !== undefined && id !== resourceId),
		resourceId,
		resource,
	};
}

/**
 * A hash of what is the same in every delivery of an event: its id, kind and resource; else the
 * kind, the resource and its status; else all that it says. The timestamp is not part of it,
 * because it changes when a delivery is repeated.
 */
export function identityOf(payload: Json): string {
	const { kind, eventId, resourceId, resource } = readEvent(payload);
	let identity: unknown[] = [payload];
	// The specification does not show that an `id` is the event's (Events). If it is that of a
	// workspace, other events have it too, and none of them must be lost.
	if (eventId !== undefined) identity = ['event', eventId, kind, resourceId];
	else if (resourceId !== undefined) identity = ['resource', resourceId, kind, resource?.status];
	return createHash('sha256').update(JSON.stringify(identity)).digest('base64');
}

/** The kind of a resource by its own word, else by the event's kind; '' if a model made it. */
export function objectOf({ kind, resource }: MediaGenEvent): string {
	if (typeof resource?.object === 'string') return resource.object;
	const [prefix = ''] = kind.split('.');
	if (prefix === 'agent') return 'agent_run';
	return prefix === 'voice' || prefix === 'persona' ? prefix : '';
}

/** Which events a user wants; an empty list means all of them. */
export interface Filters {
	modes: readonly string[];
	models: readonly string[];
	statuses: readonly string[];
	resourceIds: readonly string[];
}

/** `unknown`: the resource must be read to decide. */
export type Verdict = 'wanted' | 'unwanted' | 'unknown';

const MADE_BY_MODEL = ['generation', 'speech_generation', ''];
const WITH_STATUS = [...MADE_BY_MODEL, 'agent_run', 'persona'];

function compare(wanted: readonly string[], value: unknown): Verdict {
	if (wanted.length === 0) return 'wanted';
	if (value === undefined || value === null) return 'unknown';
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
