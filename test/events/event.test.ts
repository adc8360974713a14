import type { Json } from '../../src/contract';
import { identityOf, objectOf, readEvent } from '../../src/events/event';

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

test.each([
	['agent.completed', { agent_run_id: 'x' }],
	['agent.review_required', { data: { run_id: 'x' } }],
	['voice.created', { voice_id: 'x' }],
	['generation.completed', { speech_id: 'x' }],
])('%s: the resource of %j is found by its own name', (type, more) => {
	expect(readEvent({ id: 'evt_1', type, ...more }).resourceId).toBe('x');
});

test('a payload that is the resource itself is an event of unknown kind; its id is not the event', () => {
	expect(readEvent(generation)).toEqual({
		kind: 'unknown',
		eventId: undefined,
		resourceId: 'gen_1',
		resource: generation,
	});
});

test('of several kinds the first that is not empty counts; an unknown one is passed on unchanged', () => {
	expect(readEvent({ type: '', event: 7, event_type: 'some.thing' }).kind).toBe('some.thing');
	expect(readEvent({ event: 'a.b', event_type: 'c.d' }).kind).toBe('a.b');
	expect(readEvent({}).kind).toBe('unknown');
});

test.each([
	[{ id: 7, data: { id: 8 } }, undefined],
	[{ id: 'top', data: { object: 'generation', id: 'inner' } }, 'inner'],
	[{ id: 'top', data: { object: { id: '' } }, resource: { id: 'res' } }, 'res'],
	[{ ...generation, persona_id: 'p', outputs: [{ id: 'out_1' }] }, 'gen_1'],
])('the resource of %j is %s', (payload, id) => {
	expect(readEvent(payload).resourceId).toBe(id);
});

test('an id at the top that is the same as the resource is not taken for the id of the event', () => {
	expect(readEvent({ id: 'gen_1', type: 'x', data: { id: 'gen_1' } }).eventId).toBeUndefined();
});

describe('two deliveries are of the same event', () => {
	test('when the id of the event is the same, whatever else', () => {
		const event = {
			id: 'evt_1',
			type: 'generation.completed',
			data: { id: 'g', status: 'queued' },
		};
		const repeat = { ...event, sent: 2, data: { id: 'g', status: 'completed' } };
		expect(identityOf(repeat)).toBe(identityOf(event));
		expect(identityOf({ ...event, id: 'evt_2' })).not.toBe(identityOf(event));
	});

	test('not when kind or resource differ: what looks like the id of the event may be that of something else', () => {
		const event = { id: 'workspace_1', type: 'generation.completed', data: { id: 'g' } };
		expect(identityOf({ ...event, data: { id: 'h' } })).not.toBe(identityOf(event));
		expect(identityOf({ ...event, type: 'generation.failed' })).not.toBe(identityOf(event));
	});

	test('without an id when kind, resource and status are the same', () => {
		const event = { id: 'g', object: 'generation', status: 'completed' };
		expect(identityOf({ ...event, more: 1 })).toBe(identityOf(event));
		expect(identityOf({ ...event, status: 'failed' })).not.toBe(identityOf(event));
		expect(identityOf({ ...event, id: 'h' })).not.toBe(identityOf(event));
		const [failed, completed] = ['agent.failed', 'agent.completed'].map((type) =>
			identityOf({ ...event, type }),
		);
		expect(failed).not.toBe(completed);
	});

	test('without either when all that is said is the same', () => {
		expect(identityOf({ type: 'x' })).toBe(identityOf({ type: 'x' }));
		expect(identityOf({ type: 'x', more: 1 })).not.toBe(identityOf({ type: 'x' }));
	});
});
