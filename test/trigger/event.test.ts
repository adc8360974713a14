import fc from '../support/fastCheck';
import { EVENTS, type Json } from '../../src/api';
import { eventIdentity } from '../../nodes/Trigger/delivery';
import { objectOf, readEvent, readPayload } from '../../src/trigger/event';
import { verdictOf, type Filters } from '../../src/trigger/filters';
import { cases } from '../support/thorough';

const generation = { id: 'gen_1', object: 'generation', status: 'completed', mode: 'image' };

const KIND = 'generation.completed';

/** Shapes that a service may well choose, and the resource of each. */
const SHAPES: Array<[shape: string, payload: object, id: string | null, isWhole: boolean]> = [
	['data.object', { id: 'evt_1', type: KIND, data: { object: generation } }, 'gen_1', true],
	['data', { id: 'evt_1', event: KIND, data: generation }, 'gen_1', true],
	['resource', { id: 'evt_1', event_type: KIND, resource: generation }, 'gen_1', true],
	['the word of the kind', { id: 'evt_1', type: KIND, generation }, 'gen_1', true],
	[
		'an envelope in an envelope',
		{ id: 'evt_1', type: KIND, payload: { id: 'evt_1', type: KIND, data: generation } },
		'gen_1',
		true,
	],
	['<kind>_id', { id: 'evt_1', type: KIND, generation_id: 'gen_1' }, 'gen_1', false],
	['data.<kind>_id', { id: 'evt_1', type: KIND, data: { generation_id: 'gen_1' } }, 'gen_1', false],
	['data.resource_id', { id: 'evt_1', kind: KIND, data: { resource_id: 'gen_1' } }, 'gen_1', false],
	['data.job', { id: 'evt_1', type: KIND, data: { job: generation } }, 'gen_1', true],
	['data.job_id', { id: 'evt_1', type: KIND, data: { job_id: 'gen_1' } }, 'gen_1', false],
	['data.jobId', { id: 'evt_1', eventType: KIND, data: { jobId: 'gen_1' } }, 'gen_1', false],
	['data.job, an id', { id: 'evt_1', type: KIND, data: { job: 'gen_1' } }, 'gen_1', false],
	['resource, an id', { id: 'evt_1', type: KIND, resource: 'gen_1' }, 'gen_1', false],
	[
		'resource, an address',
		{ id: 'evt_1', type: KIND, resource: 'https://a.example/v1/generations/gen_1/?a=b/c' },
		'gen_1',
		false,
	],
	['resource, a path', { id: 'evt_1', type: KIND, resource: '/v1/jobs/gen_1' }, 'gen_1', false],
	[
		'resource, which says what the id is of',
		{ id: 'evt_1', type: KIND, resource: 'generation', resource_id: 'gen_1' },
		'gen_1',
		false,
	],
	['a list of one', { id: 'evt_1', type: KIND, data: [generation] }, 'gen_1', true],
	[
		'a list of one in data',
		{ id: 'evt_1', type: KIND, data: { object: [generation] } },
		'gen_1',
		true,
	],
	['a list of several', { id: 'evt_1', type: KIND, data: [generation, generation] }, null, false],
	[
		'an event beside its resource',
		{ event: { id: 'evt_1', name: KIND }, data: generation },
		'gen_1',
		true,
	],
	[
		'an event around its resource',
		{ event: { id: 'evt_1', type: KIND, data: generation } },
		'gen_1',
		true,
	],
	[
		'CloudEvents',
		{ specversion: '1.0', id: 'evt_1', type: `com.example.${KIND}`, data: generation },
		'gen_1',
		true,
	],
	[
		'JSON:API, the event',
		{
			data: {
				id: 'evt_1',
				type: 'events',
				attributes: { event: KIND },
				relationships: { generation: { data: { id: 'gen_1', type: 'generations' } } },
			},
			included: [generation],
		},
		'gen_1',
		true,
	],
	['an id of the event only', { id: 'evt_1', type: KIND }, null, false],
	['an id of something else', { id: 'evt_1', type: KIND, data: { persona_id: 'p' } }, null, false],
];

test.each(SHAPES)('%s: the id is the resource of the event, never the event', (...shape) => {
	const [, payload, id, isWhole] = shape;
	const event = readEvent(payload as Json);
	expect(event).toEqual({
		kind: KIND,
		eventId: 'evt_1',
		resourceId: id ?? undefined,
		resource: isWhole ? generation : undefined,
	});
	expect(objectOf(event)).toBe(isWhole ? 'generation' : '');
});

test.each<[what: string, own: object, around: (resource: object) => object]>([
	['it is the payload', { type: KIND, event_id: 'evt_1' }, (resource) => resource],
	['it names the event', { event: KIND }, (data) => ({ id: 'evt_1', data })],
	[
		'it holds others',
		{ job: { id: 'step_1', status: 'completed' } },
		(data) => ({ id: 'evt_1', type: KIND, data }),
	],
])('what says that it is a generation is the resource: %s', (_, own, around) => {
	const resource = { ...generation, ...own };
	expect(readEvent(around(resource) as Json)).toEqual({
		kind: KIND,
		eventId: 'evt_1',
		resourceId: 'gen_1',
		resource,
	});
});

/** Fields of a resource that look as if it were an event. */
test.each([{ type: 'image' }, { type: 'generation' }, { event: 'done' }, { type: 'studio.image' }])(
	'a resource with %j is no event',
	(own) => {
		const resource = { ...generation, ...own };
		for (const [, payload, id, isWhole] of SHAPES) {
			if (!isWhole) continue;
			const text = JSON.stringify(payload).replaceAll(
				JSON.stringify(generation),
				JSON.stringify(resource),
			);
			expect(readEvent(JSON.parse(text) as Json)).toEqual({
				kind: KIND,
				eventId: 'evt_1',
				resourceId: id,
				resource,
			});
		}
	},
);

test('a resource of JSON:API has its fields in attributes', () => {
	const { id, ...attributes } = generation;
	const data = { id, type: 'generations', attributes };
	expect(readEvent({ meta: { event: KIND, id: 'evt_1' }, data })).toMatchObject({
		kind: KIND,
		resourceId: id,
		resource: attributes,
	});
});

test.each(EVENTS)('%s: its job is found by any of its names', (type) => {
	for (const name of ['job', 'resource'])
		for (const data of [{ [name]: { id: 'x' } }, { [`${name}_id`]: 'x' }, { [name]: 'x' }])
			expect(readEvent({ id: 'evt_1', type, data })).toMatchObject({ kind: type, resourceId: 'x' });
});

test.each([
	['a word', { type: 'completed', data: generation }, 'unknown'],
	['a word with dots', { type: 'generation.archived', data: generation }, 'generation.archived'],
	['one of the eight in any field', { subject: KIND, data: generation }, KIND],
	['one of the eight beside a word with dots', { type: 'webhook.delivery', topic: KIND }, KIND],
	['a version', { type: '1.0', data: generation }, 'unknown'],
])('%s as the kind', (_, payload, kind) => {
	expect(readEvent(payload).kind).toBe(kind);
});

test.each([
	['agent.completed', { agent_run_id: 'x' }, 'x'],
	['agent.review_required', { data: { run_id: 'x' } }, 'x'],
	['voice.created', { voice_id: 'x' }, 'x'],
	[KIND, { speech_id: 'x' }, 'x'],
	[KIND, { data: { object: { id: '' } }, resource: { id: 'x' } }, 'x'],
	[KIND, { id: 7, data: { id: 8 } }, undefined],
])('%s with %j is about %s', (type, more, id) => {
	expect(readEvent({ id: 'evt_1', type, ...more }).resourceId).toBe(id);
});

test('a payload that is the resource itself is an event of unknown kind; its id is not the event', () => {
	expect(readEvent({ ...generation, persona_id: 'p', outputs: [{ id: 'out_1' }] })).toMatchObject({
		kind: 'unknown',
		eventId: undefined,
		resourceId: 'gen_1',
	});
	expect(readEvent({ id: 'gen_1', type: 'x', data: { id: 'gen_1' } }).eventId).toBeUndefined();
});

test('of several kinds the first that is not empty counts, also an unknown one', () => {
	expect(readEvent({ type: '', event: 7, event_type: 'some.thing' }).kind).toBe('some.thing');
	expect(readEvent({ event: 'a.b', event_type: 'c.d' }).kind).toBe('a.b');
});

const NAMED = { id: 'evt_1', type: KIND, data: { id: 'g', status: 'queued' } };
const UNNAMED = { id: 'g', object: 'generation', status: 'completed' };

const file = (name: string, signature: string, expires: string) => ({
	id: 'out_1',
	url: `https://cdn.example/${name}?signature=${signature}`,
	expires_at: expires,
});
const RUN = {
	id: 'run_1',
	object: 'agent_run',
	status: 'awaiting_review',
	spent_credits: 20,
	outputs: [file('one.png', 'a', '10:15')],
};
const RENEWED = [file('one.png', 'b', '10:20')];
const OTHER = [file('two.png', 'a', '10:15')];
const GATE = { type: 'agent.review_required', created: '10:00', data: RUN };
const BARE_GATE = { type: 'agent.review_required', created: '10:00', agent_run_id: 'run_1' };
const NAMED_GATE = { ...GATE, id: 'workspace_1' };
const NEXT_GATE = { ...RUN, spent_credits: 30 };
const END = { ...GATE, type: 'agent.completed' };
const inAnotherOrder = (json: Json) => Object.fromEntries(Object.entries(json).reverse());

// What looks like the id of the event may be that of something else, such as the workspace.
test.each<[string, a: Json, b: Json, isSame: boolean]>([
	['one id', NAMED, { ...NAMED, sent: 2, data: { ...NAMED.data, line_count: 2 } }, true],
	['one id, another status', NAMED, { ...NAMED, data: { id: 'g', status: 'completed' } }, false],
	['one id, two review gates', NAMED_GATE, { ...NAMED_GATE, data: NEXT_GATE }, false],
	['one id, one gate, another attempt', NAMED_GATE, { ...NAMED_GATE, attempt: 2 }, true],
	['another id', NAMED, { ...NAMED, id: 'evt_2' }, false],
	['one id, another resource', NAMED, { ...NAMED, data: { id: 'h' } }, false],
	['one id, another kind', NAMED, { ...NAMED, type: 'generation.failed' }, false],
	['no id, one resource', UNNAMED, { ...UNNAMED, more: 1 }, true],
	['no id, another status', UNNAMED, { ...UNNAMED, status: 'failed' }, false],
	['no id, another resource', UNNAMED, { ...UNNAMED, id: 'h' }, false],
	['no id, another kind', { ...UNNAMED, type: 'a.b' }, { ...UNNAMED, type: 'a.c' }, false],
	['no id, two review gates', GATE, { ...GATE, data: { ...RUN, spent_credits: 30 } }, false],
	['no id, two gates of a run that is the payload', RUN, { ...RUN, spent_credits: 30 }, false],
	[
		'no id, two gates of a run that is not shown',
		BARE_GATE,
		{ ...BARE_GATE, created: '11:00' },
		false,
	],
	['no id, one gate', GATE, inAnotherOrder(GATE), true],
	['no id, one gate, another attempt', GATE, { ...GATE, attempt: 2, sent_at: '10:05' }, true],
	[
		'no id, one gate, links signed anew',
		GATE,
		{ ...GATE, data: { ...RUN, outputs: RENEWED } },
		true,
	],
	['no id, two gates, other outputs', GATE, { ...GATE, data: { ...RUN, outputs: OTHER } }, false],
	['no id, an end, links signed anew', END, { ...END, data: { ...RUN, outputs: RENEWED } }, true],
	['no id, an end, another time', END, { ...END, created: '11:00' }, true],
	[
		'no id, two gates, a link that names its output after ?',
		{ ...GATE, data: { ...RUN, outputs: [{ url: 'https://cdn.example/?file=1' }] } },
		{ ...GATE, data: { ...RUN, outputs: [{ url: 'https://cdn.example/?file=2' }] } },
		false,
	],
	['neither id nor resource', { type: 'x' }, { type: 'x' }, true],
	['neither, and it says more', { type: 'x' }, { type: 'x', more: 1 }, false],
])('two deliveries with %s: whether they are of one event', (_name, a, b, isSame) => {
	expect(eventIdentity(a) === eventIdentity(b)).toBe(isSame);
});

/** What the envelope says of its delivery, as services write it. */
const OF_DELIVERY = ['attempt', 'attempt_count', 'deliveryId', 'retries', 'sent_at', 'sentAt'];

/** Names that look like these, and what else may change with the event alone. */
const OF_EVENT = ['attempted', 'sentiment', 'deliverable', 'retrospect', 'expires_at', 'text'];

const anything = fc.object({
	key: fc.constantFrom(...OF_DELIVERY, ...OF_EVENT, 'data'),
	values: [fc.integer(), fc.constantFrom('a', 'https://a.example/?b'), fc.constant(null)],
	maxDepth: 3,
	withNullPrototype: false,
});

/** Where the values of a payload stand. */
const pathsIn = (value: unknown): string[][] =>
	typeof value !== 'object' || value === null
		? [[]]
		: Object.entries(value).flatMap(([name, inner]) =>
				pathsIn(inner).map((path) => [name, ...path]),
			);

/** A value in which another stands at this path. */
const changedAt = (value: unknown, [name, ...path]: string[]): unknown =>
	name === undefined
		? 'changed'
		: { ...(value as Json), [name]: changedAt((value as Json)[name], path) };

test('but for the end of a resource, any change makes it another event, unless the envelope says it of the delivery', () => {
	const isSame = fc.property(anything, fc.nat(), fc.boolean(), (said, place, isBare) => {
		const payload = { ...said, ...(isBare ? RUN : { type: 'agent.review_required' }) };
		const paths = pathsIn(said);
		const path = paths[place % Math.max(1, paths.length)] ?? ['text'];
		const isOfDelivery = !isBare && OF_DELIVERY.includes(path[0] ?? '');
		const changed = changedAt(payload, path) as Json;
		expect(eventIdentity(changed) === eventIdentity(payload)).toBe(isOfDelivery);
	});
	fc.assert(isSame, { numRuns: cases(2_000) });
});

const image = { ...generation, id: 'g', model: 'studio/image-1' };
const bare = { id: 'g', model: null };
const speech = { id: 's', object: 'speech_generation', model: 'm', status: 'completed' };
const run = { id: 'a', object: 'agent_run', status: 'failed' };

test.each<[type: string, resource: Json | undefined, Partial<Filters>, verdict: string]>([
	[KIND, image, {}, 'wanted'],
	[KIND, image, { modes: ['image', 'video'] }, 'wanted'],
	[KIND, image, { modes: ['video'] }, 'unwanted'],
	[KIND, image, { models: ['studio/image'] }, 'unwanted'],
	[KIND, image, { statuses: ['failed'] }, 'unwanted'],
	[KIND, image, { resourceIds: ['f', 'g'] }, 'wanted'],
	[KIND, image, { resourceIds: ['f'] }, 'unwanted'],
	[KIND, image, { modes: ['image'], statuses: ['failed'] }, 'unwanted'],
	// What the payload does not hold has to be read, unless another filter decides.
	[KIND, bare, { models: ['studio/image-1'] }, 'unknown'],
	[KIND, bare, { modes: ['image'] }, 'unknown'],
	[KIND, bare, { statuses: ['completed'] }, 'unknown'],
	[KIND, bare, { modes: ['image'], resourceIds: ['f'] }, 'unwanted'],
	[KIND, bare, { resourceIds: ['g'] }, 'wanted'],
	// Speech has no mode and counts as audio.
	[KIND, speech, { modes: ['audio'] }, 'wanted'],
	[KIND, speech, { modes: ['image'] }, 'unwanted'],
	// A filter lets pass what cannot have its field.
	['agent.failed', run, { modes: ['video'], models: ['m'], statuses: ['failed'] }, 'wanted'],
	['agent.failed', run, { statuses: ['completed'] }, 'unwanted'],
	[
		'agent.failed',
		{ id: 'a', status: 'failed' },
		{ models: ['m'], statuses: ['failed'] },
		'wanted',
	],
	['agent.failed', { id: 'a', status: 'failed' }, { statuses: ['completed'] }, 'unwanted'],
	['persona.ready', { id: 'p', status: 'ready' }, { models: ['m'], statuses: ['ready'] }, 'wanted'],
	['voice.created', { id: 'v' }, { modes: ['video'], statuses: ['completed'] }, 'wanted'],
	['x', undefined, {}, 'wanted'],
	['x', undefined, { resourceIds: ['g'] }, 'unwanted'],
])('%s of %j is, with the filters %j, %s', (type, resource, chosen, verdict) => {
	const filters = { modes: [], models: [], statuses: [], resourceIds: [], ...chosen };
	const event = readEvent({ id: 'evt', type, ...(resource && { data: { object: resource } }) });
	expect(verdictOf(event, filters)).toBe(verdict);
});

describe('the body of a delivery', () => {
	const read = (text: string) => readPayload(Buffer.from(text));
	const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

	test.each(['', '{', '[{}]', 'null', '"text"', nested(200_000), '['.repeat(200_000)])(
		'that is no event gives none, without an exception: %#',
		(text) => {
			expect(read(text)).toBeUndefined();
		},
	);

	test('may be a list of one', () => {
		expect(read('[{"type":"voice.created"}]')).toEqual({ type: 'voice.created' });
		expect(read('[{"type":"voice.created"},{}]')).toBeUndefined();
	});

	test('may be nested, and have bytes that are not UTF-8', () => {
		expect(read(nested(256))).toBeDefined();
		expect(readPayload(Buffer.from('{"a":"\xff\x80"}', 'latin1'))).toEqual({ a: '\ufffd\ufffd' });
	});

	test('brings no prototype in, at any depth', () => {
		const payload = read('{"__proto__":{"x":1},"a":{"b":1},"c":[{"__proto__":{"x":1}}]}');
		expect(payload).toEqual({ a: { b: 1 }, c: [{}] });
		expect(JSON.stringify(payload)).not.toContain('__proto__');
	});
});
