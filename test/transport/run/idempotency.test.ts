import fc from '../../support/fastCheck';
import { BinaryReference } from '../../../src/transport/run/binaryReference';
import {
	contentKey,
	customKeyProblem,
	executionKey,
	fingerprint,
	shortHash,
	uploadKey,
} from '../../../src/transport/run/idempotency';

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

test('a content key distinguishes workspaces, contents and attempts', () => {
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

test('a file is identified by its content, not by its field', () => {
	const body = (field: string) => ({ input: { video: [new BinaryReference(field)] } });
	const first = fingerprint(body('data'), { data: 'file-1' });
	expect(fingerprint(body('picture'), { picture: 'file-1' })).toBe(first);
	expect(fingerprint(body('data'), { data: 'file-2' })).not.toBe(first);
});

test.each([
	['x', undefined],
	['x'.repeat(255), undefined],
	['order-7 (first) ~', undefined],
	['', 'is empty'],
	['x'.repeat(256), 'has 256 characters; at most 255 are allowed'],
	['ä', 'may only contain printable ASCII characters'],
	['a\nb', 'may only contain printable ASCII characters'],
	['a\u0000', 'may only contain printable ASCII characters'],
])('a key of the user: %p -> %p', (key, problem) => {
	expect(customKeyProblem(key)).toBe(problem);
});

test('keys and fingerprints stay what they are: others would be paid for again after an update', () => {
	expect([
		executionKey('seed', '0:1', 2),
		contentKey('w/n', 'print', 1),
		uploadKey('item', 'file', 3),
		shortHash('text'),
		fingerprint({ b: [1, { d: null, c: 'x' }], a: true }, {}),
	]).toEqual([
		'n8n-bcefff08ba4b154349c6867b711c7ead11227703fceaf1e47f989abc95621bfc',
		'n8n-f0ff310bdbbf6566f398e543ea2ad85fba8c99b9d9c436d2d8236ea7b91091d5',
		'n8n-9476c1d08b1845e22400bc30a9181a30952751197b59baa4ade71efc7d46b6a9',
		'mC2ePrmW9VnmM_TRlN7zdh',
		'8SSRJwKk3yld0Sh96aONkU',
	]);
});
