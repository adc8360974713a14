import fc from 'fast-check';
import { BinaryReference } from '../../../src/transport/item/binaryReference';
import {
	contentKey,
	customKeyProblem,
	executionKey,
	fingerprint,
} from '../../../src/transport/item/idempotency';

test('an execution key differs by seed, item and attempt, and by nothing else', () => {
	const keys = [
		executionKey('seed', '0:1', 0),
		executionKey('other', '0:1', 0),
		executionKey('seed', '0:11', 0),
		executionKey('seed', '1:1', 0),
		executionKey('seed', '0:1', 1),
	];
	expect(new Set(keys).size).toBe(keys.length);
	expect(executionKey('seed', '0:1', 0)).toBe(keys[0]);
});

test('a content key tells places, contents and attempts apart', () => {
	const keys = [
		contentKey('w/n', 'print', 0),
		contentKey('w/m', 'print', 0),
		contentKey('w/n', 'other', 0),
		contentKey('w/n', 'print', 1),
	];
	expect(new Set(keys).size).toBe(keys.length);
});

test('every key that is made fits the service: at most 255 printable characters', () => {
	fc.assert(
		fc.property(fc.string(), fc.string(), fc.nat(), (seed, item, attempt) => {
			expect(customKeyProblem(executionKey(seed, item, attempt))).toBeUndefined();
			expect(customKeyProblem(contentKey(seed, item, attempt))).toBeUndefined();
		}),
	);
});

test('a fingerprint does not depend on the order of fields, but on everything else', () => {
	expect(fingerprint({ a: 1, b: { c: 2, d: 3 } }, {})).toBe(
		fingerprint({ b: { d: 3, c: 2 }, a: 1 }, {}),
	);
	expect(fingerprint({ a: [1, 2] }, {})).not.toBe(fingerprint({ a: [2, 1] }, {}));
	expect(fingerprint({ a: 1 }, {})).not.toBe(fingerprint({ a: '1' }, {}));
	fc.assert(
		fc.property(fc.jsonValue(), (body) => {
			expect(fingerprint(body, {})).toBe(fingerprint(JSON.parse(JSON.stringify(body)), {}));
		}),
	);
});

test('a file counts by what it is, not by the field that it stands in', () => {
	const body = (field: string) => ({ input: { video: [new BinaryReference(field)] } });
	const print = fingerprint(body('data'), { data: 'file-1' });
	expect(fingerprint(body('picture'), { picture: 'file-1' })).toBe(print);
	expect(fingerprint(body('data'), { data: 'file-2' })).not.toBe(print);
});

test.each([
	['x', undefined],
	['x'.repeat(255), undefined],
	['order-7 (first) ~', undefined],
	['', 'is empty'],
	['x'.repeat(256), 'has 256 characters; 255 are allowed'],
	['ä', 'may only contain printable ASCII characters'],
	['a\nb', 'may only contain printable ASCII characters'],
	['a\u0000', 'may only contain printable ASCII characters'],
])('a key of the user: %p -> %p', (key, problem) => {
	expect(customKeyProblem(key)).toBe(problem);
});
