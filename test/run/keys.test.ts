import fc from '../support/fastCheck';
import { BinaryReference, fingerprint } from '../../src/run/uploads';
import type { Item } from '../../src/run/item';
import { customKeyProblem, ItemKeys, shortHash, uploadKey } from '../../src/run/keys';
import { nodeMemory, type ItemMemory } from '../../src/run/state';
import { answer } from '../../testing/answers';
import { hostWith, runOf, workspaceWith, type RunParts } from '../../testing/run';
import { VirtualClock } from '../../testing/virtualClock';

const MODES = ['execution', 'content', 'custom', 'none'] as const;

const workspace = workspaceWith(new VirtualClock());
const host = hostWith(async () => answer(200));

const itemWith = (parts: Partial<RunParts> = {}): Item => runOf({ host, workspace, ...parts });

const memoryOf = (content: string, occurrence = 0, nextKey = 0): ItemMemory => ({
	state: { is: 'new', nextKey },
	content,
	occurrence,
});

interface KeyParts extends Partial<Item['origin']> {
	runId?: string;
	request?: string;
	occurrence?: number;
	number?: number;
}

const keyFor =
	(idempotency: Item['settings']['idempotency'], idempotencyKey = 'order 7') =>
	({ runId = 'run', request = 'print', occurrence = 0, number = 0, ...origin }: KeyParts = {}) =>
		new ItemKeys(
			itemWith({
				settings: { idempotency, idempotencyKey },
				node: { runId, items: {} },
				memory: memoryOf(request, occurrence, number),
				origin: { node: 'w/n', executionId: '1', item: '0:1', ...origin },
			}),
			request,
		).current;

/** What a key may depend on, each with another value than usual. */
const CHANGES: Array<[name: string, change: KeyParts]> = [
	['run id', { runId: 'other' }],
	['request', { request: 'other' }],
	['occurrence', { occurrence: 1 }],
	['number', { number: 1 }],
	['node', { node: 'w/m' }],
	['place', { item: '0:11' }],
	['place', { item: '1:1' }],
	['execution', { executionId: '2' }],
];

test.each([
	['execution', ['run id', 'request', 'occurrence', 'number']],
	['content', ['node', 'request']],
	['custom', []],
	['none', []],
] as const)('%s: the key differs by %j, and by nothing else', (mode, parts) => {
	const key = keyFor(mode);
	for (const [name, change] of CHANGES) {
		const isOther = (parts as readonly string[]).includes(name);
		expect([name, key(change) === key()]).toEqual([name, !isOther]);
	}
});

describe('the key of an upload', () => {
	const upload = (
		idempotency: Item['settings']['idempotency'],
		parts: Partial<RunParts> = {},
		file = 'file 1',
	) =>
		uploadKey(itemWith({ settings: { idempotency, idempotencyKey: 'order 7' }, ...parts }), file);

	test.each(MODES)('%s: is the same for every try of a file, and fits', (mode) => {
		const first = upload(mode, { memory: memoryOf('print') });
		const later = { memory: memoryOf('print', 0, 3) };
		expect(upload(mode, { ...later, origin: { executionId: '9' } })).toBe(first);
		expect(customKeyProblem(first)).toBeUndefined();
		expect(upload(mode, {}, 'file 2')).not.toBe(first);
	});

	test.each([
		['execution', false],
		['none', false],
		['content', true],
		['custom', true],
	] as const)('%s: is the same in another execution: %s', (mode, isSame) => {
		const other = { node: { runId: 'another run', items: {} }, origin: { item: '0:5' } };
		expect(upload(mode, other) === upload(mode)).toBe(isSame);
	});

	test.each(['execution', 'content'] as const)(
		'%s: it is that of one request, so that both keys end together',
		(mode) => {
			const of = (content: string) => upload(mode, { memory: memoryOf(content) });
			expect(of('a cat')).not.toBe(of('a dog'));
		},
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
		keyFor('execution')({ runId: 'seed', occurrence: 1, number: 2 }),
		keyFor('content')(),
		uploadKey(itemWith({ settings: { idempotency: 'custom', idempotencyKey: 'k' } }), 'file'),
		shortHash('text'),
		fingerprint({ b: [1, { d: null, c: 'x' }], a: true }, {}),
	]).toEqual([
		'n8n-aa9817d2ec3251a621ba66b3398b2183320842b4d4d4ad777f41bc30bde2bcc6',
		'n8n-4d83409a6c8bbdfcb1d437e787a71b4d450af131f955d92c8adf6a2bddda9110',
		'n8n-beb0b356621ffb06142cd0cc32782cf690e7966e6c15686c0d2886458a02d2cb',
		'mC2ePrmW9VnmM_TRlN7zdh',
		'8SSRJwKk3yld0Sh96aONkU',
	]);
});

describe('a custom key belongs to one request of an execution, in all rounds of a loop', () => {
	/** Items of one execution, of which each claims its key for its request. */
	function claims(node = nodeMemory({}, '1')) {
		return (item: string, idempotencyKey: string, request: string) => {
			const settings = { idempotency: 'custom', idempotencyKey } as const;
			return new ItemKeys(itemWith({ node, settings, origin: { item } }), request).claim();
		};
	}

	test('another request under it is refused before it is sent', () => {
		const claim = claims();
		expect(claim('0:0', 'x', 'a cat')).toBeUndefined();
		expect(claim('1:0', 'x', 'a cat')).toBeUndefined();
		expect(claim('1:1', 'y', 'a dog')).toBeUndefined();
		expect(claim('2:1', 'x', 'a dog')).toMatchObject({
			failure: {
				kind: 'input',
				field: 'Idempotency Key',
				problem: 'was used in this execution for another request',
				hint: expect.stringMatching(/^Give each request a key of its own/) as string,
			},
		});
	});

	test('counts in no other mode, where one may be left in the field', () => {
		const node = nodeMemory({}, '1');
		const settings = { idempotency: 'content', idempotencyKey: 'x' } as const;
		for (const item of ['0:0', '0:1'])
			expect(
				new ItemKeys(itemWith({ node, settings, origin: { item } }), item).claim(),
			).toBeUndefined();
	});

	test('survives as plain data, and is not stored as it is', () => {
		const context = {};
		claims(nodeMemory(context, '1'))('0:0', 'secret', 'a cat');
		const stored = JSON.stringify(context);
		expect(stored).not.toContain('secret');
		const node = nodeMemory(JSON.parse(stored) as Record<string, unknown>, '2');
		expect(claims(node)('1:0', 'secret', 'a dog')).toMatchObject({ failure: { kind: 'input' } });
	});
});
