import { shortHash } from '../../../src/base/hash';
import {
	requestHashOf,
	idempotencyOf,
	ownKeyProblem,
	uploadKey,
} from '../../../src/creation/idempotency/idempotency';
import type { Item } from '../../../src/creation/item';
import { BinaryReference, type LocalFile } from '../../../src/files/localFile';
import { answer } from '../../model/answers';
import { hostWith, runOf, sourceWith, workspaceWith, type RunParts } from '../../model/run';
import { VirtualClock } from '../../model/virtualClock';

const workspace = workspaceWith(new VirtualClock());
const host = hostWith(async () => answer(200));

const itemWith = (parts: Partial<RunParts> = {}): Item => runOf({ host, workspace, ...parts });

interface KeyParts extends NonNullable<RunParts['origin']> {
	runId?: string;
	request?: string;
	number?: number;
	filledIn?: object;
}

const keyFor =
	(idempotency: Item['settings']['idempotency'], idempotencyKey = 'order 7') =>
	({ runId = 'run', request = 'print', number = 0, filledIn, ...origin }: KeyParts = {}) =>
		idempotencyOf(
			itemWith({
				settings: { idempotency, idempotencyKey },
				nodeMemory: { runId, items: {} },
				memory: { state: { is: 'new', keyNumber: number }, requestHash: request },
				origin: { nodeId: 'w/n', executionId: '1', place: '0:1', ...origin },
			}),
			request,
		).currentKey(filledIn);

/** What a key may depend on, each with another value than usual. */
const CHANGES: Array<[name: string, change: KeyParts]> = [
	['run id', { runId: 'other' }],
	['request', { request: 'other' }],
	['number', { number: 1 }],
	['node', { nodeId: 'w/m' }],
	['place', { place: '0:11' }],
	['place', { place: '1:1' }],
	['execution', { executionId: '2' }],
	['what is filled in', { filledIn: { model: 'm' } }],
];

test.each([
	['execution', ['run id', 'request', 'number', 'place', 'what is filled in']],
	['content', ['node', 'request', 'what is filled in']],
	['custom', []],
	['none', []],
] as const)('%s: the key differs by %j, and by nothing else', (mode, parts) => {
	const key = keyFor(mode);
	for (const [name, change] of CHANGES) {
		const isOther = (parts as readonly string[]).includes(name);
		expect([name, key(change) === key()]).toEqual([name, !isOther]);
	}
});

test('a custom key is what the user gave; without keys there is none', () => {
	expect(keyFor('custom')()).toBe('order 7');
	expect(keyFor('none')()).toBeUndefined();
});

test.each([
	['x'.repeat(255), undefined],
	['order-7 (first) ~', undefined],
	['', 'is empty'],
	['x'.repeat(256), 'has 256 characters; at most 255 are allowed'],
	['ä', 'may only contain printable ASCII characters'],
	['a\nb', 'may only contain printable ASCII characters'],
])('a key of the user: %p -> %p', (key, problem) => {
	expect(ownKeyProblem(key)).toBe(problem);
});

test('keys and hashes stay what they are: others would be paid for again after an update', () => {
	const file: LocalFile = { ...sourceWith(), size: 3, hash: 'ab12', type: 'image/png' };
	const named = { input: { image_refs: [new BinaryReference('data'), 'https://a.example/b.png'] } };
	expect([
		keyFor('execution')({ runId: 'seed', number: 2 }),
		keyFor('content')(),
		uploadKey('k', 'file'),
		shortHash('text'),
		requestHashOf(
			{ path: '/generations', body: { b: [1, { d: null, c: 'x' }], a: true } },
			new Map(),
		),
		requestHashOf({ path: '/generations', body: named }, new Map([['data', file]])),
	]).toEqual([
		'n8n-607ab952fb6c283c0853e8b56a620333a107a21ad191ae0d513edd46acbad7aa',
		'n8n-4d83409a6c8bbdfcb1d437e787a71b4d450af131f955d92c8adf6a2bddda9110',
		'n8n-beb0b356621ffb06142cd0cc32782cf690e7966e6c15686c0d2886458a02d2cb',
		'mC2ePrmW9VnmM_TRlN7zdh',
		'3wfXchhP0KM4Qnb1V8bOdh',
		'F0UYov4aKPf-dScWcAm-FJ',
	]);
});
