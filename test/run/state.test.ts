import {
	isOutcomeOpen,
	NEW,
	nextStep,
	transition,
	type Created,
	type Facts,
	type ItemEvent,
	type ItemState,
	type New,
	type Sent,
} from '../../src/run/state';

const DAY = 86_400_000;
const TEN_MINUTES = 600_000;

const fresh: New = { is: 'new', nextKey: 2 };
const asked: Sent = {
	is: 'sent',
	nextKey: 2,
	key: 'k2',
	path: '/generations',
	body: { prompt: 'a cat' },
	firstSentAt: 1_000,
	isInFlight: false,
	mayBeCarriedOut: false,
};
const out: Sent = { ...asked, isInFlight: true };
const unknown: Sent = { ...asked, mayBeCarriedOut: true };
const job = { id: 'gen_1', object: 'generation' };
const other = { id: 'gen_2' };
const made: Created = { is: 'created', nextKey: 2, job };
const done: Created = { is: 'done', nextKey: 2, job, resource: '{}' };

const sending = (key?: string): ItemEvent => {
	const request = { kind: 'sending', path: '/speech', body: 1, now: 5_000 } as const;
	return key === undefined ? request : { ...request, key };
};
const sent: Sent = {
	is: 'sent',
	nextKey: 2,
	path: '/speech',
	body: 1,
	firstSentAt: 5_000,
	isInFlight: true,
	mayBeCarriedOut: false,
};
const refused: ItemEvent = { kind: 'refused' };
const refusedWithKey: ItemEvent = { kind: 'refused', keepsKey: true };
const lost: Sent = { ...asked, nextKey: 5, key: 'k', isInFlight: true };
const overtaken = { kind: 'takenOver', sent: lost, mayHaveJob: true } as const;
const warned: ItemEvent = { kind: 'userWarned', execution: '7' };

/** Every event in every state that treats it in a way of its own. */
const TABLE: Array<[state: ItemState, event: ItemEvent, next: ItemState]> = [
	[NEW, sending(), { ...sent, nextKey: 0, key: undefined }],
	[fresh, sending('k2'), { ...sent, key: 'k2' }],
	[asked, sending('k2'), out],
	[out, sending('k2'), { ...out, mayBeCarriedOut: true }],
	[unknown, sending('k2'), { ...unknown, isInFlight: true }],
	[asked, sending('k3'), { ...sent, key: 'k3' }],
	[unknown, sending('k3'), { ...sent, key: 'k3' }],
	[made, sending('k3'), made],
	[done, sending('k3'), done],

	[out, { kind: 'noEffect' }, asked],
	[{ ...out, mayBeCarriedOut: true }, { kind: 'noEffect' }, unknown],
	[fresh, { kind: 'noEffect' }, fresh],
	[made, { kind: 'noEffect' }, made],

	[out, { kind: 'outcomeUnknown' }, unknown],
	[fresh, { kind: 'outcomeUnknown' }, fresh],
	[made, { kind: 'outcomeUnknown' }, made],
	[done, { kind: 'outcomeUnknown' }, done],

	[out, refused, { is: 'new', nextKey: 3 }],
	[out, refusedWithKey, { is: 'new', nextKey: 2 }],
	[{ ...out, mayBeCarriedOut: true }, refused, unknown],
	[{ ...out, mayBeCarriedOut: true }, refusedWithKey, unknown],
	[fresh, refused, fresh],
	[made, refused, made],
	[done, refused, done],

	[fresh, { kind: 'jobKnown', job }, made],
	[out, { kind: 'jobKnown', job }, made],
	[unknown, { kind: 'jobKnown', job }, made],
	[made, { kind: 'jobKnown', job: other }, made],
	[done, { kind: 'jobKnown', job: other }, done],

	[made, { kind: 'jobSucceeded', resource: '{}' }, done],
	[made, { kind: 'jobSucceeded' }, { ...made, is: 'done' }],
	[done, { kind: 'jobSucceeded' }, done],
	[fresh, { kind: 'jobSucceeded' }, fresh],
	[out, { kind: 'jobSucceeded', resource: '{}' }, out],

	[made, { kind: 'jobFailed' }, { is: 'new', nextKey: 3 }],
	[done, { kind: 'jobFailed' }, done],
	[out, { kind: 'jobFailed' }, out],
	[fresh, { kind: 'jobFailed' }, fresh],

	[fresh, { kind: 'startsOver' }, { is: 'new', nextKey: 3 }],
	[unknown, { kind: 'startsOver' }, { is: 'new', nextKey: 3 }],
	[made, { kind: 'startsOver' }, { is: 'new', nextKey: 3 }],
	[done, { kind: 'startsOver' }, { is: 'new', nextKey: 3 }],

	[NEW, overtaken, { ...lost, isInFlight: false, mayBeCarriedOut: true }],

	[unknown, warned, { ...unknown, warnedIn: '7' }],
	[made, warned, made],
	[fresh, warned, fresh],
];

test.each(TABLE)('%j: %j', (state, event, next) => {
	const before = JSON.stringify(state);
	expect(transition(state, event)).toStrictEqual(next);
	expect(JSON.stringify(state)).toBe(before);
});

test('the outcome is open of what is on its way or unknown', () => {
	const states: ItemState[] = [fresh, asked, out, unknown, made, done];
	expect(states.filter(isOutcomeOpen)).toEqual([out, unknown]);
});

const facts: Facts = { now: 2_000, isChanged: false, hasFixedKey: false, execution: '7' };
const later = { now: 1_000 + DAY };
const changed = { isChanged: true };
const fixed = { hasFixedKey: true };
const isWarned = { ...unknown, warnedIn: '7' };
const newOne = { do: 'send', startsOver: true };

const STEPS: Array<[state: ItemState, given: Partial<Facts>, step: unknown]> = [
	[fresh, {}, { do: 'send', startsOver: false }],
	[fresh, changed, newOne],

	[asked, {}, { do: 'resend', sent: asked }],
	[asked, changed, newOne],
	[asked, { ...changed, ...fixed }, newOne],
	[asked, later, newOne],
	[asked, { now: 1_000 - TEN_MINUTES }, newOne],

	[out, {}, { do: 'resend', sent: out }],
	[out, later, { do: 'warn', because: 'expired' }],
	[unknown, fixed, { do: 'resend', sent: unknown }],
	[unknown, { now: DAY + 999 }, { do: 'resend', sent: unknown }],
	[unknown, later, { do: 'warn', because: 'expired' }],
	// The clock was set back by a second, and by ten minutes.
	[unknown, { now: 0 }, { do: 'resend', sent: unknown }],
	[unknown, { now: 1_000 - TEN_MINUTES }, { do: 'warn', because: 'expired' }],
	[unknown, changed, { do: 'warn', because: 'changed' }],
	[unknown, { ...changed, ...later }, { do: 'warn', because: 'changed' }],
	[unknown, { ...changed, ...fixed }, { do: 'reject' }],
	[unknown, { ...changed, ...fixed, ...later }, { do: 'warn', because: 'changed' }],

	// A try in the execution that was told is told again; the next execution is the user's decision.
	[isWarned, changed, { do: 'warn', because: 'changed' }],
	[isWarned, later, { do: 'warn', because: 'expired' }],
	[isWarned, { ...changed, execution: '8' }, newOne],
	[isWarned, { ...later, execution: '8' }, newOne],
	[isWarned, { execution: '8' }, { do: 'resend', sent: isWarned }],

	[made, {}, { do: 'read', job }],
	[made, { now: 9 * DAY }, { do: 'read', job }],
	[made, changed, newOne],
	[made, { ...changed, ...fixed }, { do: 'reject', job }],
	[done, {}, { do: 'output', job, resource: '{}' }],
	[{ ...done, resource: undefined }, {}, { do: 'read', job }],
	[done, changed, newOne],
	[done, { ...changed, ...fixed }, { do: 'reject', job }],
];

test.each(STEPS)('a try begins: %j with %j', (state, given, step) => {
	expect(nextStep(state, { ...facts, ...given })).toEqual(step);
});
