import { FairQueue } from '../../../src/transport/base/fairQueue';

test('fairness keys take turns, each in its own order', () => {
	const queue = new FairQueue<string>();
	for (const entry of ['a1', 'a2', 'a3', 'a4']) queue.push('a', entry);
	for (const entry of ['b1', 'b2']) queue.push('b', entry);
	queue.push('c', 'c1');
	const order = Array.from({ length: queue.size }, () => queue.shift());
	expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
	expect(queue.shift()).toBeUndefined();
	expect(queue.size).toBe(0);
});

test('500 entries of one key delay another key by one entry', () => {
	const queue = new FairQueue<string>();
	for (let index = 0; index < 500; index += 1) queue.push('batch', `batch ${index}`);
	expect(queue.shift()).toBe('batch 0');
	queue.push('single', 'single');
	expect([queue.shift(), queue.shift()]).toContain('single');
});

test('an entry is removed from any position, and only once', () => {
	const queue = new FairQueue<string>();
	for (const entry of ['a1', 'a2', 'a3']) queue.push('a', entry);
	expect(queue.remove('a', 'a2')).toBe(true);
	expect(queue.remove('a', 'a2')).toBe(false);
	expect(queue.remove('b', 'a1')).toBe(false);
	expect([queue.shift(), queue.shift(), queue.shift()]).toEqual(['a1', 'a3', undefined]);
});
