import {
	NEW,
	transition,
	type ItemEvent,
	type ItemState,
} from '../../src/creation/idempotency/itemState';
import { read } from '../support/sources';

const job = { id: 'gen_1', object: 'generation' };
const request = { path: '/generations', body: {}, now: 0, workspace: 'w' };

/**
 * Every kind of event, in each variant that decides differently, but for the one that an item begins
 * with. A new kind does not compile without its own.
 */
const EVENTS: {
	[Kind in ItemEvent['kind']]: Array<ItemEvent & { kind: Kind }>;
} = {
	sending: ['key 0', 'key 1'].map((key) => ({ kind: 'sending', key, ...request })),
	noEffect: [{ kind: 'noEffect' }],
	outcomeUnknown: [{ kind: 'outcomeUnknown' }],
	refused: [false, true].map((keepsKey) => ({ kind: 'refused', keepsKey })),
	jobKnown: [{ kind: 'jobKnown', job }],
	jobSucceeded: [{ kind: 'jobSucceeded' }],
	jobFailed: [{ kind: 'jobFailed' }],
	startsOver: [{ kind: 'startsOver' }],
	userWarned: [{ kind: 'userWarned', execution: '7' }],
};

/** The changes from one kind of state to another that any sequence of events can bring about. */
function changes(): Set<string> {
	const found = new Set<string>();
	const known = new Map<string, ItemState>([[JSON.stringify(NEW), NEW]]);
	for (const state of known.values()) {
		for (const event of Object.values(EVENTS).flat()) {
			const next = transition(state, event);
			if (next.is !== state.is) found.add(`${state.is} -> ${next.is}`);
			// Keys count up without end; a few show all that there is.
			if (next.keyNumber < 4) known.set(JSON.stringify(next), next);
		}
	}
	return found;
}

/** The arrows of the state diagram, other than those from a state to itself. */
function arrows(): Set<string> {
	const [, diagram = ''] =
		/```mermaid\nstateDiagram-v2\n([^`]*)```/.exec(read('docs/development.md')) ?? [];
	const lines = [...diagram.matchAll(/^ +(\w+) --> (\w+):/gm)];
	const pairs = lines.map(([, from = '', to = '']) => [from.toLowerCase(), to.toLowerCase()]);
	return new Set(pairs.filter(([from, to]) => from !== to).map((pair) => pair.join(' -> ')));
}

test('the diagram in docs/development.md has the arrows of the transition function and no others', () => {
	const fromEvery = ['sent -> new', 'created -> new', 'done -> new'];
	expect([...arrows()]).toEqual(expect.arrayContaining(fromEvery));
	expect([...arrows()].sort()).toEqual([...changes()].sort());
});
