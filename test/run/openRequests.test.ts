import { OpenRequests, openRequestsOf, type RequestName } from '../../src/run/openRequests';
import type { Sent } from '../../src/run/state';

const DAY = 86_400_000;

const CAT: RequestName = { runId: 'run 1', content: 'a cat', occurrence: 0 };

interface Sending extends Partial<RequestName> {
	key?: number;
	execution?: string;
	isManual?: boolean;
}

const sentUnder = (key: number, firstSentAt: number): Sent => ({
	is: 'sent',
	nextKey: key,
	key: `key ${key}`,
	path: '/generations',
	body: {},
	firstSentAt,
	isInFlight: true,
	mayBeCarriedOut: false,
});

function setUp() {
	const open = new OpenRequests();
	const send = ({ key = 0, ...more }: Sending = {}) =>
		open.note({ ...CAT, sent: sentUnder(key, 0), execution: '1', isManual: true, ...more });
	/** A further execution takes over what there is. */
	const take = (execution = '2', { content = 'a cat', isManual = true, now = 1_000 } = {}) => {
		open.begin(execution, isManual, now);
		return open.takeOver({ content, execution, isManual }, now);
	};
	return { open, send, take };
}

test('an execution goes on with what another one was not given, under its last key, and only one does', () => {
	const { send, take } = setUp();
	send({ key: 0 });
	send({ key: 3 });
	expect(take('2')).toMatchObject({ ...CAT, sent: { key: 'key 3' }, outcome: 'unknown' });
	expect(take('2')).toBeUndefined();
	// What execution 2 was not given either is open to the next.
	expect(take('3')).toMatchObject(CAT);
});

test('however many requests of a node were lost, all are gone on with', () => {
	const { send, take } = setUp();
	const rows = Array.from({ length: 1_200 }, (_, row) => `row ${row}`);
	for (const content of rows) send({ content });
	expect(rows.filter((content) => take('2', { content }) === undefined)).toEqual([]);
});

test('what an execution was given before it made a request of its own is open once it is lost', () => {
	const { open, send, take } = setUp();
	send({ isManual: false });
	open.endRun('1', 0, true);
	// A retry reads the job of the first round, makes a request in the second, and is stopped.
	open.deliver(CAT, '2');
	open.begin('2', false, 1_000);
	open.endRun('2', 1, true);
	expect(take('3', { isManual: false })).toMatchObject(CAT);
});

test('another content takes nothing over', () => {
	const { send, take } = setUp();
	send();
	expect(take('2', { content: 'a dog' })).toBeUndefined();
});

test('in production only what has failed or was stopped is gone on with: others may still be running', () => {
	const { open, send, take } = setUp();
	send({ isManual: false });
	expect(take('2', { isManual: false })).toBeUndefined();
	open.endRun('1', 0, true);
	expect(take('2', { isManual: false })).toMatchObject(CAT);
});

test('a request with a job comes before one that may have one, and that before one that did nothing', () => {
	const { open, send, take } = setUp();
	for (const occurrence of [0, 1, 2, 3]) send({ occurrence });
	open.noteOutcome({ ...CAT, occurrence: 0 }, 'job');
	open.noteOutcome({ ...CAT, occurrence: 3 }, 'nothing');
	const taken = [take(), take(), take(), take()].map((one) => [one?.occurrence, one?.outcome]);
	expect(taken).toEqual([
		[0, 'job'],
		[2, 'unknown'],
		[1, 'unknown'],
		[3, 'nothing'],
	]);
});

test('a job that is known stays known, whatever its key is answered from then on', () => {
	const { open, send, take } = setUp();
	send();
	open.noteOutcome(CAT, 'job');
	send();
	open.noteOutcome(CAT, 'nothing');
	expect(take()).toMatchObject({ outcome: 'job' });
});

test('what was given to n8n is open again where a later round of the loop fails', () => {
	const { open, send, take } = setUp();
	send();
	open.deliver(CAT, '1');
	open.endRun('1', 3, true);
	expect(take('2')).toMatchObject(CAT);
});

test.each([
	[DAY - 1, true],
	[DAY, false],
])('%i ms after it was sent it can be taken over: %s', (now, isOpen) => {
	const { send, take } = setUp();
	send();
	expect(take('2', { now }) !== undefined).toBe(isOpen);
});

test('each node has its own, which is forgotten a day after its last use, whichever node is executed then', () => {
	const known = openRequestsOf('a node', 0);
	known.note({ ...CAT, sent: sentUnder(0, 1_000), execution: '1', isManual: true });
	const afterAnother = (now: number) => {
		expect(openRequestsOf('another/node', now)).not.toBe(known);
		return openRequestsOf('a node', now);
	};
	// From then on it is in use again.
	expect(afterAnother(999 + DAY)).toBe(known);
	expect(afterAnother(998 + 2 * DAY)).toBe(known);
	expect(afterAnother(998 + 3 * DAY)).not.toBe(known);
});
