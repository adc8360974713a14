import fc from '../support/fastCheck';
import { Run } from '../../src/run/run';
import { BinaryReference, fingerprint } from '../../src/run/uploads';
import type { Item } from '../../src/run/item';
import {
	contentOf,
	customKeyProblem,
	isKeyPersistent,
	keyInUse,
	ItemKeys,
	shortHash,
	uploadKey,
} from '../../src/run/keys';
import { nodeMemory } from '../../src/run/state';
import { answer } from '../../testing/answers';
import { hostWith, runOf, workspaceWith, type RunParts } from '../../testing/run';
import { VirtualClock } from '../../testing/virtualClock';

const DAY = 86_400_000;

const MODES = ['execution', 'content', 'custom', 'none'] as const;

const workspace = workspaceWith(new VirtualClock());
const host = hostWith(async () => answer(200));

const itemWith = (parts: Partial<RunParts> = {}): Item => runOf({ host, workspace, ...parts });

const origin = { runId: 'run', item: '0:1', node: 'w/n', executionId: '1' };

type KeyParts = Partial<Item['origin']> & { request?: string; number?: number };

const keyFor =
	(idempotency: Item['settings']['idempotency'], idempotencyKey = 'order 7') =>
	({ request = 'print', number = 0, ...from }: KeyParts = {}) =>
		new ItemKeys(
			itemWith({ settings: { idempotency, idempotencyKey }, origin: { ...origin, ...from } }),
			request,
		).of(number);

/** Claims the custom key of an item for a request, where no other item of its run has yet to. */
const claimFor = (item: Item, request: string) => void new ItemKeys(item, request).claim();

/** What a key may depend on, each with another value than usual. */
const CHANGES: Array<[name: string, change: KeyParts]> = [
	['execution', { runId: 'other' }],
	['item', { item: '0:11' }],
	['item', { item: '1:1' }],
	['node', { node: 'w/m' }],
	['request', { request: 'other' }],
	['number', { number: 1 }],
	['try', { executionId: '2' }],
];

test.each([
	['execution', ['execution', 'item', 'number']],
	['content', ['node', 'request', 'number']],
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

test('every key that is made fits the service: at most 255 printable characters', () => {
	fc.assert(
		fc.property(fc.string(), fc.string(), fc.nat(), (text, item, number) => {
			const parts = { runId: text, node: text, item, request: item, number };
			for (const mode of ['execution', 'content'] as const)
				expect(customKeyProblem(keyFor(mode)(parts) ?? '')).toBeUndefined();
		}),
	);
});

test.each([
	['execution', false],
	['content', true],
	['custom', true],
	['none', false],
] as const)('%s: other executions use the same key: %s', (idempotency, isShared) => {
	expect(isKeyPersistent(itemWith({ settings: { idempotency } }))).toBe(isShared);
});

describe('the key of an upload', () => {
	const upload = (
		idempotency: Item['settings']['idempotency'],
		parts: Partial<RunParts> = {},
		file = 'file 1',
	) =>
		uploadKey(itemWith({ settings: { idempotency, idempotencyKey: 'order 7' }, ...parts }), file);

	const memory = (more: object) => ({ state: { is: 'new', nextKey: 0 } as const, ...more });

	test.each(MODES)('%s: is the same for every try of a file, and fits', (mode) => {
		const first = upload(mode, { memory: memory({}) });
		const later = { memory: { state: { is: 'new', nextKey: 3 } as const } };
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
		const other = { origin: { runId: 'another run', item: '0:5' } };
		expect(upload(mode, other) === upload(mode)).toBe(isSame);
	});

	test('By Content it is that of one request, so that both keys end together', () => {
		const of = (fingerprint: string) => upload('content', { memory: memory({ fingerprint }) });
		expect(of('a cat')).not.toBe(of('a dog'));
	});
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
		keyFor('execution')({ runId: 'seed', number: 2 }),
		keyFor('content')({ number: 1 }),
		uploadKey(itemWith({ settings: { idempotency: 'custom', idempotencyKey: 'k' } }), 'file'),
		shortHash('text'),
		fingerprint({ b: [1, { d: null, c: 'x' }], a: true }, {}),
	]).toEqual([
		'n8n-bcefff08ba4b154349c6867b711c7ead11227703fceaf1e47f989abc95621bfc',
		'n8n-f0ff310bdbbf6566f398e543ea2ad85fba8c99b9d9c436d2d8236ea7b91091d5',
		'n8n-beb0b356621ffb06142cd0cc32782cf690e7966e6c15686c0d2886458a02d2cb',
		'mC2ePrmW9VnmM_TRlN7zdh',
		'8SSRJwKk3yld0Sh96aONkU',
	]);
});

describe('a custom key that two requests of an execution use', () => {
	/** Items of one execution, of which each claims its key for its request. */
	function claims() {
		const node = nodeMemory({});
		const run = new Run(12, false, true);
		/** @returns why the item is not sent */
		const claim = (item: string, idempotencyKey: string, request: string) => {
			const settings = { idempotency: 'custom', idempotencyKey } as const;
			const itemIndex = Number(item.split(':')[1]) || 0;
			claimFor(itemWith({ node, run, itemIndex, settings, origin: { item } }), request);
			return run.rejectionOf(itemIndex);
		};
		return { run, claim };
	}

	const PROBLEM = 'which make different requests';

	test('is refused for the later one and the first, and for no other', () => {
		const { run, claim } = claims();
		expect([claim('0:0', 'x', 'a cat'), claim('0:1', 'x', 'a cat')]).toEqual([
			undefined,
			undefined,
		]);
		const failed = claim('0:2', 'x', 'a dog');
		expect(failed).toMatchObject({
			failure: {
				kind: 'input',
				field: 'Idempotency Key',
				problem: `is the same for item 0 and item 2, ${PROBLEM}`,
				hint: expect.stringMatching(/^Give each request a key of its own/) as string,
			},
		});
		expect([run.rejectionOf(0), run.rejectionOf(1)]).toEqual([failed, undefined]);
		expect(claim('0:3', 'y', 'a dog')).toBeUndefined();
	});

	test.each([
		['0:10', '2:1', 10, `is the same for item 10 and item 1 of run 3, ${PROBLEM}`],
		['1:4', 'call:b', 4, `is the same for item 4 of run 2 and a call of this tool, ${PROBLEM}`],
	])(
		'of an earlier run of the node too (%s, %s), whose item is sent already',
		(first, later, index, problem) => {
			const { run, claim } = claims();
			claim(first, 'x', 'a cat');
			expect(claim(later, 'x', 'a dog')).toMatchObject({ failure: { problem } });
			expect(run.rejectionOf(index)).toBeUndefined();
		},
	);

	test('is said in the order of the items, whichever was prepared first', () => {
		const { run, claim } = claims();
		claim('0:10', 'x', 'a cat');
		const failed = claim('0:9', 'x', 'a dog');
		expect(failed).toMatchObject({
			failure: { problem: `is the same for item 9 and item 10, ${PROBLEM}` },
		});
		expect(run.rejectionOf(10)).toBe(failed);
	});

	test('is still there for the item that has it, whatever it asks for now', () => {
		const { claim } = claims();
		claim('0:0', 'x', 'a cat');
		expect(claim('0:0', 'x', 'a dog')).toBeUndefined();
		expect(claim('0:1', 'x', 'a cat')).toMatchObject({ failure: { kind: 'input' } });
	});

	test('is none where no custom key counts and one is left in the field', () => {
		const node = nodeMemory({});
		const settings = { idempotency: 'content', idempotencyKey: 'x' } as const;
		for (const item of ['0:0', '0:1'])
			claimFor(itemWith({ node, settings, origin: { item } }), item);
		expect(node.keys).toBeUndefined();
	});

	test('survives as plain data, and is not stored as it is', () => {
		const context = {};
		const settings = { idempotency: 'custom', idempotencyKey: 'secret' } as const;
		claimFor(itemWith({ node: nodeMemory(context), settings }), 'a cat');
		const stored = JSON.stringify(context);
		expect(stored).not.toContain('secret');
		const node = nodeMemory(JSON.parse(stored) as Record<string, unknown>);
		const run = new Run(9, false);
		const again = itemWith({ node, run, settings, itemIndex: 8, origin: { item: '0:8' } });
		claimFor(again, 'a dog');
		expect(run.rejectionOf(8)).toMatchObject({ failure: { kind: 'input' } });
	});
});

test.each([
	[{ id: 'gen_1' }, /whose job is gen_1$/],
	[undefined, /may or may not have been carried out$/],
])('a key that is kept by a changed request names its job: %j', (job, problem) => {
	expect(keyInUse(job)).toMatchObject({
		job,
		failure: {
			kind: 'input',
			field: 'Idempotency Key',
			problem: expect.stringMatching(problem) as string,
		},
	});
});

describe('By Content, what this process knows of the keys of a content', () => {
	const asking = (fingerprint: string, more: Partial<RunParts> = {}) =>
		itemWith({ memory: { state: { is: 'new', nextKey: 0 }, fingerprint }, ...more });

	test('a content is one of a node', () => {
		const content = contentOf(asking('print', { origin }));
		const elsewhere = { origin: { ...origin, runId: 'x', item: '3:3' } };
		expect(contentOf(asking('print', elsewhere))).toBe(content);
		expect(contentOf(asking('print', { origin: { ...origin, node: 'w/m' } }))).not.toBe(content);
		expect(contentOf(asking('other', { origin }))).not.toBe(content);
	});

	type State = Item['memory']['state'];
	const NEW: State = { is: 'new', nextKey: 0 };
	const made = (attempt: number, id: string): State => ({
		...{ is: 'created', nextKey: 0, attempt },
		job: { id },
	});
	/** An answer of which nobody knows what became of the request. */
	const lost = (attempt: number): State => ({
		...{ is: 'sent', nextKey: 0, attempt, path: '/', body: {}, firstSentAt: 0 },
		...{ isInFlight: false, mayBeCarriedOut: true },
	});

	/** What items with one content do in a process, one after the other. */
	function contentIn(clock = new VirtualClock(), content = 'a cat') {
		const shared = workspaceWith(clock);
		const keysOf = (state: State, named = content) => {
			const memory = { state, fingerprint: named };
			const settings = { idempotency: 'content' } as const;
			const run = new Run(1, false);
			const item = itemWith({ workspace: shared, memory, settings, run });
			return { item, keys: new ItemKeys(item, named) };
		};
		return {
			noteUse: (number: number, state: State) => keysOf(state).keys.noteUse(number),
			noteFailure: (number: number, id: string) => keysOf(made(number, id)).keys.noteFailure(),
			afterNoCredits: (number: number) => keysOf(NEW).keys.after(number, 'noCredits'),
			/** The number with which an item of a new run starts. */
			first(named = content) {
				const { item, keys } = keysOf(NEW, named);
				keys.startAtFirst();
				return item.memory.state.nextKey;
			},
		};
	}

	test('it starts where there may be a job, after those that have failed', () => {
		const cat = contentIn();
		expect(cat.first()).toBe(0);
		cat.noteUse(2, made(2, 'gen_1'));
		expect([cat.first(), cat.afterNoCredits(2)]).toEqual([2, 2]);
		cat.noteFailure(2, 'gen_1');
		expect(cat.first()).toBe(3);
	});

	test('what is said of an earlier number changes nothing', () => {
		const cat = contentIn();
		cat.noteUse(2, lost(2));
		cat.noteUse(1, lost(1));
		cat.noteFailure(0, 'gen_1');
		expect(cat.first()).toBe(2);
	});

	test('the failure of a job of the day before, under an expired key, is not that of the job there is now', () => {
		const cat = contentIn();
		cat.noteUse(0, made(0, 'gen_2'));
		cat.noteFailure(0, 'gen_1');
		expect(cat.first()).toBe(0);
		cat.noteFailure(0, 'gen_2');
		expect(cat.first()).toBe(1);
	});

	test('where its answer was lost, the job under the number is the one that fails', () => {
		const cat = contentIn();
		cat.noteUse(0, lost(0));
		cat.noteFailure(0, 'gen_1');
		expect(cat.first()).toBe(1);
	});

	test('a request that did nothing is no use of its number', () => {
		const cat = contentIn();
		cat.noteUse(3, NEW);
		expect(cat.first()).toBe(0);
	});

	test('after a 402 comes the first number that has met none; another refusal keeps the number', () => {
		const cat = contentIn();
		expect([0, 1, 0, 5].map((number) => cat.afterNoCredits(number))).toEqual([1, 2, 2, 6]);
		const asked = asking('a cat', { settings: { idempotency: 'content' } });
		expect(new ItemKeys(asked, 'a cat').after(3, 'invalid')).toBe(3);
	});

	test('each content has its own', () => {
		const cat = contentIn();
		cat.noteUse(3, lost(3));
		expect([cat.first(), cat.first('a dog')]).toEqual([3, 0]);
	});

	test.each([
		['a day later', DAY],
		['with the clock set back', -1],
	])('%s nothing of it counts any more, as the service may have dropped the keys', (_, later) => {
		const clock = new VirtualClock();
		const began = clock.now();
		const cat = contentIn(clock);
		cat.afterNoCredits(4);
		cat.noteUse(3, lost(3));
		expect(cat.first()).toBe(3);
		jest.spyOn(clock, 'now').mockReturnValue(began + later);
		expect([cat.first(), cat.afterNoCredits(3), cat.afterNoCredits(0)]).toEqual([0, 4, 4]);
	});
});
