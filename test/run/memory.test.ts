import {
	itemMemory,
	knownJobIds,
	noteFormerJob,
	nodeMemory,
	recordEvent,
} from '../../src/run/state';

const asNew = () => nodeMemory({});

const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

test('the seed is made once and survives as plain data', () => {
	const context: Record<string, unknown> = {};
	const first = nodeMemory(context);
	recordEvent(itemMemory(first, '0:3'), { kind: 'jobKnown', job: { id: 'gen_1' } });
	const again = nodeMemory(stored(context));
	expect(again.runId).toBe(first.runId);
	expect(itemMemory(again, '0:3').state).toMatchObject({ is: 'created', job: { id: 'gen_1' } });
	expect(nodeMemory({}).runId).not.toBe(first.runId);
});

test('jobs that were given up are known as well', () => {
	const memory = asNew();
	for (let time = 0; time < 2; time += 1) noteFormerJob(memory, 'gen_1');
	recordEvent(itemMemory(memory, '0:0'), { kind: 'jobKnown', job: { id: 'gen_2' } });
	expect([...knownJobIds(memory)].sort()).toEqual(['gen_1', 'gen_2']);
});
