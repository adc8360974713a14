import type { INodeExecutionData } from 'n8n-workflow';
import { findingsOf } from '../../../lab/demo/show';
import type { Execution } from '../../../lab/n8n/rest';

/** An execution that ended with these outputs of a node. */
const endedWith = (...main: INodeExecutionData[][]) =>
	({
		data: { resultData: { lastNodeExecuted: 'Report', runData: { Report: [{ data: { main } }] } } },
	}) as unknown as Execution;

test('a text of the items is printed line by line', () => {
	const found = findingsOf(endedWith([], [{ json: { left: 7, text: 'Left: 7\n\nUsed: 3' } }]));
	expect(found).toEqual(['Report:', '  Left: 7', '', '  Used: 3']);
});

test('without a text, what the items hold, and no more than a person reads', () => {
	const found = findingsOf(endedWith(Array.from({ length: 12 }, (_, n) => ({ json: { n } }))));
	expect(found).toHaveLength(12);
	expect(found[1]).toBe('  {"n":0}');
	expect(found.at(-1)).toBe('  … and 2 more');
});

test('a node that gave nothing is named', () => {
	expect(findingsOf(endedWith([]))).toEqual(['"Report" found nothing.']);
});
