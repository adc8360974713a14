/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { readEvent } from '../../src/webhook/event';
import {
	Deduplicator,
	deduplicationKey,
	RETENTION_MS,
	PENDING_TIMEOUT_MS,
} from '../../src/webhook/deduplicator';
import { shuffle } from '../../testing/shuffle';

const key = (payload: Record<string, unknown>, trigger = 'w/n') =>
	deduplicationKey(trigger, readEvent(payload), payload);

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

	test('not when kind or resource differ: what looks like the id of the event may be that of something else', () => {
		const event = { id: 'workspace_1', type: 'generation.completed', data: { id: 'g' } };
		expect(key({ ...event, data: { id: 'h' } })).not.toBe(key(event));
		expect(key({ ...event, type: 'generation.failed' })).not.toBe(key(event));
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

	test('whatever the status is, also what no text can be made of', () => {
		const event = { id: 'g', object: 'generation', status: JSON.parse('{"toString":1}') as object };
		expect(key({ ...event, more: 1 })).toBe(key(event));
		expect(key({ ...event, status: { toString: 2 } })).not.toBe(key(event));
	});

	test('without either when all that is said is the same', () => {
		expect(key({ type: 'x' })).toBe(key({ type: 'x' }));
		expect(key({ type: 'x', more: 1 })).not.toBe(key({ type: 'x' }));
	});

	test('never for two triggers, and an event is never taken for a resource', () => {
		expect(key({ id: 'a', data: { id: 'b' } }, 'w/m')).not.toBe(
			key({ id: 'a', data: { id: 'b' } }),
		);
		expect(key({ id: 'a', data: { id: 'b' } })).not.toBe(key({ id: 'a' }));
	});
});

/** Claims and keeps at once, as where n8n answers before the next delivery. */
async function take(deduplicator: Deduplicator, event: string, now: number): Promise<boolean> {
	const claim = await deduplicator.claim(event, now);
	claim?.keep();
	return claim !== undefined;
}

/** What a promise has come to by now. */
async function stateOf(promise: Promise<unknown>): Promise<'open' | 'taken' | 'repeat'> {
	let state: 'open' | 'taken' | 'repeat' = 'open';
	void promise.then((claim) => (state = claim === undefined ? 'repeat' : 'taken'));
	await new Promise((resolve) => setImmediate(resolve));
	return state;
}

test('an event is taken once, for 24 hours', async () => {
	const deduplicator = new Deduplicator();
	expect(await take(deduplicator, 'a', 0)).toBe(true);
	expect(await take(deduplicator, 'a', RETENTION_MS - 1)).toBe(false);
	expect(await take(deduplicator, 'b', 1)).toBe(true);
	expect(await take(deduplicator, 'a', RETENTION_MS)).toBe(true);
	expect(await take(deduplicator, 'a', RETENTION_MS + 1)).toBe(false);
});

test('what is released is taken again', async () => {
	const deduplicator = new Deduplicator();
	(await deduplicator.claim('a', 0))?.release();
	expect(deduplicator.size).toBe(0);
	expect(await take(deduplicator, 'a', 1)).toBe(true);
	expect(await take(deduplicator, 'a', 2)).toBe(false);
});

test('a caller waits only until the first delivery is answered', async () => {
	const deduplicator = new Deduplicator();
	expect(await stateOf(deduplicator.settled('a'))).toBe('repeat');
	for (const end of ['keep', 'release'] as const) {
		const claim = await deduplicator.claim(end, 0);
		const answered = deduplicator.settled(end);
		expect(await stateOf(answered)).toBe('open');
		claim?.[end]();
		expect(await stateOf(answered)).toBe('repeat');
		expect(await stateOf(deduplicator.settled(end))).toBe('repeat');
	}
});

test('only the first word on a claim counts', async () => {
	const deduplicator = new Deduplicator();
	const kept = await deduplicator.claim('a', 0);
	kept?.keep();
	kept?.release();
	expect(await take(deduplicator, 'a', 1)).toBe(false);
	const released = await deduplicator.claim('b', 0);
	released?.release();
	released?.keep();
	expect(await take(deduplicator, 'b', 1)).toBe(true);
});

test('repeats wait for the outcome of the first: if it is kept, they are repeats', async () => {
	const deduplicator = new Deduplicator();
	const first = await deduplicator.claim('a', 0);
	const repeats = [deduplicator.claim('a', 1), deduplicator.claim('a', 2)];
	expect(await Promise.all(repeats.map(stateOf))).toEqual(['open', 'open']);
	first?.keep();
	expect(await Promise.all(repeats.map(stateOf))).toEqual(['repeat', 'repeat']);
});

test('repeats wait for the outcome of the first: if it is released, exactly one takes its place', async () => {
	const deduplicator = new Deduplicator();
	const first = await deduplicator.claim('a', 0);
	const repeats = [
		deduplicator.claim('a', 1),
		deduplicator.claim('a', 2),
		deduplicator.claim('a', 3),
	];
	first?.release();
	expect(await Promise.all(repeats.map(stateOf))).toEqual(['taken', 'open', 'open']);
	(await repeats[0])?.keep();
	expect(await Promise.all(repeats.map(stateOf))).toEqual(['taken', 'repeat', 'repeat']);
});

test('a first delivery that is never answered does not block its repeats forever, nor undo what another has started', async () => {
	const deduplicator = new Deduplicator();
	const stuck = await deduplicator.claim('a', 0);
	expect(await stateOf(deduplicator.claim('a', PENDING_TIMEOUT_MS - 1))).toBe('open');
	const next = await deduplicator.claim('a', PENDING_TIMEOUT_MS);
	expect(next).toBeDefined();
	next?.keep();
	stuck?.release();
	expect(await take(deduplicator, 'a', PENDING_TIMEOUT_MS + 1)).toBe(false);
});

test('it is bounded in number, the oldest goes first', async () => {
	const deduplicator = new Deduplicator(1_000);
	for (let each = 0; each < 10_000; each += 1) await take(deduplicator, String(each), each);
	expect(deduplicator.size).toBe(1_000);
	expect(await take(deduplicator, '9999', 10_000)).toBe(false);
	expect(await take(deduplicator, '8999', 10_000)).toBe(true);
});

test('it is bounded in time: what is older than 24 hours is let go', async () => {
	const deduplicator = new Deduplicator();
	for (let each = 0; each < 1_000; each += 1) await take(deduplicator, String(each), each);
	await take(deduplicator, 'late', RETENTION_MS + 2_000);
	expect(deduplicator.size).toBe(1);
});

test('of 20,000 events with 1 to 5 shuffled deliveries at once each is taken exactly once, though every third start fails first', async () => {
	const deduplicator = new Deduplicator();
	const deliveries = shuffle(
		Array.from({ length: 20_000 }, (_, event) =>
			Array.from({ length: 1 + (event % 5) }, () => event),
		).flat(),
	);
	const failed = new Set<number>();
	const started: number[] = [];
	const deliver = async (event: number, at: number) => {
		const claim = await deduplicator.claim(String(event), at);
		if (!claim) return;
		await null;
		if (event % 3 === 0 && !failed.has(event)) {
			failed.add(event);
			claim.release();
			return;
		}
		started.push(event);
		claim.keep();
	};
	await Promise.all(deliveries.map(deliver));
	// Of those that were delivered once and failed nothing came: the service would send them again.
	const wanted = Array.from({ length: 20_000 }, (_, event) => event).filter(
		(event) => event % 3 !== 0 || event % 5 !== 0,
	);
	expect(started.sort((left, right) => left - right)).toEqual(wanted);
});
