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
