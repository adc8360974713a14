import { EVENTS, isRecord, textOf, type Json } from '../api';
import { withoutSlashes } from '../base/texts';
import { isResource, type Resource } from '../base/types';

/*
 * What a delivery says. The specification names the eight kinds of events and does not show their payload
 * (Events), so all shapes are read that services usually give: the kind, the id of the event, and the
 * resource or its id.
 */

/** What is known about an event. */
export interface MediaGenEvent {
	/** One of the eight kinds, or what the payload says instead, or `unknown`. */
	kind: string;
	eventId?: string;
	resourceId?: string;
	/** The resource, as far as the payload contains it. */
	resource?: Resource;
}

/** A value that is a record, or the record in a list that has no other entry. */
function recordIn(value: unknown): Json | undefined {
	const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
	return isRecord(only) ? only : undefined;
}

/**
 * Parses the body of a verified delivery. Properties called `__proto__` are left out, because a later merge
 * could turn them into a prototype. Bytes that are not UTF-8 become U+FFFD. It never throws.
 * @returns `undefined` for what cannot be an event: no JSON, no object, or nested too deeply
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

/** Further fields that may hold one of the eight kinds. Any other text in them means something else. */
const MORE_KIND_FIELDS = ['name', 'event_name', 'eventName', 'topic'];

/** A kind that is newer than this package: words with dots between them. */
const DOTTED = /^[a-z][\w-]*(\.[\w-]+)+$/i;

/** Where JSON:API holds what an event is about. Only `included` holds the whole resource. */
const JSON_API = ['included', 'attributes', 'relationships'];

/** Where an event may hold its resource or what belongs to that. */
const CONTAINERS = [...JSON_API, 'data', 'payload', 'object', 'resource', 'job', 'event'];

/** How many containers within each other are looked into: `data.relationships.generation.data` has four. */
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

/** Texts that name a kind of resource and not a single one, such as `generation` or `voices`. */
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

/**
 * The first of the eight kinds in these values. A prefix may stand before it:
 * `com.example.generation.failed`.
 */
const knownEventKind = (values: unknown[]): string | undefined =>
	EVENTS.find((kind) =>
		values.some((value) => typeof value === 'string' && `.${value}`.endsWith(`.${kind}`)),
	);

/**
 * The kind of event that a record names: one of the eight, else words with dots between them. No other text
 * counts, because resources have a `type` too.
 */
function kindIn(record: Json): string | undefined {
	const usual = KIND_FIELDS.map((name) => record[name]);
	const more = MORE_KIND_FIELDS.map((name) => record[name]);
	const dotted = usual.filter((value) => typeof value === 'string' && DOTTED.test(value));
	return knownEventKind([...usual, ...more]) ?? firstText(dotted);
}

/** A payload and all records within it that stand in these fields, the outer ones first. */
function recordsOf(payload: Json, fields: readonly string[]): Json[] {
	const all = [payload];
	let level = all;
	for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
		const inner = level.flatMap((record) => fields.map((field) => recordIn(record[field])));
		level = inner.filter((record) => record !== undefined);
		all.push(...level);
	}
	return all;
}

/** The kind that a payload names. In its outermost record, one of the eight may stand in any field. */
function eventKindOf(payload: Json): string | undefined {
	const named = recordsOf(payload, [...CONTAINERS, 'meta']).map(kindIn);
	return knownEventKind([...named, ...Object.values(payload)]) ?? firstText(named);
}

/** A record as a resource, if it has an id. JSON:API puts its other fields into `attributes`. */
const asResource = (record: Json): Resource | undefined =>
	isResource(record) ? { ...recordIn(record.attributes), ...record } : undefined;

interface ResourceSearch {
	fields: readonly string[];
	/** Whether a record is the event, and so never the resource: its `id` is that of the event. */
	isEvent: (record: Json) => boolean;
}

/**
 * The resource in these places: the first that says what it is, otherwise the innermost. It is looked for as
 * deep as {@link MAX_DEPTH}.
 */
function resourceIn(record: Json, search: ResourceSearch, depth = 1): Resource | undefined {
	for (const field of search.fields) {
		const inner = recordIn(record[field]);
		if (!inner) continue;
		const isEvent = field === 'event' || search.isEvent(inner);
		const itself = isEvent && !saysWhatItIs(inner) ? undefined : asResource(inner);
		if (itself && !isEvent && saysWhatItIs(inner)) return itself;
		const found = depth < MAX_DEPTH ? resourceIn(inner, search, depth + 1) : undefined;
		if (found ?? itself) return found ?? itself;
	}
	return undefined;
}

/** The id in a text such as `gen_1` or `/v1/generations/gen_1`; `undefined` if there is none. */
function idInText(value: unknown): string | undefined {
	const [path = ''] = typeof value === 'string' ? value.split(/[?#]/, 1) : [];
	const id = withoutSlashes(path).split('/').at(-1) ?? '';
	return /^\S+$/.test(id) && !KINDS_OF_RESOURCES.has(id) ? id : undefined;
}

/** The id of a resource that is only named: as `generation_id`, or as the text of `resource` or `job`. */
function idOfResourceIn(records: Json[], names: readonly string[]): string | undefined {
	const called = names.flatMap((name) => [`${name}_id`, `${name}Id`]);
	const ids = called.flatMap((name) => records.map((record) => record[name]));
	const texts = names.flatMap((name) => records.map((record) => idInText(record[name])));
	return firstText(ids) ?? firstText(texts);
}

/**
 * Reads an event: its kind, its id, and the resource or at least the id of the resource. The id of the event
 * is never taken for that of the resource. A payload that names no event, or that says that it is a resource,
 * is the resource itself.
 */
export function readEvent(payload: Json): MediaGenEvent {
	const kind = eventKindOf(payload);
	const names = resourceNames(kind);
	const fields = [...CONTAINERS, ...names];
	const isEvent = (record: Json): boolean => {
		const named = [record, recordIn(record.attributes) ?? {}].map(kindIn);
		return knownEventKind(named) !== undefined || (kind !== undefined && named.includes(kind));
	};
	const isItself = kind === undefined || saysWhatItIs(payload);
	const itself = isItself ? asResource(payload) : undefined;
	const resource = resourceIn(payload, { fields, isEvent }) ?? itself;
	const records = recordsOf(payload, fields);
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
 * What kind of resource an event is about, as the resource says, otherwise as the kind of the event says.
 * Empty for `generation.…`, which is a generation or a speech generation.
 */
export function objectOf({ kind, resource }: MediaGenEvent): string {
	if (typeof resource?.object === 'string') return resource.object;
	const [prefix = ''] = kind.split('.');
	if (prefix === 'agent') return 'agent_run';
	return prefix === 'voice' || prefix === 'persona' ? prefix : '';
}
