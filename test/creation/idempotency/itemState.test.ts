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
} from '../../../src/creation/idempotency/itemState';

const DAY = 86_400_000;
const TEN_MINUTES = 600_000;

const fresh: New = { is: 'new', keyNumber: 2 };
const asked: Sent = {
	is: 'sent',
	keyNumber: 2,
	workspace: 'w',
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
const made: Created = { is: 'created', keyNumber: 2, job, workspace: 'w' };
const done: Created = { is: 'done', keyNumber: 2, job, workspace: 'w', resource: '{}' };

const sending = (key?: string): ItemEvent => {
	const request = {
		kind: 'sending',
		path: '/speech',
		body: 1,
		now: 5_000,
		workspace: 'w',
	} as const;
	return key === undefined ? request : { ...request, key };
};
const sent: Sent = {
	is: 'sent',
	keyNumber: 2,
	workspace: 'w',
	path: '/speech',
	body: 1,
	firstSentAt: 5_000,
	isInFlight: true,
	mayBeCarriedOut: false,
};
const refused: ItemEvent = { kind: 'refused' };
const refusedWithKey: ItemEvent = { kind: 'refused', keepsKey: true };

/** Every event in the states that it changes. */
const TABLE: Array<[state: ItemState, event: ItemEvent, next: ItemState]> = [
	[NEW, sending(), { ...sent, keyNumber: 0, key: undefined }],
	// What certainly did nothing was built anew, such as with another link to its file.
	[asked, sending('k2'), { ...out, path: '/speech', body: 1 }],
	[out, sending('k2'), { ...out, mayBeCarriedOut: true }],
	[unknown, sending('k2'), { ...unknown, isInFlight: true }],
	[unknown, sending('k3'), { ...sent, key: 'k3' }],
	// In another workspace, after a warning: what the first one may have made is given up.
	[
		{ ...unknown, workspace: 'other', warnedIn: '7' },
		sending('k2'),
		{ ...out, warnedIn: undefined },
	],
	[{ ...unknown, workspace: undefined }, sending('k2'), { ...unknown, isInFlight: true }],

	[out, { kind: 'noEffect' }, asked],
	[{ ...out, mayBeCarriedOut: true }, { kind: 'noEffect' }, unknown],

	[out, { kind: 'outcomeUnknown' }, unknown],

	[out, refused, { is: 'new', keyNumber: 3 }],
	[out, refusedWithKey, { is: 'new', keyNumber: 2 }],
	[{ ...out, mayBeCarriedOut: true }, refused, unknown],
	[{ ...out, mayBeCarriedOut: true }, refusedWithKey, unknown],

	[unknown, { kind: 'jobKnown', job }, made],

	[made, { kind: 'jobSucceeded', resource: '{}' }, done],
	[made, { kind: 'jobFailed' }, { is: 'new', keyNumber: 3 }],

	[unknown, { kind: 'startsOver' }, { is: 'new', keyNumber: 3 }],
	[done, { kind: 'startsOver' }, { is: 'new', keyNumber: 3 }],

	[unknown, { kind: 'userWarned', execution: '7' }, { ...unknown, warnedIn: '7' }],
	[made, { kind: 'userWarned', execution: '7' }, { ...made, warnedIn: '7' }],
];

test.each(TABLE)('%j: %j', (state, event, next) => {
	const before = JSON.stringify(state);
	expect(transition(state, event)).toEqual(next);
	expect(JSON.stringify(state)).toBe(before);
});

test('a job that is known stays known, whatever comes of further requests', () => {
	const events: ItemEvent[] = [
		sending('k3'),
		...(['noEffect', 'outcomeUnknown', 'refused'] as const).map((kind) => ({ kind })),
		{ kind: 'jobKnown', job: { id: 'gen_2' } },
	];
	for (const event of events)
		expect([transition(made, event), transition(done, event)]).toEqual([made, done]);
});

test('the outcome is open of what is on its way or unknown', () => {
	const states: ItemState[] = [fresh, asked, out, unknown, made, done];
	expect(states.filter(isOutcomeOpen)).toEqual([out, unknown]);
});

const facts: Facts = {
	now: 2_000,
	contentDiffers: false,
	changedByUser: false,
	usesOwnKey: false,
	execution: '7',
	workspace: 'w',
};
const later = { now: 1_000 + DAY };
const changed = { contentDiffers: true, changedByUser: true };
const fixed = { usesOwnKey: true };
const isWarned = { ...unknown, warnedIn: '7' };
const elsewhere = { workspace: 'other' };
const ofOlderVersion = { ...unknown, workspace: undefined };
const newOne = { do: 'send', startsOver: true };

const STEPS: Array<[state: ItemState, given: Partial<Facts>, step: unknown]> = [
	[fresh, {}, { do: 'send', startsOver: false }],
	[fresh, changed, newOne],

	[asked, {}, { do: 'send', startsOver: false }],
	[asked, { contentDiffers: true }, newOne],
	[asked, { ...changed, ...fixed }, newOne],
	[asked, later, newOne],

	[out, {}, { do: 'resend', sent: out }],
	[out, later, { do: 'warn', because: 'expired' }],
	[unknown, fixed, { do: 'resend', sent: unknown }],
	[unknown, { now: DAY + 999 }, { do: 'resend', sent: unknown }],
	[unknown, later, { do: 'warn', because: 'expired' }],
	// The clock was set back by a second, and by ten minutes.
	[unknown, { now: 0 }, { do: 'resend', sent: unknown }],
	[unknown, { now: 1_000 - TEN_MINUTES }, { do: 'warn', because: 'expired' }],
	[unknown, changed, { do: 'warn', because: 'changed' }],
	[unknown, { ...changed, ...fixed }, { do: 'reject' }],
	[unknown, { ...changed, ...fixed, ...later }, { do: 'warn', because: 'changed' }],

	// A try in the execution that was told is told again; the next execution is the user's decision.
	[isWarned, changed, { do: 'warn', because: 'changed' }],
	[isWarned, { ...later, execution: '8' }, newOne],
	[isWarned, { execution: '8' }, { do: 'resend', sent: isWarned }],

	// Under another API key the same key may find nothing, although a job was made.
	[unknown, elsewhere, { do: 'warn', because: 'otherWorkspace' }],
	[unknown, { ...elsewhere, ...fixed }, { do: 'warn', because: 'otherWorkspace' }],
	[unknown, { ...elsewhere, ...later }, { do: 'warn', because: 'expired' }],
	[unknown, { ...elsewhere, ...changed }, { do: 'warn', because: 'changed' }],
	[isWarned, elsewhere, { do: 'warn', because: 'otherWorkspace' }],
	[isWarned, { ...elsewhere, execution: '8' }, { do: 'resend', sent: isWarned }],
	[ofOlderVersion, elsewhere, { do: 'resend', sent: ofOlderVersion }],
	[asked, elsewhere, { do: 'send', startsOver: false }],

	[made, { now: 9 * DAY }, { do: 'read', job }],
	[made, elsewhere, { do: 'read', job }],
	[made, changed, newOne],
	[made, { ...changed, ...fixed }, { do: 'reject', job }],
	[done, {}, { do: 'output', job, resource: '{}' }],
	[{ ...done, resource: undefined }, {}, { do: 'read', job }],
	[done, changed, newOne],
];

test.each(STEPS)('a try begins: %j with %j', (state, given, step) => {
	expect(nextStep(state, { ...facts, ...given })).toEqual(step);
});
