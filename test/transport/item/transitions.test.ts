import {
	isDerived,
	isForgotten,
	isOpen,
	NEW,
	stepOf,
	transition,
	type Asked,
	type Done,
	type Facts,
	type ItemEvent,
	type ItemState,
	type Made,
	type New,
} from '../../../src/transport/item/itemState';

const DAY = 86_400_000;

const fresh: New = { is: 'new', base: 2, short: 4 };

const asked: Asked = {
	...{ is: 'asked', base: 2, short: 4, attempt: 3, key: 'k3' },
	...{ path: '/generations', body: { prompt: 'a cat' }, since: 1_000 },
	...{ isOut: false, isUnclear: false },
};
const out: Asked = { ...asked, isOut: true };
const unclear: Asked = { ...asked, isUnclear: true };
const first: Asked = { ...out, attempt: 2 };
const job = { id: 'gen_1', object: 'generation' };
const made: Made = { is: 'made', base: 2, short: 4, attempt: 3, job };
const done: Done = { is: 'done', base: 2, short: 4, attempt: 3, job, resource: '{}' };

const sending = (attempt: number, key?: string): ItemEvent => ({
	...{ kind: 'sending', attempt, path: '/speech', body: 1, now: 5_000 },
	...(key !== undefined && { key }),
});
const sent = (attempt: number, more = {}): Asked => ({
	...{ is: 'asked', base: 2, short: 4, attempt, path: '/speech', body: 1, since: 5_000 },
	...{ isOut: true, isUnclear: false },
	...more,
});
const refused = (status: number, rotates: boolean): ItemEvent => ({
	...{ kind: 'refused', status, rotates },
});
const other = { id: 'gen_2' };

/** Every event in every state that treats it in a way of its own. */
const TABLE: Array<[state: ItemState, event: ItemEvent, next: ItemState]> = [
	[NEW, sending(0), { ...sent(0), base: 0, short: undefined }],
	[fresh, sending(2, 'k2'), sent(2, { key: 'k2' })],
	[asked, sending(3, 'other'), out],
	[out, sending(3), { ...out, isUnclear: true }],
	[unclear, sending(3), { ...unclear, isOut: true }],
	[unclear, sending(4, 'k4'), sent(4, { key: 'k4' })],
	[made, sending(4), made],
	[done, sending(4), done],

	[out, { kind: 'withoutEffect' }, asked],
	[{ ...out, isUnclear: true }, { kind: 'withoutEffect' }, unclear],
	[fresh, { kind: 'withoutEffect' }, fresh],
	[made, { kind: 'withoutEffect' }, made],

	[out, { kind: 'outcomeUnknown' }, unclear],
	[fresh, { kind: 'outcomeUnknown' }, fresh],
	[made, { kind: 'outcomeUnknown' }, made],
	[done, { kind: 'outcomeUnknown' }, done],

	[out, refused(400, true), { is: 'new', base: 4 }],
	[out, refused(401, false), fresh],
	[{ ...out, short: 9 }, refused(400, true), { is: 'new', base: 4, short: 9 }],
	[{ ...out, short: 5 }, refused(400, true), { is: 'new', base: 4, short: 5 }],
	[out, refused(402, false), fresh],
	[{ ...out, attempt: 5 }, refused(402, false), { is: 'new', base: 2, short: 6 }],
	[{ ...out, short: undefined }, refused(402, false), { is: 'new', base: 2, short: 4 }],
	[{ ...out, short: undefined }, refused(401, false), { is: 'new', base: 2 }],
	[{ ...out, isUnclear: true }, refused(400, true), unclear],
	[fresh, refused(400, true), fresh],
	[made, refused(400, true), made],
	[done, refused(400, true), done],

	[fresh, { kind: 'answered', job }, { ...made, attempt: 2 }],
	[NEW, { kind: 'answered', job }, { is: 'made', base: 0, attempt: 0, job }],
	[out, { kind: 'answered', job }, made],
	[out, { kind: 'answered', job, attempt: 7 }, { ...made, attempt: 7 }],
	[made, { kind: 'answered', job: other }, made],
	[done, { kind: 'answered', job: other }, done],

	[made, { kind: 'endedWell', resource: '{}' }, done],
	[made, { kind: 'endedWell' }, { ...made, is: 'done' }],
	[done, { kind: 'endedWell' }, done],
	[fresh, { kind: 'endedWell' }, fresh],
	[out, { kind: 'endedWell', resource: '{}' }, out],

	[made, { kind: 'endedBadly' }, { is: 'new', base: 4 }],
	[done, { kind: 'endedBadly' }, done],
	[out, { kind: 'endedBadly' }, out],
	[fresh, { kind: 'endedBadly' }, fresh],

	[fresh, { kind: 'changed', restart: false }, fresh],
	[unclear, { kind: 'changed', restart: false }, { is: 'new', base: 4 }],
	[made, { kind: 'changed', restart: false }, { is: 'new', base: 4 }],
	[
		{ ...done, short: 8 },
		{ kind: 'changed', restart: false },
		{ is: 'new', base: 4, short: 8 },
	],
	[made, { kind: 'changed', restart: true }, NEW],

	[unclear, { kind: 'leftNothing', restart: false }, { is: 'new', base: 4 }],
	[unclear, { kind: 'leftNothing', restart: true }, { is: 'new', base: 0, short: 4 }],
	[made, { kind: 'leftNothing', restart: false }, made],
	[fresh, { kind: 'leftNothing', restart: true }, fresh],

	[fresh, { kind: 'walksAgain' }, { ...fresh, base: 0 }],
	[out, { kind: 'walksAgain' }, { ...fresh, base: 0 }],
	[first, { kind: 'walksAgain' }, first],
	[made, { kind: 'walksAgain' }, made],
	[done, { kind: 'walksAgain' }, done],

	[unclear, { kind: 'told', execution: '7' }, { ...unclear, told: '7' }],
	[made, { kind: 'told', execution: '7' }, made],
	[fresh, { kind: 'told', execution: '7' }, fresh],
];

test.each(TABLE)('%j: %j', (state, event, next) => {
	const before = JSON.stringify(state);
	expect(transition(state, event)).toEqual(next);
	expect(JSON.stringify(state)).toBe(before);
});

test('what is not known is not stored', () => {
	expect(Object.keys(transition(NEW, sending(0))).sort()).toEqual(
		['attempt', 'base', 'body', 'is', 'isOut', 'isUnclear', 'path', 'since'].sort(),
	);
	const plain = transition(NEW, { kind: 'answered', job });
	expect(plain).not.toHaveProperty('short');
	expect(transition(plain, { kind: 'endedWell' })).not.toHaveProperty('resource');
	expect(transition(made, { kind: 'endedBadly' })).not.toHaveProperty('short');
});

test('only a request that is out under a later key than the first is derived', () => {
	expect([fresh, first, out, made, done].map(isDerived)).toEqual([
		false,
		false,
		true,
		false,
		false,
	]);
});

test('open is what is on its way or unclear', () => {
	const states: ItemState[] = [fresh, asked, out, unclear, made, done];
	expect(states.map(isOpen)).toEqual([false, false, true, true, false, false]);
});

test('a key is forgotten a day after it was first sent', () => {
	expect([DAY - 1, DAY, DAY + 1].map((age) => isForgotten(1_000, 1_000 + age))).toEqual([
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
	[fresh, { ...changed, ...fixed, ...later }, { do: 'ask', isAfresh: false }],

	[asked, {}, { do: 'repeat', asked }],
	[asked, changed, { do: 'ask', isAfresh: true }],
	[asked, { ...changed, ...fixed }, { do: 'ask', isAfresh: true }],
	[asked, later, { do: 'ask', isAfresh: true }],

	[out, {}, { do: 'repeat', asked: out }],
	[unclear, fixed, { do: 'repeat', asked: unclear }],
	[unclear, later, { do: 'look', asked: unclear, because: 'expired' }],
	[unclear, changed, { do: 'look', asked: unclear, because: 'changed' }],
	[unclear, { ...changed, ...fixed }, { do: 'refuse' }],
	[unclear, { ...changed, ...fixed, ...later }, { do: 'look', asked: unclear, because: 'changed' }],
	[
		{ ...unclear, told: '7' },
		changed,
		{ do: 'look', asked: { ...unclear, told: '7' }, because: 'changed' },
	],
	[{ ...unclear, told: '6' }, changed, { do: 'ask', isAfresh: true }],

	[made, {}, { do: 'read', job }],
	[made, changed, { do: 'ask', isAfresh: true }],
	[made, { ...changed, ...fixed }, { do: 'refuse', job }],
	[done, {}, { do: 'output', job, resource: '{}' }],
	[{ ...done, resource: undefined }, {}, { do: 'read', job }],
	[done, changed, { do: 'ask', isAfresh: true }],
	[done, { ...changed, ...fixed }, { do: 'refuse', job }],
];

test.each(STEPS)('%j with %j', (state, given, step) => {
	expect(stepOf(state, { ...facts, ...given })).toEqual(step);
});
