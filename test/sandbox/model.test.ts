import fc from '../support/fastCheck';
import { cases } from '../support/thorough';

import { MODELS } from '../../sandbox/catalogue/models';
import type { LedgerLine } from '../../sandbox/credits/ledger';
import { expectSame } from '../support/same';
import { changed, kindOf, OPERATIONS } from './support/bodies';
import { startHarness, type Answer, type Harness, type RequestOptions } from './support/harness';

type Operation = (typeof OPERATIONS)[number];

const ROUNDS = cases(4_000);

let service: Harness;
beforeAll(async () => {
	service = await startHarness({ settings: { initialCredits: 1_000 } });
});
afterAll(async () => await service.close());

/** Ids by the kind of what they are of. */
const ids = new Map<string, string[]>();
const idsFor = (path: string): string[] => ids.get(kindOf(path.replace('/jobs', '/speech'))) ?? [];

/** Sends a request, whose answer the harness holds against the OpenAPI document, in which no 5xx is. */
async function send(
	{ method, path }: Operation,
	{ id = 'nothing', ...options }: RequestOptions & { id?: string },
): Promise<Answer> {
	const answer = await service.call(method, path.replace('{id}', id), options);
	if (method === 'POST' && !path.includes('{id}') && answer.status < 300)
		ids.set(kindOf(path), [...idsFor(path).slice(-40), answer.body.id]);
	return answer;
}

const link = 'https://example.com/a.png';
const text = fc.constantFrom(
	'a fox',
	'[fail]',
	'[partial]',
	'🦊',
	'x'.repeat(999),
	'x'.repeat(9_999),
);

/** Values of fields with which a request may succeed. */
const FIELDS: Partial<Record<string, fc.Arbitrary<unknown>>> = {
	model: fc.constantFrom(...MODELS.map(({ id }) => id)),
	mode: fc.constantFrom('image', 'video', 'audio'),
	'parameters.count': fc.integer({ min: 0, max: 17 }),
	'parameters.quality': fc.constantFrom('low', 'high'),
	'input.image_refs': fc.constantFrom([link], ['http://example.com/a'], ['javascript:1']),
	auto_approve: fc.boolean(),
	max_credits: fc.integer({ min: 0, max: 90 }),
	plan: fc.oneof(fc.jsonValue(), fc.constant({ steps: [] })),
	delivery: fc.constantFrom('signed_url', 'email'),
};

const nasty = fc.constantFrom<unknown>(
	...[null, '', '\0', '\ud800', '../../etc/passwd', '<script>', 'x'.repeat(10_001)],
	...[-1, 0, 1.5, 1e308, true, [], {}, [[[]]], { __proto__: null, constructor: 'x' }],
);

/** A field, of those of the operation or not, and what it is set to. */
const change = fc.oneof(
	fc.tuple(fc.constantFrom('brief', 'description', 'blocks[0].text'), text),
	fc.oneof(...Object.entries(FIELDS).map(([field, value]) => fc.tuple(fc.constant(field), value!))),
	fc.tuple(fc.constantFrom(...Object.keys(FIELDS), 'prompt', 'extra', 'name', 'events[0]'), nasty),
);

/** Something in one of so many cases and one more. */
const seldom = <T>(among: number, arbitrary: fc.Arbitrary<T>) =>
	fc.oneof({ weight: among, arbitrary: fc.constant(undefined) }, arbitrary);

const request = fc.record({
	operation: fc.constantFrom(
		...OPERATIONS,
		// What costs credits is asked for most.
		...OPERATIONS.filter(({ extra, name }) => extra.includes(402) || name === 'createPersona'),
		...Array<Operation>(8).fill(OPERATIONS.find(({ name }) => name === 'createGeneration')!),
	),
	/** Which of the ids that were returned so far, or an unknown one. */
	which: fc.oneof(
		{ weight: 8, arbitrary: fc.nat() },
		fc.constantFrom('nothing', '..', '%2e%2e%2f', '%00', '%E0%A4%A', '__proto__', 'a'.repeat(3000)),
	),
	prompt: text,
	changes: fc.array(change, { maxLength: 3 }),
	raw: seldom(30, fc.constantFrom('{', '', 'null', '[1', '\ufeff{}')),
	key: fc.constantFrom(
		...(['all', 'all', 'all', 'all', 'all', 'other', 'other', 'read', 'unentitled', null] as const),
	),
	/** One of its own, of others, or none. */
	idempotencyKey: fc.constantFrom('own', 'own', 'own', 'a', 'k'.repeat(256), undefined),
	pass: fc.nat({ max: 4 }),
	credits: seldom(20, fc.integer({ min: -500, max: 300 })),
});

test(`of ${ROUNDS} random requests none is a 5xx or outside the document, and each job is paid for once`, async () => {
	const statuses: number[] = [];
	await fc.assert(
		fc.asyncProperty(request, async ({ operation, which, key, ...draw }) => {
			const { method, path, body } = operation;
			const once = draw.idempotencyKey === 'own' ? `own ${statuses.length}` : draw.idempotencyKey;
			const known = idsFor(path);
			const asked = body && 'prompt' in body ? { ...body, prompt: draw.prompt } : body;
			// Fields of other operations are ignored.
			const sent = draw.changes.reduce(
				(all, [field, value]) => all && changed(all, field, value),
				asked,
			);
			const options = {
				id: typeof which === 'number' ? known[which % known.length] : which,
				key: key && service.keys[key],
				body: sent,
				raw: sent && draw.raw,
				headers: once ? { 'idempotency-key': once } : undefined,
			};
			const { status, body: answer } = await send(operation, options);
			statuses.push(status);
			// A client that has lost the answer asks again, and gets the same.
			if (method === 'POST' && once && status < 300)
				expect((await send(operation, options)).body).toEqual(answer);
			const { credits: amount } = draw;
			if (amount !== undefined)
				await service.admin('POST', '/credits', { workspace: 'studio', amount });
			service.pass(draw.pass);
		}),
		{ numRuns: ROUNDS, endOnFailure: true },
	);
	// Not all are refusals, and not all are refused for one reason.
	expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(ROUNDS / 8);
	expect(statuses).toEqual(expect.arrayContaining([200, 201, 202, 400, 401, 402, 403, 404]));
	expect(service.reported).toEqual([]);
	await expectPaidOnce();
});

/** Holds the ledger against what jobs say that they have cost, and against what was put in and taken out. */
async function expectPaidOnce(): Promise<void> {
	const { ledger, store } = service.sandbox.service;
	service.pass(10_000);
	const read = async () => await service.admin('GET', '/ledger');
	const workspaces = [...store.workspaces.values()];
	const isQuiet = () => workspaces.every(({ id }) => ledger.balance(id).reserved === 0);
	const lines: LedgerLine[] = (await service.until(read, isQuiet)).body.lines;
	/** By resource. */
	const paid = new Map<string | null, number>();
	/** By workspace. */
	const given = new Map<string, number>();
	const add = <Key>(sums: Map<Key, number>, key: Key, amount: number) =>
		sums.set(key, (sums.get(key) ?? 0) + amount);
	for (const { workspace, movement, amount, resource, ...balance } of lines) {
		const { available, reserved, spent } = balance;
		expectSame(Math.min(available, reserved, spent) >= 0, true);
		if (movement === 'spend' || movement === 'charge') add(paid, resource, amount);
		if (movement === 'grant') add(given, workspace, amount);
		if (movement === 'withdraw') add(given, workspace, -amount);
	}
	for (const { id, generations, speech, personas, agentRuns } of workspaces) {
		const { available, spent } = ledger.balance(id);
		expect([id, available + spent]).toEqual([id, given.get(id) ?? 0]);
		const ended = [...generations.all(), ...speech.all()].filter(({ settledAt }) => settledAt);
		for (const job of [...ended, ...personas.all(), ...agentRuns.all()])
			expect([job.id, paid.get(job.id) ?? 0]).toEqual([job.id, job.spentCredits]);
	}
}
