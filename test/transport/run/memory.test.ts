import {
	itemMemory,
	knownJobIds,
	knownUpload,
	noteFormerJob,
	nodeMemory,
	recordEvent,
	toolCall,
	type NodeMemory,
} from '../../../src/transport/run/memory';

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
	expect(knownUpload(memory, 'file', -1)).toBeUndefined();
});

describe('a call of a tool', () => {
	/** An agent's calls in one execution, with what the node remembers of them. */
	function calls(memory = asNew()) {
		const call = (content: string, execution = '1') => {
			const name = toolCall(memory, content, execution);
			itemMemory(memory, name);
			return name;
		};
		const end = (name: string, execution = '1') => {
			itemMemory(memory, name).endedIn = execution;
		};
		return { memory, call, end };
	}

	test('continues one like it that has not ended well: it still runs, has failed, or was answered too early', () => {
		const { memory, call } = calls();
		const first = call('a boat');
		expect(call('a boat')).toBe(first);
		expect(calls(stored(memory)).call('a boat')).toBe(first);
		expect(call('a car')).not.toBe(first);
	});

	test('is a new one where one like it has ended well in this execution', () => {
		const { call, end } = calls();
		const first = call('a boat');
		end(first);
		const second = call('a boat');
		expect(second).not.toBe(first);
		end(second);
		expect([first, second]).not.toContain(call('a boat'));
	});

	test('in a retried execution continues those of the execution before, unfinished ones first', () => {
		const before = calls();
		const good = before.call('a boat');
		before.end(good);
		const bad = before.call('a boat');
		const { call, end } = calls(stored(before.memory));
		const names = [1, 2, 3].map(() => {
			const name = call('a boat', '2');
			end(name, '2');
			return name;
		});
		expect(names.slice(0, 2)).toEqual([bad, good]);
		expect([good, bad]).not.toContain(names[2]);
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
		for (const name of ['gen', 'new', 'new']) noteFormerJob(node, `${name}_${job}`);
	}
	expect(reads).toBeLessThanOrEqual(1_000);
	expect(knownJobIds(node).size).toBe(2_000);
});
