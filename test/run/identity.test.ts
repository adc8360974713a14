import { toolCall } from '../../src/run/identity';
import { itemMemory, nodeMemory } from '../../src/run/state';

describe('a call of a tool', () => {
	/** An agent's calls in one execution, with what the node remembers of them. */
	function calls(memory = nodeMemory({}, '1')) {
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

	test('in a retried execution continues those of the execution before, unfinished ones first', () => {
		const before = calls();
		const good = before.call('a boat');
		before.end(good);
		const bad = before.call('a boat');
		const { call, end } = calls(structuredClone(before.memory));
		const names = [1, 2, 3].map(() => {
			const name = call('a boat', '2');
			end(name, '2');
			return name;
		});
		expect(names.slice(0, 2)).toEqual([bad, good]);
		expect([good, bad]).not.toContain(names[2]);
	});
});
