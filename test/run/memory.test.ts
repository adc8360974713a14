import { itemMemory, nodeMemory, recordEvent } from '../../src/run/state';

test('the run id is made once and survives as plain data, with the execution that it began in', () => {
	const context: Record<string, unknown> = {};
	const first = nodeMemory(context, '1');
	recordEvent(itemMemory(first, '0:3'), { kind: 'jobKnown', job: { id: 'gen_1' } });
	const again = nodeMemory(JSON.parse(JSON.stringify(context)) as Record<string, unknown>, '2');
	expect(again).toMatchObject({ runId: first.runId, startedIn: '1' });
	expect(itemMemory(again, '0:3').state).toMatchObject({ is: 'created', job: { id: 'gen_1' } });
	expect(nodeMemory({}, '1').runId).not.toBe(first.runId);
});
