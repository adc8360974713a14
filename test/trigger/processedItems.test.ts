import type { IExecuteFunctions } from 'n8n-workflow';
import {
	supportsNamedRows,
	withLock,
	withRetries,
	type Row,
} from '../../src/trigger/processedItems';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A row that gives these answers in turn, and then that it is new. */
function rowThat(...answers: Array<'there' | Error>): Row & { removed: number } {
	const row = {
		removed: 0,
		async add() {
			const next = answers.shift();
			if (next instanceof Error) throw next;
			return [next !== 'there'];
		},
		async remove() {
			row.removed += 1;
		},
	};
	return row;
}

/** Whether the work has begun after this many milliseconds. */
async function beginsAfter(row: Row, ms: number): Promise<boolean> {
	const work = jest.fn(async () => 'done');
	const result = withLock(row, work);
	await jest.advanceTimersByTimeAsync(ms);
	const begun = work.mock.calls.length > 0;
	await jest.advanceTimersByTimeAsync(60_000);
	expect(await result).toBe('done');
	expect(work).toHaveBeenCalledTimes(1);
	return begun;
}

describe('work waits for its row', () => {
	test.each([
		'duplicate key value violates unique constraint "PK_ca04b9d8dc72de268fe07a65773"',
		'SQLITE_CONSTRAINT: UNIQUE constraint failed: processed_data.context, processed_data.workflowId',
		"Duplicate entry 'n:1-2' for key 'PRIMARY'",
	])('when another made it at the same moment: %s', async (message) => {
		expect(await beginsAfter(rowThat(new Error(message)), 24)).toBe(false);
		expect(await beginsAfter(rowThat(new Error(message)), 25)).toBe(true);
	});

	test('as long as another has it', async () => {
		expect(await beginsAfter(rowThat('there', 'there', 'there'), 174)).toBe(false);
		expect(await beginsAfter(rowThat('there', 'there', 'there'), 175)).toBe(true);
	});

	test('not when the database fails: then it locks nobody out', async () => {
		expect(await beginsAfter(rowThat(new Error('disk full')), 0)).toBe(true);
		expect(await beginsAfter(rowThat(), 0)).toBe(true);
	});
});

test('the row is let go, also when the work fails or cannot be let go', async () => {
	const row = rowThat();
	const failed = withLock(row, async () => {
		throw new Error('work');
	});
	await expect(failed).rejects.toThrow('work');
	expect(row.removed).toBe(1);
	row.remove = async () => {
		throw new Error('remove');
	};
	expect(await withLock(row, async () => 1)).toBe(1);
});

test('what fails is tried three times', async () => {
	let tries = 0;
	const work = (failures: number) => async () => {
		tries += 1;
		if (tries <= failures) throw new Error('again');
		return tries;
	};
	expect(await withRetries(work(2))).toBe(3);
	tries = 0;
	expect(await withRetries(work(3))).toBeUndefined();
	expect(tries).toBe(3);
});

describe('rows can be named', () => {
	const contextOf = (node: object | undefined, seen = node) =>
		({ node, getNode: () => structuredClone(seen) }) as unknown as IExecuteFunctions;

	test('where n8n reads the id of the very node', () => {
		const node = { id: 'a' };
		expect(supportsNamedRows(contextOf(node))).toBe(true);
		expect(node.id).toBe('a');
	});

	test('not where it reads another, has none, or does not let it be changed', () => {
		expect(supportsNamedRows(contextOf({ id: 'a' }, { id: 'a' }))).toBe(false);
		expect(supportsNamedRows(contextOf(undefined))).toBe(false);
		expect(supportsNamedRows(contextOf(Object.freeze({ id: 'a' })))).toBe(false);
	});
});
