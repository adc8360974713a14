import { CustomKeyRegistry, sharedKeyFailure } from '../../../src/transport/run/keyConflict';
import type { Settings } from '../../../src/transport/run/settings';
import { settingsWith } from '../../../testing/run';

const PROBLEM = 'which make different requests';

test.each([
	['0:2', '0:0', `is the same for item 0 and item 2, ${PROBLEM}`],
	['2:1', '0:10', `is the same for item 10 and item 1 of run 3, ${PROBLEM}`],
	['call:b', '1:0', `is the same for item 0 of run 2 and a call of this tool, ${PROBLEM}`],
])('the error for %s and %s names both, each in its run', (own, other, problem) => {
	expect(sharedKeyFailure(own, other)).toMatchObject({
		ok: false,
		failure: {
			kind: 'input',
			field: 'Idempotency Key',
			problem,
			hint: expect.stringMatching(/^Give each request a key of its own/) as string,
		},
	});
});

describe('the custom keys of a run', () => {
	function registry() {
		const keys = new CustomKeyRegistry();
		const add = (item: number, key: string, prompt: string, more: Partial<Settings> = {}) => {
			const request = { method: 'POST', path: '/generations', body: { prompt } } as const;
			const settings = settingsWith({ idempotency: 'custom', idempotencyKey: key, ...more });
			return keys.findConflict(item, { request, settings });
		};
		return { keys, add };
	}

	const itemsOf = ({ shared }: CustomKeyRegistry) =>
		shared.map((uses) => uses.map(({ item }) => item));

	test('one key for different requests is a conflict with the first of them', () => {
		const { add } = registry();
		expect([add(0, 'x', 'a cat'), add(1, 'x', 'a cat')]).toEqual([undefined, undefined]);
		expect(add(2, 'x', 'a dog')).toEqual({ item: 0, failed: sharedKeyFailure('0:2', '0:0') });
		expect(add(3, 'y', 'a dog')).toBeUndefined();
	});

	test('the same body for another address is another request', () => {
		const { keys, add } = registry();
		add(0, 'x', 'a cat');
		const request = { method: 'POST', path: '/speech', body: { prompt: 'a cat' } } as const;
		const settings = settingsWith({ idempotency: 'custom', idempotencyKey: 'x' });
		expect(keys.findConflict(1, { request, settings })).toMatchObject({ item: 0 });
	});

	test('where no custom key counts, the one that is left in the field is none', () => {
		const { keys, add } = registry();
		add(0, 'x', 'a cat', { idempotency: 'content' });
		expect(add(1, 'x', 'a dog', { idempotency: 'content' })).toBeUndefined();
		expect(itemsOf(keys)).toEqual([]);
	});

	test('items that share a key are known together, so that their files can be compared; one alone is not', () => {
		const { keys, add } = registry();
		add(0, 'x', 'a cat');
		add(1, 'y', 'a dog');
		add(2, 'x', 'a cat');
		add(3, 'x', 'a bird');
		expect(itemsOf(keys)).toEqual([[0, 2]]);
	});
});
