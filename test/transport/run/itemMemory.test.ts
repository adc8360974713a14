import {
	claimCall,
	itemMemory,
	knownJobIds,
	knownUpload,
	noteFormerJob,
	nodeMemory,
	recordEvent,
	type NodeMemory,
} from '../../../src/transport/run/itemMemory';

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
	const memory = { ...asNew(), formerJobs: ['gen_1'] };
	recordEvent(itemMemory(memory, '0:0'), { kind: 'jobKnown', job: { id: 'gen_2' } });
	expect([...knownJobIds(memory)].sort()).toEqual(['gen_1', 'gen_2']);
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

test('a former job is looked up without going through all of them', () => {
	let reads = 0;
	const formerJobs = new Proxy<string[]>(
		Array.from({ length: 1_000 }, (_, job) => `gen_${job}`),
		{
			get(ids, name: string) {
				if (/^\d+$/.test(String(name))) reads += 1;
				return ids[name as unknown as number];
			},
		},
	);
	const node: NodeMemory = { runId: 'run', items: {}, formerJobs };
	for (let job = 0; job < 1_000; job += 1) {
		expect(noteFormerJob(node, `gen_${job}`)).toBe(true);
		expect(noteFormerJob(node, `new_${job}`)).toBe(false);
		expect(noteFormerJob(node, `new_${job}`)).toBe(true);
	}
	expect(reads).toBeLessThanOrEqual(1_000);
	expect(knownJobIds(node).size).toBe(2_000);
});
