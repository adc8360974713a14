import fc from 'fast-check';
import { BinaryReference } from '../../src/transport/binary/reference';
import {
	contentKey,
	customKeyProblem,
	executionKey,
	fingerprint,
	itemMemory,
	leavesUnclear,
	nodeMemory,
	provesNothingDone,
} from '../../src/transport/idempotency';
import type { Failure } from '../../src/transport/result';

test('the seed is made once and survives as plain data', () => {
	const context: Record<string, unknown> = {};
	const first = nodeMemory(context);
	itemMemory(first, '0:3').jobId = 'gen_1';
	const stored = JSON.parse(JSON.stringify(context)) as Record<string, unknown>;
	const again = nodeMemory(stored);
	expect(again.seed).toBe(first.seed);
	expect(itemMemory(again, '0:3').jobId).toBe('gen_1');
	expect(nodeMemory({}).seed).not.toBe(first.seed);
});

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

test('a content key tells places, contents, repeats and attempts apart', () => {
	const keys = [
		contentKey('w/n', 'print', 0, 0),
		contentKey('w/m', 'print', 0, 0),
		contentKey('w/n', 'other', 0, 0),
		contentKey('w/n', 'print', 1, 0),
		contentKey('w/n', 'print', 0, 1),
	];
	expect(new Set(keys).size).toBe(keys.length);
});

test('every key that is made fits the service: at most 255 printable characters', () => {
	fc.assert(
		fc.property(fc.string(), fc.string(), fc.nat(), (seed, item, attempt) => {
			expect(customKeyProblem(executionKey(seed, item, attempt))).toBeUndefined();
			expect(customKeyProblem(contentKey(seed, item, attempt, attempt))).toBeUndefined();
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

describe('a key is given up only when it is proven that nothing good exists under it', () => {
	const status = (code: number, unclear = false): Failure => ({
		kind: 'status',
		status: code,
		said: {},
		unclear,
	});

	test.each([400, 401, 402, 403, 404, 422])('after a clear %i', (code) => {
		expect(provesNothingDone(status(code))).toBe(true);
	});

	test('after a job that failed, and after a 402 whatever came before', () => {
		expect(provesNothingDone({ kind: 'jobFailed', reason: 'x' })).toBe(true);
		expect(provesNothingDone(status(402, true))).toBe(true);
	});

	test('only what may have been sent leaves an unclear outcome', () => {
		const lost = { kind: 'lost', reason: 'x', attempts: 5, replayable: true } as const;
		expect(leavesUnclear({ ...lost, sent: true, unsent: 'connection' })).toBe(true);
		expect(leavesUnclear({ ...lost, sent: false, unsent: 'connection' })).toBe(false);
	});

	const kept: Failure[] = [
		...[408, 409, 429, 500, 502, 503, 504].map((code) => status(code)),
		...[400, 401, 403, 404, 422].map((code) => status(code, true)),
		{ kind: 'lost', reason: 'timeout', attempts: 5, replayable: true, sent: true },
		{ kind: 'lost', reason: 'x', attempts: 1, replayable: true, sent: false, unsent: 'local' },
		{ kind: 'answer', status: 202, problem: 'it has no id' },
		{ kind: 'cancelled' },
		{ kind: 'deadline', waitedMs: 1 },
	];
	test.each(kept)('never after %j', (failure) => {
		expect(provesNothingDone(failure)).toBe(false);
	});
});
