import { readEvent } from '../../src/webhook/event';
import { Seen, seenKey, SEEN_FOR_MS } from '../../src/webhook/seen';
import { shuffle } from '../support/shuffle';

const key = (payload: object, trigger = 'w/n', raw = JSON.stringify(payload)) =>
	seenKey(trigger, readEvent(payload as Record<string, unknown>), Buffer.from(raw));

describe('two deliveries are of the same event', () => {
	test('when the id of the event is the same, whatever else', () => {
		const event = {
			id: 'evt_1',
			type: 'generation.completed',
			data: { id: 'g', status: 'queued' },
		};
		expect(key({ ...event, sent: 2, data: { id: 'g', status: 'completed' } })).toBe(key(event));
		expect(key({ ...event, id: 'evt_2' })).not.toBe(key(event));
	});

	test('without an id when kind, resource and status are the same', () => {
		const event = { id: 'g', object: 'generation', status: 'completed' };
		expect(key({ ...event, more: 1 })).toBe(key(event));
		expect(key({ ...event, status: 'failed' })).not.toBe(key(event));
		expect(key({ ...event, id: 'h' })).not.toBe(key(event));
		expect(key({ ...event, type: 'agent.failed' })).not.toBe(
			key({ ...event, type: 'agent.completed' }),
		);
	});

	test('without either when the bytes are the same', () => {
		expect(key({ type: 'x' })).toBe(key({ type: 'x' }));
		expect(key({ type: 'x' }, 'w/n', '{"type":"x"} ')).not.toBe(key({ type: 'x' }));
	});

	test('never for two triggers, and an event is never taken for a resource', () => {
		expect(key({ id: 'a', data: { id: 'b' } }, 'w/m')).not.toBe(
			key({ id: 'a', data: { id: 'b' } }),
		);
		expect(key({ id: 'a', data: { id: 'b' } })).not.toBe(key({ id: 'a' }));
	});
});

test('an event is taken once, for 24 hours', () => {
	const seen = new Seen();
	expect(seen.take('a', 0)).toBe(true);
	expect(seen.take('a', SEEN_FOR_MS - 1)).toBe(false);
	expect(seen.take('b', 1)).toBe(true);
	expect(seen.take('a', SEEN_FOR_MS)).toBe(true);
	expect(seen.take('a', SEEN_FOR_MS + 1)).toBe(false);
});

test('what is forgotten is taken again', () => {
	const seen = new Seen();
	seen.take('a', 0);
	seen.forget('a');
	expect(seen.take('a', 1)).toBe(true);
});

test('it is bounded in number, the oldest goes first', () => {
	const seen = new Seen(1_000);
	for (let each = 0; each < 10_000; each += 1) seen.take(String(each), each);
	expect(seen.size).toBe(1_000);
	expect(seen.take('9999', 10_000)).toBe(false);
	expect(seen.take('8999', 10_000)).toBe(true);
});

test('it is bounded in time: what is older than 24 hours is let go', () => {
	const seen = new Seen();
	for (let each = 0; each < 1_000; each += 1) seen.take(String(each), each);
	seen.take('late', SEEN_FOR_MS + 2_000);
	expect(seen.size).toBe(1);
});

test('of 100,000 events with 1 to 5 shuffled deliveries each is taken exactly once', () => {
	const seen = new Seen();
	const deliveries = shuffle(
		Array.from({ length: 100_000 }, (_, event) =>
			Array.from({ length: 1 + (event % 5) }, () => String(event)),
		).flat(),
	);
	const taken = deliveries.filter((event, at) => seen.take(event, at));
	expect(taken).toHaveLength(100_000);
	expect(new Set(taken).size).toBe(100_000);
});
