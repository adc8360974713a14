import {
	isLaterKey,
	isKeyExpired,
	isOutcomeOpen,
	NEW,
	transition,
	type Sent,
	type Done,
	type ItemEvent,
	type ItemState,
	type Created,
	type New,
} from '../../../src/transport/run/itemState';
import { nextStep, type Facts } from '../../../src/transport/run/nextStep';

const DAY = 86_400_000;

const fresh: New = { is: 'new', firstKey: 2, insufficientKeys: 4 };

const asked: Sent = {
	...{ is: 'sent', firstKey: 2, insufficientKeys: 4, attempt: 3, key: 'k3' },
	...{ path: '/generations', body: { prompt: 'a cat' }, firstSentAt: 1_000 },
	...{ isInFlight: false, mayBeCarriedOut: false },
};
const out: Sent = { ...asked, isInFlight: true };
const unknownOutcome: Sent = { ...asked, mayBeCarriedOut: true };
const first: Sent = { ...out, attempt: 2 };
const job = { id: 'gen_1', object: 'generation' };
const made: Created = { is: 'created', firstKey: 2, insufficientKeys: 4, attempt: 3, job };
const done: Done = {
	is: 'done',
	firstKey: 2,
	insufficientKeys: 4,
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
		firstKey: 2,
		insufficientKeys: 4,
		attempt,
		path: '/speech',
		body: 1,
		firstSentAt: 5_000,
	},
	...{ isInFlight: true, mayBeCarriedOut: false },
	...more,
});
const refused = (status: number, rotates: boolean): ItemEvent => ({
	...{ kind: 'refused', status, rotates },
});
const other = { id: 'gen_2' };

/** Every event in every state that treats it in a way of its own. */
const TABLE: Array<[state: ItemState, event: ItemEvent, next: ItemState]> = [
	[NEW, sending(0), { ...sent(0), firstKey: 0, insufficientKeys: undefined }],
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

	[out, refused(400, true), { is: 'new', firstKey: 4 }],
	[out, refused(401, false), fresh],
	[
		{ ...out, insufficientKeys: 9 },
		refused(400, true),
		{ is: 'new', firstKey: 4, insufficientKeys: 9 },
	],
	[
		{ ...out, insufficientKeys: 5 },
		refused(400, true),
		{ is: 'new', firstKey: 4, insufficientKeys: 5 },
	],
	[out, refused(402, false), fresh],
	[{ ...out, attempt: 5 }, refused(402, false), { is: 'new', firstKey: 2, insufficientKeys: 6 }],
	[
		{ ...out, insufficientKeys: undefined },
		refused(402, false),
		{ is: 'new', firstKey: 2, insufficientKeys: 4 },
	],
	[{ ...out, insufficientKeys: undefined }, refused(401, false), { is: 'new', firstKey: 2 }],
	[{ ...out, mayBeCarriedOut: true }, refused(400, true), unknownOutcome],
	[fresh, refused(400, true), fresh],
	[made, refused(400, true), made],
	[done, refused(400, true), done],

	[fresh, { kind: 'jobKnown', job }, { ...made, attempt: 2 }],
	[NEW, { kind: 'jobKnown', job }, { is: 'created', firstKey: 0, attempt: 0, job }],
	[out, { kind: 'jobKnown', job }, made],
	[out, { kind: 'jobKnown', job, attempt: 7 }, { ...made, attempt: 7 }],
	[made, { kind: 'jobKnown', job: other }, made],
	[done, { kind: 'jobKnown', job: other }, done],

	[made, { kind: 'jobSucceeded', resource: '{}' }, done],
	[made, { kind: 'jobSucceeded' }, { ...made, is: 'done' }],
	[done, { kind: 'jobSucceeded' }, done],
	[fresh, { kind: 'jobSucceeded' }, fresh],
	[out, { kind: 'jobSucceeded', resource: '{}' }, out],

	[made, { kind: 'jobFailed' }, { is: 'new', firstKey: 4 }],
	[done, { kind: 'jobFailed' }, done],
	[out, { kind: 'jobFailed' }, out],
	[fresh, { kind: 'jobFailed' }, fresh],

	[fresh, { kind: 'requestChanged', restart: false }, fresh],
	[unknownOutcome, { kind: 'requestChanged', restart: false }, { is: 'new', firstKey: 4 }],
	[made, { kind: 'requestChanged', restart: false }, { is: 'new', firstKey: 4 }],
	[
		{ ...done, insufficientKeys: 8 },
		{ kind: 'requestChanged', restart: false },
		{ is: 'new', firstKey: 4, insufficientKeys: 8 },
	],
	[made, { kind: 'requestChanged', restart: true }, NEW],

	[unknownOutcome, { kind: 'nothingFound', restart: false }, { is: 'new', firstKey: 4 }],
	[
		unknownOutcome,
		{ kind: 'nothingFound', restart: true },
		{ is: 'new', firstKey: 0, insufficientKeys: 4 },
	],
	[made, { kind: 'nothingFound', restart: false }, made],
	[fresh, { kind: 'nothingFound', restart: true }, fresh],

	[fresh, { kind: 'startsAtFirstKey' }, { ...fresh, firstKey: 0 }],
	[out, { kind: 'startsAtFirstKey' }, { ...fresh, firstKey: 0 }],
	[first, { kind: 'startsAtFirstKey' }, first],
	[made, { kind: 'startsAtFirstKey' }, made],
	[done, { kind: 'startsAtFirstKey' }, done],

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
			'firstKey',
			'firstSentAt',
			'is',
			'isInFlight',
			'mayBeCarriedOut',
			'path',
		].sort(),
	);
	const plain = transition(NEW, { kind: 'jobKnown', job });
	expect(plain).not.toHaveProperty('insufficientKeys');
	expect(transition(plain, { kind: 'jobSucceeded' })).not.toHaveProperty('resource');
	expect(transition(made, { kind: 'jobFailed' })).not.toHaveProperty('insufficientKeys');
});

test('only a request that is out under a later key than the first is derived', () => {
	expect([fresh, first, out, made, done].map(isLaterKey)).toEqual([
		false,
		false,
		true,
		false,
		false,
	]);
});

test('open is what is on its way or unknownOutcome', () => {
	const states: ItemState[] = [fresh, asked, out, unknownOutcome, made, done];
	expect(states.map(isOutcomeOpen)).toEqual([false, false, true, true, false, false]);
});

test('a key is forgotten a day after it was first sent', () => {
	expect([DAY - 1, DAY, DAY + 1].map((age) => isKeyExpired(1_000, 1_000 + age))).toEqual([
		false,
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
