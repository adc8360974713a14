import { EVENTS } from '../../src/contract';
import { readEvent } from '../../src/webhook/event';

const generation = { id: 'gen_1', object: 'generation', status: 'completed', mode: 'image' };

describe('an event is read from every shape that the service may choose', () => {
	test.each([
		[
			'nested',
			{ id: 'evt_1', object: 'event', type: 'generation.completed', data: { object: generation } },
		],
		['flat', { id: 'evt_1', event: 'generation.completed', data: generation }],
		['with a resource', { id: 'evt_1', event_type: 'generation.completed', resource: generation }],
		[
			'with an id of its own',
			{ event_id: 'evt_1', event_type: 'generation.completed', ...generation },
		],
	])('%s', (_name, payload) => {
		expect(readEvent(payload)).toEqual({
			kind: 'generation.completed',
			eventId: 'evt_1',
			resourceId: 'gen_1',
			resource: expect.objectContaining(generation),
		});
	});

	test('the resource itself: its id is the resource, not the event', () => {
		expect(readEvent(generation)).toEqual({
			kind: 'generation.completed',
			eventId: undefined,
			resourceId: 'gen_1',
			resource: generation,
		});
	});

	test.each([
		[{ object: 'generation', status: 'failed' }, 'generation.failed'],
		[{ object: 'speech_generation', status: 'completed' }, 'generation.completed'],
		[{ object: 'agent_run', status: 'completed' }, 'agent.completed'],
		[{ object: 'persona', status: 'ready' }, 'persona.ready'],
		[{ object: 'voice' }, 'voice.created'],
		[{ object: 'generation', status: 'partially_completed' }, 'unknown'],
		[{ object: 'speech_generation', status: 'failed' }, 'generation.failed'],
		[{ object: 'agent_run', status: 'failed' }, 'agent.failed'],
		[{ object: 'persona', status: 'failed' }, 'persona.failed'],
		[{ object: 'generation', status: 'queued' }, 'unknown'],
		[{ object: ['generation'], status: 'completed' }, 'unknown'],
		[{ object: { toString: 1 }, status: { toString: 1 } }, 'unknown'],
		[{ object: 'generation', status: { toString: 1 } }, 'unknown'],
		[{ object: 'constructor', status: 'name' }, 'unknown'],
		[{ object: 'generation', status: 'constructor' }, 'unknown'],
		[{}, 'unknown'],
	])('%j without a kind means %s', (resource, kind) => {
		expect(readEvent({ id: 'x', ...resource }).kind).toBe(kind);
	});
});

test.each(EVENTS)('%s is read from type, event and event_type', (kind) => {
	for (const name of ['type', 'event', 'event_type'])
		expect(readEvent({ [name]: kind }).kind).toBe(kind);
	expect(readEvent({ type: 'event', event: kind }).kind).toBe(kind);
});

test('an unknown kind is passed on unchanged', () => {
	expect(readEvent({ type: 'generation.archived', data: { id: 'g' } })).toMatchObject({
		kind: 'generation.archived',
		resourceId: 'g',
	});
});

test.each([
	[{ id: 7, data: { id: 8 } }, undefined],
	[{ id: '', data: null }, undefined],
	[{ id: 'top', data: { object: 'generation', id: 'inner' } }, 'inner'],
	[{ id: 'top', data: { object: { id: '' } }, resource: { id: 'res' } }, 'res'],
	[{ id: 'top', data: [] }, 'top'],
])('the resource of %j is %s', (payload, id) => {
	expect(readEvent(payload).resourceId).toBe(id);
});

test.each([
	['by its own name', { id: 'evt', event: 'generation.completed', generation }, generation],
	['within data', { id: 'evt', type: 'generation.completed', data: { generation } }, generation],
	[
		'of an agent run',
		{ id: 'evt', type: 'agent.failed', data: { run: { id: 'gen_1' } } },
		{ id: 'gen_1' },
	],
])('a resource is found %s', (_name, payload, resource) => {
	expect(readEvent(payload)).toMatchObject({ eventId: 'evt', resourceId: 'gen_1', resource });
});

test.each([
	{ id: 'evt', type: 'generation.failed', data: { generation_id: 'gen_1', status: 'failed' } },
	{ id: 'evt', type: 'agent.completed', agent_run_id: 'gen_1' },
	{ id: 'evt', type: 'something.new', data: { resource_id: 'gen_1' } },
])('a resource that is only named by its id has it, and nothing else: %j', (payload) => {
	expect(readEvent(payload)).toEqual({
		kind: payload.type,
		eventId: 'evt',
		resourceId: 'gen_1',
		resource: undefined,
	});
});

test('what belongs to a resource is not taken for it', () => {
	const flat = { ...generation, persona_id: 'p', resource_id: 'r', persona: { id: 'p' } };
	expect(readEvent(flat).resourceId).toBe('gen_1');
	expect(
		readEvent({ type: 'generation.completed', ...flat, resource_id: undefined }).resourceId,
	).toBe('gen_1');
	const { object, ...bare } = flat;
	expect(object).toBe('generation');
	expect(readEvent({ type: 'generation.completed', ...bare, resource_id: 7 }).resourceId).toBe(
		'gen_1',
	);
	const voice = { object: 'voice', id: 'v', type: 'voice.created', voice_id: 'x' };
	expect(readEvent(voice).resourceId).toBe('v');
	expect(readEvent({ id: 'evt', type: 'constructor.x', prototype: { id: 'p' } }).resourceId).toBe(
		'evt',
	);
});

test('one of the eight kinds is found under any name', () => {
	expect(readEvent({ id: 'evt', topic: 'voice.created', type: 'event' }).kind).toBe(
		'voice.created',
	);
	expect(readEvent({ id: 'evt', topic: 'voice.archived' }).kind).toBe('unknown');
});

test('an id at the top that is the same as the resource is not taken for the id of the event', () => {
	expect(readEvent({ id: 'gen_1', type: 'x', data: { id: 'gen_1' } }).eventId).toBeUndefined();
});

test('of several kinds the known one counts, otherwise the first that is not empty', () => {
	expect(readEvent({ type: '', event: 7, event_type: 'some.thing' }).kind).toBe('some.thing');
	expect(readEvent({ event: 'a.b', event_type: 'c.d' }).kind).toBe('a.b');
	expect(readEvent({ type: 'a.b', event_type: 'voice.created' }).kind).toBe('voice.created');
});

test('the kind is read from the resource within the event too', () => {
	expect(readEvent({ id: 'evt', data: { object: generation } }).kind).toBe('generation.completed');
	expect(readEvent({ id: 'evt', data: { id: 'v', object: 'voice' } }).kind).toBe('voice.created');
});

test('without any id there is neither resource nor event id', () => {
	expect(readEvent({ type: 'x', data: { status: 'failed' } })).toEqual({
		kind: 'x',
		eventId: undefined,
		resourceId: undefined,
		resource: undefined,
	});
});

test.each([null, 'text', 7, true, [{ id: 'a' }]])('data that is %j holds no resource', (data) => {
	expect(readEvent({ type: 'x', data, resource: data })).toMatchObject({ kind: 'x' });
	expect(readEvent({ type: 'x', data, resource: data }).resourceId).toBeUndefined();
});
