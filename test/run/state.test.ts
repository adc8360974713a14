import fc from '../support/fastCheck';
import {
	isOutcomeOpen,
	NEW,
	transition,
	type ItemEvent,
	type ItemState,
	nextStep,
	type Facts,
} from '../../src/run/state';

const HOUR = 3_600_000;

const sending = (attempt = 0): ItemEvent => ({
	kind: 'sending',
	attempt,
	key: `key ${attempt}`,
	path: '/generations',
	body: { prompt: 'a cat' },
	now: 0,
});

/** A refusal of the request under the first key. */
const refused = (nextKey = 1): ItemEvent => ({ kind: 'refused', nextKey });
const answered: ItemEvent = { kind: 'jobKnown', job: { id: 'gen_1', object: 'generation' } };
const UNKNOWN: ItemEvent = { kind: 'outcomeUnknown' };

const after = (...events: ItemEvent[]): ItemState => events.reduce(transition, NEW);

const FACTS: Facts = { now: 0, isChanged: false, hasFixedKey: false, execution: '2' };

const step = (state: ItemState, facts: Partial<Facts> = {}) =>
	nextStep(state, { ...FACTS, ...facts });

describe('a refusal', () => {
	test('of the first try releases its key', () => {
		expect(after(sending(), refused())).toEqual({ is: 'new', nextKey: 1 });
	});

	test('of a later try, after an unknown outcome, does not', () => {
		const state = after(sending(), UNKNOWN, sending(), refused());
		expect(state).toMatchObject({ is: 'sent', attempt: 0, key: 'key 0' });
		expect(isOutcomeOpen(state)).toBe(true);
	});

	test('nor after a try of which no answer was ever noted', () => {
		expect(after(sending(), sending(), refused())).toMatchObject({ is: 'sent', attempt: 0 });
	});

	test('after a 429 it does: that try did nothing', () => {
		const state = after(sending(), { kind: 'noEffect' }, sending(), refused());
		expect(state).toEqual({ is: 'new', nextKey: 1 });
	});

	test('never makes a known job unknown', () => {
		const made = after(sending(), answered);
		expect(transition(made, refused())).toEqual(made);
	});

	test('keeps a key that follows from the content or is the user’s', () => {
		expect(after(sending(), refused(0))).toMatchObject({ is: 'new', nextKey: 0 });
	});
});

test('nothing but a bad end or a change makes an item with a job new again', () => {
	const events: ItemEvent[] = [
		sending(),
		UNKNOWN,
		{ kind: 'noEffect' },
		refused(),
		answered,
		{ kind: 'jobSucceeded' },
		{ kind: 'nothingFound', restart: false },
		{ kind: 'userWarned', execution: '1' },
		{ kind: 'startsAtKey', nextKey: 3 },
	];
	fc.assert(
		fc.property(fc.array(fc.constantFrom(...events)), (all) => {
			const state = all.reduce(transition, after(sending(), answered));
			expect(['created', 'done']).toContain(state.is);
			expect(state).toMatchObject({ job: { id: 'gen_1' } });
		}),
	);
	expect(after(sending(), answered, { kind: 'jobFailed' })).toEqual({ is: 'new', nextKey: 1 });
});

test('a state is plain data', () => {
	for (const state of [after(sending(), UNKNOWN), after(sending(), answered)]) {
		expect(JSON.parse(JSON.stringify(state))).toEqual(state);
	}
});

describe('a try begins with', () => {
	const asked = after(sending(), UNKNOWN);
	const made = after(sending(), answered);
	const done = transition(made, { kind: 'jobSucceeded', resource: '{"id":"gen_1"}' });

	test('a request, of an item that is new', () => {
		expect(step(NEW)).toEqual({ do: 'send', startsOver: false });
	});

	test('the same request, of unknown outcome, within 24 hours', () => {
		expect(step(asked, { now: 24 * HOUR - 1 })).toEqual({ do: 'resend', sent: asked });
	});

	test('a search, once its key has expired', () => {
		expect(step(asked, { now: 24 * HOUR })).toMatchObject({ do: 'search', because: 'expired' });
	});

	test('a new request, where the forgotten one certainly did nothing', () => {
		const limited = after(sending(), { kind: 'noEffect' });
		expect(step(limited)).toMatchObject({ do: 'resend' });
		expect(step(limited, { now: 24 * HOUR })).toEqual({ do: 'send', startsOver: true });
		expect(step(limited, { isChanged: true })).toEqual({ do: 'send', startsOver: true });
	});

	test('a search, when the user has changed a request of unknown outcome; after a warning and a manual retry, a new one', () => {
		expect(step(asked, { isChanged: true })).toMatchObject({ do: 'search', because: 'changed' });
		const warned = transition(asked, { kind: 'userWarned', execution: '2' });
		expect(step(warned, { isChanged: true })).toMatchObject({ do: 'search' });
		expect(step(warned, { isChanged: true, execution: '3' })).toEqual({
			do: 'send',
			startsOver: true,
		});
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
		expect(step(made, { isChanged: true })).toEqual({ do: 'send', startsOver: true });
		expect(step(done, { isChanged: true })).toEqual({ do: 'send', startsOver: true });
	});

	test('a refusal, when it was changed under a key of the user', () => {
		const facts = { isChanged: true, hasFixedKey: true };
		expect(step(made, facts)).toMatchObject({ do: 'reject', job: { id: 'gen_1' } });
		expect(step(asked, facts)).toEqual({ do: 'reject' });
	});
});
