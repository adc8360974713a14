import { createHash } from 'crypto';
import { EVENTS, isRecord, textOf, type Json } from '../api';
import { withoutSlashes } from '../base/texts';
import { isResource, type Resource } from '../base/types';
import { inOrder } from '../base/values';
import { AGENT_STATUSES, jobState } from '../transport/jobState';

/** What is known about an event; the specification does not show its payload (Events). */
export interface MediaGenEvent {
	/** One of the eight kinds, or what the payload says instead, or `unknown`. */
	kind: string;
	eventId?: string;
	resourceId?: string;
	/** The resource, as far as the payload contains it. */
	resource?: Resource;
}

/** The record that a value is, or that it holds as a list of one. */
function recordIn(value: unknown): Json | undefined {
	const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
	return isRecord(only) ? only : undefined;
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
		const payload = recordIn(parsed);
		const saysSomething = isRecord(parsed) || Object.keys(payload ?? {}).length > 0;
		return saysSomething ? payload : undefined;
	} catch {
		return undefined;
	}
}

/** The fields that name the kind of an event, whatever it is. */
const KIND_FIELDS = ['type', 'event', 'event_type', 'eventType', 'kind'];

/** The fields that may hold one of the eight kinds besides: other texts in them mean something else. */
const MORE_KIND_FIELDS = ['name', 'event_name', 'eventName', 'topic'];

/** What a kind looks like that is newer than this package: words with dots between them. */
const DOTTED = /^[a-z][\w-]*(\.[\w-]+)+$/i;

/** Where JSON:API holds what an event is about; only in the first of them it is whole. */
const JSON_API = ['included', 'attributes', 'relationships'];

/** Where an event may hold its resource or what belongs to that. */
const CONTAINERS = [...JSON_API, 'data', 'payload', 'object', 'resource', 'job', 'event'];

/** Levels of containers in each other: `data.relationships.generation.data` has four. */
const MAX_DEPTH = 4;

/** What a resource may be called, by the first word of the event's kind. */
const RESOURCE_NAMES: Record<string, string[]> = {
	generation: ['generation', 'speech_generation', 'speech'],
	agent: ['agent_run', 'run', 'agent'],
	voice: ['voice'],
	persona: ['persona'],
};

const OBJECTS = new Set(Object.values(RESOURCE_NAMES).flat());

/** Whether a record says by itself that it is a resource. Specification: Resources, `object`. */
const saysWhatItIs = ({ object }: Json): boolean =>
	typeof object === 'string' && OBJECTS.has(object);

/** What a resource of any kind may be called. */
const ANY_RESOURCE = ['job', 'resource'];

/** Texts that say what a resource is, and not which one: `generation`, `voices`. */
const KINDS_OF_RESOURCES = new Set(
	[...ANY_RESOURCE, ...Object.values(RESOURCE_NAMES).flat()].flatMap((name) => [name, `${name}s`]),
);

function resourceNames(kind = ''): string[] {
	const [word = ''] = kind.split('.');
	const own = Object.hasOwn(RESOURCE_NAMES, word) ? (RESOURCE_NAMES[word] ?? []) : [];
	return [...own, ...ANY_RESOURCE];
}

const firstText = (values: unknown[]): string | undefined =>
	values.map(textOf).find((text) => text !== undefined);

/** One of the eight kinds, also after a prefix, as in `com.example.generation.failed`. */
const knownEventKind = (values: unknown[]): string | undefined =>
	EVENTS.find((kind) =>
		values.some((value) => typeof value === 'string' && `.${value}`.endsWith(`.${kind}`)),
	);

/**
 * The kind that a record names: one of the eight, else a word with dots. Any other text names no event,
 * because resources have a `type`, too.
 */
function kindIn(record: Json): string | undefined {
	const usual = KIND_FIELDS.map((name) => record[name]);
	const more = MORE_KIND_FIELDS.map((name) => record[name]);
	const dotted = usual.filter((value) => typeof value === 'string' && DOTTED.test(value));
	return knownEventKind([...usual, ...more]) ?? firstText(dotted);
}

/** The records of a payload in these places and in each other, the outer ones first. */
function recordsOf(payload: Json, places: readonly string[]): Json[] {
	const all = [payload];
	let level = all;
	for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
		const inner = level.flatMap((record) => places.map((place) => recordIn(record[place])));
		level = inner.filter((record) => record !== undefined);
		all.push(...level);
	}
	return all;
}

/** The kind that a payload names: in itself one of the eight may stand in any field. */
function eventKindOf(payload: Json): string | undefined {
	const named = recordsOf(payload, [...CONTAINERS, 'meta']).map(kindIn);
	return knownEventKind([...named, ...Object.values(payload)]) ?? firstText(named);
}

/** A record that has an id of its own, with the fields that JSON:API puts into `attributes`. */
const asResource = (record: Json): Resource | undefined =>
	isResource(record) ? { ...recordIn(record.attributes), ...record } : undefined;

interface Search {
	places: readonly string[];
	/** What names the event is never its resource: its `id` is that of the event. */
	isEvent: (record: Json) => boolean;
}

/** The resource in these places that says what it is, or the innermost, as far as {@link MAX_DEPTH}. */
function resourceIn(record: Json, search: Search, depth = 1): Resource | undefined {
	for (const place of search.places) {
		const inner = recordIn(record[place]);
		if (!inner) continue;
		const isEvent = place === 'event' || search.isEvent(inner);
		const itself = isEvent && !saysWhatItIs(inner) ? undefined : asResource(inner);
		if (itself && !isEvent && saysWhatItIs(inner)) return itself;
		const found = depth < MAX_DEPTH ? resourceIn(inner, search, depth + 1) : undefined;
		if (found ?? itself) return found ?? itself;
	}
	return undefined;
}

/** The id that a text such as `gen_1` or `/v1/generations/gen_1` is. */
function idIn(value: unknown): string | undefined {
	const [path = ''] = typeof value === 'string' ? value.split(/[?#]/, 1) : [];
	const id = withoutSlashes(path).split('/').at(-1) ?? '';
	return /^\S+$/.test(id) && !KINDS_OF_RESOURCES.has(id) ? id : undefined;
}

/** The id of a resource that is not there itself: `generation_id`, else `resource` or `job` as a text. */
function idOfResourceIn(records: Json[], names: readonly string[]): string | undefined {
	const called = names.flatMap((name) => [`${name}_id`, `${name}Id`]);
	const ids = called.flatMap((name) => records.map((record) => record[name]));
	const texts = names.flatMap((name) => records.map((record) => idIn(record[name])));
	return firstText(ids) ?? firstText(texts);
}

/**
 * Reads an event, whose shape the specification does not show: its kind, and the resource or else
 * the resource's id; neither is ever the id of the event. A payload that names no event, or says that it is a
 * resource, is the resource itself.
 */
export function readEvent(payload: Json): MediaGenEvent {
	const kind = eventKindOf(payload);
	const names = resourceNames(kind);
	const places = [...CONTAINERS, ...names];
	const isEvent = (record: Json): boolean => {
		const named = [record, recordIn(record.attributes) ?? {}].map(kindIn);
		return knownEventKind(named) !== undefined || (kind !== undefined && named.includes(kind));
	};
	const isItself = kind === undefined || saysWhatItIs(payload);
	const itself = isItself ? asResource(payload) : undefined;
	const resource = resourceIn(payload, { places, isEvent }) ?? itself;
	const records = recordsOf(payload, places);
	const resourceId = resource?.id ?? idOfResourceIn(records, names);
	const ofEvent = records.filter((record) => record === payload || isEvent(record));
	const eventIds = ofEvent.flatMap(({ id, event_id: own }) => [id, own]);
	return {
		kind: kind ?? 'unknown',
		eventId: firstText(eventIds.filter((id) => id !== resourceId)),
		resourceId,
		resource,
	};
}

/**
 * Whether a resource comes to this only once, so that its status names the event: to its end, and not to a
 * review gate, of which an agent run may have several.
 */
const isEnd = ({ kind, resource }: MediaGenEvent): boolean =>
	EVENTS.some((known) => known === kind)
		? kind !== 'agent.review_required'
		: resource !== undefined && jobState(resource, AGENT_STATUSES.afterReview) !== 'running';

/** Fields that tell of a delivery, and not of the event. */
const OF_DELIVERY = /^(attempt|deliver|retr|sent)/i;

/** What a link has of its signature, which is made anew when the event is told again. */
const OF_SIGNATURE = /^expires/i;

/** What a payload says of its event, which is the same in every delivery. */
function contentOf(payload: Json): unknown {
	const text = JSON.stringify(payload, (name, value: unknown) => {
		if (OF_DELIVERY.test(name) || OF_SIGNATURE.test(name)) return undefined;
		const isLink = typeof value === 'string' && /^https?:/i.test(value);
		return isLink ? value.split('?', 1)[0] : value;
	});
	return JSON.parse(text);
}

/**
 * A hash of what is the same in every delivery of an event: its id, kind and resource. One without an id is
 * known by the end that its resource has come to, else by all that it says: rather started twice than lost.
 * The timestamp is not part of it, because it changes when a delivery is repeated.
 */
export function eventIdentity(payload: Json): string {
	const event = readEvent(payload);
	const { kind, eventId, resourceId, resource } = event;
	let identity: unknown[] = [contentOf(payload)];
	// The specification does not show that an `id` is the event's (Events). If it is that of a
	// workspace, other events have it too, and none of them must be lost.
	if (eventId !== undefined) identity = ['event', eventId, kind, resourceId];
	else if (resourceId !== undefined && isEnd(event))
		identity = ['resource', resourceId, kind, resource?.status];
	return createHash('sha256').update(inOrder(identity)).digest('base64');
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
