import { NodeApiError } from 'n8n-workflow';
import { PendingErrors } from '../../../src/transport/run/pendingErrors';
import { NODE } from '../../support/nodeContext';

const errorOf = (item: number) => {
	const error = new NodeApiError(NODE, {}, { message: `item ${item}`, itemIndex: item });
	error.context.data = { item };
	return error;
};

test('of thousands that fail, only the error that n8n reports is completed', () => {
	const errors = new PendingErrors();
	const described: number[] = [];
	const failing = Array.from({ length: 1_000 }, (_, index) => 2_000 - index);
	const thrown = failing.map((item) => {
		expect(errors.isReported(item)).toBe(true);
		const error = errorOf(item);
		const describe = () => `described at the end, ${described.push(item)}`;
		errors.add({ error, describe, thrownBy: item });
		return error;
	});
	expect(errors.isReported(1_001)).toBe(false);
	errors.add({
		error: errorOf(3_000),
		describe: () => String(described.push(3_000)),
		thrownBy: 3_000,
	});
	const job = { id: 'gen_7', object: 'generation', status: 'queued' };
	errors.complete(new Map([[7, job]]));
	expect(described).toEqual([1_001]);
	expect(thrown.at(-1)?.description).toContain('gen_7 (item 7, queued)');
	expect(thrown.at(-1)?.context.data).toMatchObject({ otherJobs: [{ id: 'gen_7', item: 7 }] });
});
