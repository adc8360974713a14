import fc from 'fast-check';
import {
	isOpen,
	NEW,
	stepOf,
	transition,
	type Facts,
	type ItemEvent,
	type ItemState,
} from '../../../src/transport/item/itemState';

const HOUR = 3_600_000;

const sending = (attempt = 0): ItemEvent => ({
	kind: 'sending',
	attempt,
	key: `key ${attempt}`,
	path: '/generations',
	body: { prompt: 'a cat' },
	now: 0,
});

const refused = (status: number, rotates = true): ItemEvent => ({
	kind: 'refused',
	status,
	rotates,
});
const answered: ItemEvent = { kind: 'answered', job: { id: 'gen_1', object: 'generation' } };
const UNKNOWN: ItemEvent = { kind: 'outcomeUnknown' };

const after = (...events: ItemEvent[]): ItemState => events.reduce(transition, NEW);

const FACTS: Facts = { now: 0, isChanged: false, hasFixedKey: false, execution: '2' };

const step = (state: ItemState, facts: Partial<Facts> = {}) =>
	stepOf(state, { ...FACTS, ...facts });

describe.each([400, 401, 402, 403, 404, 422])('a refusal with %i', (status) => {
	test('of the first try releases its key', () => {
		expect(after(sending(), refused(status))).toEqual({ is: 'new', base: 1 });
	});

	test('of a later try, after an unknown outcome, does not', () => {
		const state = after(sending(), UNKNOWN, sending(), refused(status));
		expect(state).toMatchObject({ is: 'asked', attempt: 0, key: 'key 0' });
		expect(isOpen(state)).toBe(true);
	});

	test('nor after a try of which no answer was ever noted', () => {
		expect(after(sending(), sending(), refused(status))).toMatchObject({ is: 'asked', attempt: 0 });
	});

	test('after a 429 it does: that try did nothing', () => {
		const state = after(sending(), { kind: 'withoutEffect' }, sending(), refused(status));
		expect(state).toEqual({ is: 'new', base: 1 });
	});

	test('never makes a known job unknown', () => {
		const made = after(sending(), answered);
		expect(transition(made, refused(status))).toEqual(made);
	});

	test('keeps a key that follows from the content or is the user’s', () => {
		expect(after(sending(), refused(status, false))).toMatchObject({ is: 'new', base: 0 });
	});
});

test('By Content, keys that met a 402 are counted', () => {
	const once = after(sending(), refused(402, false));
	expect(once).toEqual({ is: 'new', base: 0, short: 1 });
	const twice = [sending(), refused(402, false), sending(1), refused(402, false)].reduce(
		transition,
		once,
	);
	expect(twice).toEqual({ is: 'new', base: 0, short: 2 });
});

test('nothing but a bad end or a change makes an item with a job new again', () => {
	const events: ItemEvent[] = [
		sending(),
		UNKNOWN,
		{ kind: 'withoutEffect' },
		refused(404),
		answered,
		{ kind: 'endedWell' },
		{ kind: 'leftNothing', restart: false },
		{ kind: 'told', execution: '1' },
		{ kind: 'walksAgain' },
	];
	fc.assert(
		fc.property(fc.array(fc.constantFrom(...events)), (all) => {
			const state = all.reduce(transition, after(sending(), answered));
			expect(['made', 'done']).toContain(state.is);
			expect(state).toMatchObject({ job: { id: 'gen_1' } });
		}),
	);
	expect(after(sending(), answered, { kind: 'endedBadly' })).toEqual({ is: 'new', base: 1 });
});

test('a state is plain data', () => {
	for (const state of [after(sending(), UNKNOWN), after(sending(), answered)]) {
		expect(JSON.parse(JSON.stringify(state))).toEqual(state);
	}
});

describe('a try begins with', () => {
	const asked = after(sending(), UNKNOWN);
	const made = after(sending(), answered);
	const done = transition(made, { kind: 'endedWell', resource: '{"id":"gen_1"}' });

	test('a request, of an item that is new', () => {
		expect(step(NEW)).toEqual({ do: 'ask', isAfresh: false });
	});

	test('the same request, of unknown outcome, within 24 hours', () => {
		expect(step(asked, { now: 24 * HOUR - 1 })).toEqual({ do: 'repeat', asked });
	});

	test('a look, once its key is forgotten', () => {
		expect(step(asked, { now: 24 * HOUR })).toMatchObject({ do: 'look', because: 'expired' });
	});

	test('a new request, where the forgotten one certainly did nothing', () => {
		const limited = after(sending(), { kind: 'withoutEffect' });
		expect(step(limited)).toMatchObject({ do: 'repeat' });
		expect(step(limited, { now: 24 * HOUR })).toEqual({ do: 'ask', isAfresh: true });
		expect(step(limited, { isChanged: true })).toEqual({ do: 'ask', isAfresh: true });
	});

	test('a look, when the user has changed a request of unknown outcome; once he was told and retries by hand, a new one', () => {
		expect(step(asked, { isChanged: true })).toMatchObject({ do: 'look', because: 'changed' });
		const told = transition(asked, { kind: 'told', execution: '2' });
		expect(step(told, { isChanged: true })).toMatchObject({ do: 'look' });
		expect(step(told, { isChanged: true, execution: '3' })).toEqual({ do: 'ask', isAfresh: true });
	});

	test('reading the job, whenever it is known', () => {
		expect(step(made, { now: 100 * HOUR })).toEqual({
			do: 'read',
			job: { id: 'gen_1', object: 'generation' },
		});
	});

	test('nothing at all, when the result is known', () => {
		expect(step(done)).toMatchObject({ do: 'output', resource: '{"id":"gen_1"}' });
	});

	test('a new request, when the user has changed one whose job is known', () => {
		expect(step(made, { isChanged: true })).toEqual({ do: 'ask', isAfresh: true });
		expect(step(done, { isChanged: true })).toEqual({ do: 'ask', isAfresh: true });
	});

	test('a refusal, when it was changed under a key of the user', () => {
		const facts = { isChanged: true, hasFixedKey: true };
		expect(step(made, facts)).toMatchObject({ do: 'refuse', job: { id: 'gen_1' } });
		expect(step(asked, facts)).toEqual({ do: 'refuse' });
	});
});
