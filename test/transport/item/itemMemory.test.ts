import {
	claimCall,
	itemMemory,
	knownJobs,
	knownUpload,
	nodeMemory,
	note,
} from '../../../src/transport/item/itemMemory';

const asNew = () => nodeMemory({});

const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

test('the seed is made once and survives as plain data', () => {
	const context: Record<string, unknown> = {};
	const first = nodeMemory(context);
	note(itemMemory(first, '0:3'), { kind: 'answered', job: { id: 'gen_1' } });
	const again = nodeMemory(stored(context));
	expect(again.seed).toBe(first.seed);
	expect(itemMemory(again, '0:3').state).toMatchObject({ is: 'made', job: { id: 'gen_1' } });
	expect(nodeMemory({}).seed).not.toBe(first.seed);
});

test('jobs that were given up are known as well', () => {
	const memory = { ...asNew(), former: ['gen_1'] };
	note(itemMemory(memory, '0:0'), { kind: 'answered', job: { id: 'gen_2' } });
	expect([...knownJobs(memory)].sort()).toEqual(['gen_1', 'gen_2']);
});

test('the URL of an upload is used for 24 hours', () => {
	const memory = { ...itemMemory(asNew(), '0:0'), uploads: { file: { url: 'https://x', at: 0 } } };
	expect(knownUpload(memory, 'file', 24 * 3_600_000 - 1)).toBe('https://x');
	expect(knownUpload(memory, 'file', 24 * 3_600_000)).toBeUndefined();
	expect(knownUpload(memory, 'other', 0)).toBeUndefined();
});

describe('a call of a tool', () => {
	test('continues one like it that has failed, in the next try too', () => {
		const memory = asNew();
		const first = claimCall(memory, 'a boat', '1');
		first.release(false);
		const again = claimCall(memory, 'a boat', '1');
		expect(again.memory).toBe(first.memory);
		again.release(false);
		expect(claimCall(stored(memory), 'a boat', '1').item).toBe(first.item);
	});

	test('is a new one where one like it has ended well or is running', () => {
		const memory = asNew();
		const first = claimCall(memory, 'a boat', '1');
		const parallel = claimCall(memory, 'a boat', '1');
		expect(parallel.item).not.toBe(first.item);
		first.release(true);
		expect([first.item, parallel.item]).not.toContain(claimCall(memory, 'a boat', '1').item);
		expect(claimCall(memory, 'a car', '1').item).not.toBe(first.item);
	});

	test('in a retried execution continues those of the execution before, unfinished ones first', () => {
		const memory = asNew();
		const [good, bad] = [claimCall(memory, 'a boat', '1'), claimCall(memory, 'a boat', '1')];
		good.release(true);
		bad.release(false);
		const retried = stored(memory);
		const items = [1, 2, 3].map(() => {
			const claim = claimCall(retried, 'a boat', '2');
			claim.release(true);
			return claim.item;
		});
		expect(items.slice(0, 2)).toEqual([bad.item, good.item]);
		expect([good.item, bad.item]).not.toContain(items[2]);
	});
});
