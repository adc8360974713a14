import {
	isKeyExpired,
	isOutcomeOpen,
	NEW,
	transition,
	type Sent,
	type ItemEvent,
	type ItemState,
	type Created,
	type New,
	nextStep,
	type Facts,
} from '../../src/run/state';

const DAY = 86_400_000;

const fresh: New = { is: 'new', nextKey: 2 };

const asked: Sent = {
	...{ is: 'sent', nextKey: 2, attempt: 3, key: 'k3' },
	...{ path: '/generations', body: { prompt: 'a cat' }, firstSentAt: 1_000 },
	...{ isInFlight: false, mayBeCarriedOut: false },
};
const out: Sent = { ...asked, isInFlight: true };
const unknownOutcome: Sent = { ...asked, mayBeCarriedOut: true };
const job = { id: 'gen_1', object: 'generation' };
const made: Created = { is: 'created', nextKey: 2, attempt: 3, job };
const done: Created = {
	is: 'done',
	nextKey: 2,
	attempt: 3,
	job,
	resource: '{}',
};

const sending = (attempt: number, key?: string): ItemEvent => ({
	...{ kind: 'sending', attempt, path: '/speech', body: 1, now: 5_000 },
	...(key !== undefined && { key }),
});
const sent = (attempt: number, more = {}): Sent => ({
	...{
		is: 'sent',
		nextKey: 2,
		attempt,
		path: '/speech',
		body: 1,
		firstSentAt: 5_000,
	},
	...{ isInFlight: true, mayBeCarriedOut: false },
	...more,
});
const refused = (nextKey: number): ItemEvent => ({ kind: 'refused', nextKey });
const other = { id: 'gen_2' };

/** Every event in every state that treats it in a way of its own. */
const TABLE: Array<[state: ItemState, event: ItemEvent, next: ItemState]> = [
	[NEW, sending(0), { ...sent(0), nextKey: 0 }],
	[fresh, sending(2, 'k2'), sent(2, { key: 'k2' })],
	[asked, sending(3, 'other'), out],
	[out, sending(3), { ...out, mayBeCarriedOut: true }],
	[unknownOutcome, sending(3), { ...unknownOutcome, isInFlight: true }],
	[unknownOutcome, sending(4, 'k4'), sent(4, { key: 'k4' })],
	[made, sending(4), made],
	[done, sending(4), done],

	[out, { kind: 'noEffect' }, asked],
	[{ ...out, mayBeCarriedOut: true }, { kind: 'noEffect' }, unknownOutcome],
	[fresh, { kind: 'noEffect' }, fresh],
	[made, { kind: 'noEffect' }, made],

	[out, { kind: 'outcomeUnknown' }, unknownOutcome],
	[fresh, { kind: 'outcomeUnknown' }, fresh],
	[made, { kind: 'outcomeUnknown' }, made],
	[done, { kind: 'outcomeUnknown' }, done],

	[out, refused(4), { is: 'new', nextKey: 4 }],
	[out, refused(3), { is: 'new', nextKey: 3 }],
	[{ ...out, attempt: 5 }, refused(6), { is: 'new', nextKey: 6 }],
	[{ ...out, mayBeCarriedOut: true }, refused(4), unknownOutcome],
	[fresh, refused(4), fresh],
	[made, refused(4), made],
	[done, refused(4), done],

	[fresh, { kind: 'jobKnown', job }, { ...made, attempt: 2 }],
	[NEW, { kind: 'jobKnown', job }, { is: 'created', nextKey: 0, attempt: 0, job }],
	[out, { kind: 'jobKnown', job }, made],
	[
		{ ...out, attempt: 7 },
		{ kind: 'jobKnown', job },
		{ ...made, attempt: 7 },
	],
	[made, { kind: 'jobKnown', job: other }, made],
	[done, { kind: 'jobKnown', job: other }, done],

	[made, { kind: 'jobSucceeded', resource: '{}' }, done],
	[made, { kind: 'jobSucceeded' }, { ...made, is: 'done' }],
	[done, { kind: 'jobSucceeded' }, done],
	[fresh, { kind: 'jobSucceeded' }, fresh],
	[out, { kind: 'jobSucceeded', resource: '{}' }, out],

	[made, { kind: 'jobFailed' }, { is: 'new', nextKey: 4 }],
	[done, { kind: 'jobFailed' }, done],
	[out, { kind: 'jobFailed' }, out],
	[fresh, { kind: 'jobFailed' }, fresh],

	[fresh, { kind: 'requestChanged', restart: false }, fresh],
	[unknownOutcome, { kind: 'requestChanged', restart: false }, { is: 'new', nextKey: 4 }],
	[made, { kind: 'requestChanged', restart: false }, { is: 'new', nextKey: 4 }],
	[done, { kind: 'requestChanged', restart: false }, { is: 'new', nextKey: 4 }],
	[made, { kind: 'requestChanged', restart: true }, NEW],

	[unknownOutcome, { kind: 'nothingFound', restart: false }, { is: 'new', nextKey: 4 }],
	[unknownOutcome, { kind: 'nothingFound', restart: true }, NEW],
	[made, { kind: 'nothingFound', restart: false }, made],
	[fresh, { kind: 'nothingFound', restart: true }, fresh],

	[fresh, { kind: 'startsAtKey', nextKey: 0 }, NEW],
	[fresh, { kind: 'startsAtKey', nextKey: 5 }, { is: 'new', nextKey: 5 }],
	[out, { kind: 'startsAtKey', nextKey: 0 }, out],
	[made, { kind: 'startsAtKey', nextKey: 0 }, made],
	[done, { kind: 'startsAtKey', nextKey: 0 }, done],

	[unknownOutcome, { kind: 'userWarned', execution: '7' }, { ...unknownOutcome, warnedIn: '7' }],
	[made, { kind: 'userWarned', execution: '7' }, made],
	[fresh, { kind: 'userWarned', execution: '7' }, fresh],
];

test.each(TABLE)('%j: %j', (state, event, next) => {
	const before = JSON.stringify(state);
	expect(transition(state, event)).toEqual(next);
	expect(JSON.stringify(state)).toBe(before);
});

test('what is not known is not stored', () => {
	expect(Object.keys(transition(NEW, sending(0))).sort()).toEqual(
		[
			'attempt',
			'body',
			'nextKey',
			'firstSentAt',
			'is',
			'isInFlight',
			'mayBeCarriedOut',
			'path',
		].sort(),
	);
	const plain = transition(NEW, { kind: 'jobKnown', job });
	expect(transition(plain, { kind: 'jobSucceeded' })).not.toHaveProperty('resource');
});

test('open is what is on its way or unknownOutcome', () => {
	const states: ItemState[] = [fresh, asked, out, unknownOutcome, made, done];
	expect(states.map(isOutcomeOpen)).toEqual([false, false, true, true, false, false]);
});

test.each([
	[0, false],
	[DAY - 1, false],
	[DAY, true],
	[DAY + 1, true],
])('a key that was first sent %i ms ago is forgotten: %s', (age, isForgotten) => {
	expect(isKeyExpired(1_000, 1_000 + age)).toBe(isForgotten);
});

test('a key from the future, as the clock was set back, counts as forgotten', () => {
	expect([1, DAY, 9 * DAY].map((ahead) => isKeyExpired(1_000 + ahead, 1_000))).toEqual([
		true,
		true,
		true,
	]);
});

const facts: Facts = { now: 2_000, isChanged: false, hasFixedKey: false, execution: '7' };
const later = { now: 1_000 + DAY };
const changed = { isChanged: true };
const fixed = { hasFixedKey: true };

const STEPS: Array<[state: ItemState, given: Partial<Facts>, step: unknown]> = [
	[fresh, { ...changed, ...fixed, ...later }, { do: 'send', startsOver: false }],

	[asked, {}, { do: 'resend', sent: asked }],
	[asked, changed, { do: 'send', startsOver: true }],
	[asked, { ...changed, ...fixed }, { do: 'send', startsOver: true }],
	[asked, later, { do: 'send', startsOver: true }],

	[out, {}, { do: 'resend', sent: out }],
	[unknownOutcome, fixed, { do: 'resend', sent: unknownOutcome }],
	[unknownOutcome, later, { do: 'search', sent: unknownOutcome, because: 'expired' }],
	[unknownOutcome, { now: 999 }, { do: 'search', sent: unknownOutcome, because: 'expired' }],
	[asked, { now: 999 }, { do: 'send', startsOver: true }],
	[unknownOutcome, changed, { do: 'search', sent: unknownOutcome, because: 'changed' }],
	[unknownOutcome, { ...changed, ...fixed }, { do: 'reject' }],
	[
		unknownOutcome,
		{ ...changed, ...fixed, ...later },
		{ do: 'search', sent: unknownOutcome, because: 'changed' },
	],
	[
		{ ...unknownOutcome, warnedIn: '7' },
		changed,
		{ do: 'search', sent: { ...unknownOutcome, warnedIn: '7' }, because: 'changed' },
	],
	[{ ...unknownOutcome, warnedIn: '6' }, changed, { do: 'send', startsOver: true }],

	[made, {}, { do: 'read', job }],
	[made, changed, { do: 'send', startsOver: true }],
	[made, { ...changed, ...fixed }, { do: 'reject', job }],
	[done, {}, { do: 'output', job, resource: '{}' }],
	[{ ...done, resource: undefined }, {}, { do: 'read', job }],
	[done, changed, { do: 'send', startsOver: true }],
	[done, { ...changed, ...fixed }, { do: 'reject', job }],
];

test.each(STEPS)('%j with %j', (state, given, step) => {
	expect(nextStep(state, { ...facts, ...given })).toEqual(step);
});
