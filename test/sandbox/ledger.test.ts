import fc from '../support/fastCheck';
import { cases } from '../support/thorough';

import { liteReservation, meterLite } from '../../sandbox/credits/prices';
import { Ledger, type LedgerLine } from '../../sandbox/credits/ledger';
import { ApiError } from '../../sandbox/errors';
import { noPersistence } from '../../sandbox/store';
import { expectSame } from '../support/same';
import { anImage, startHarness, type Harness } from './support/harness';

type Account = 'available' | 'reserved' | 'spent' | 'outside';

/** Adds the lines up again; the balance after each must be what the ledger wrote beside it. */
function recount(lines: LedgerLine[]): void {
	const sums = new Map<
		string,
		{ granted: number; available: number; reserved: number; spent: number }
	>();
	for (const { workspace, movement, amount, ...after } of lines) {
		const sum = sums.get(workspace) ?? { granted: 0, available: 0, reserved: 0, spent: 0 };
		sums.set(workspace, sum);
		const accounts: Record<LedgerLine['movement'], [from: Account, to: Account]> = {
			grant: ['outside', 'available'],
			withdraw: ['available', 'outside'],
			reserve: ['available', 'reserved'],
			spend: ['reserved', 'spent'],
			release: ['reserved', 'available'],
			charge: ['available', 'spent'],
		};
		const [from, to] = accounts[movement];
		if (from === 'outside') sum.granted += amount;
		else sum[from] -= amount;
		if (to === 'outside') sum.granted -= amount;
		else sum[to] += amount;
		const { available, reserved, spent } = after;
		expectSame(available, sum.available);
		expectSame(reserved, sum.reserved);
		expectSame(spent, sum.spent);
		expectSame(available + reserved + spent, sum.granted);
		expectSame(Math.min(available, reserved, spent) >= 0, true);
	}
}

test('whatever is asked of it, the balance is what its lines add up to', () => {
	const operation = fc.record({
		what: fc.constantFrom('grant', 'reserve', 'spend', 'settle', 'charge'),
		workspace: fc.constantFrom('a', 'b'),
		resource: fc.integer({ min: 0, max: 8 }).map((each) => `job_${each}`),
		amount: fc.integer({ min: -60, max: 60 }),
	});
	fc.assert(
		fc.property(fc.array(operation, { minLength: 50, maxLength: 200 }), (operations) => {
			const ledger = new Ledger({ now: () => 0 }, noPersistence);
			for (const { what, workspace, resource, amount } of operations) {
				const before = ledger.lines.length;
				const { available, reserved, spent } = ledger.balance(workspace);
				try {
					if (what === 'grant') ledger.grant(workspace, amount);
					else ledger[what as 'reserve'](workspace, resource, amount);
				} catch {
					// A refusal has written nothing.
					const balance = ledger.balance(workspace);
					expectSame(ledger.lines.length, before);
					expectSame(balance.available, available);
					expectSame(balance.reserved, reserved);
					expectSame(balance.spent, spent);
				}
			}
			recount(ledger.lines);
			const again = new Ledger({ now: () => 0 }, noPersistence);
			again.restore(ledger.lines);
			for (const workspace of ['a', 'b']) {
				expect(again.balance(workspace)).toEqual(ledger.balance(workspace));
			}
		}),
		{ numRuns: 100 },
	);
});

test('a reservation is settled once, and no more than it holds is spent', () => {
	const ledger = new Ledger({ now: () => 0 }, noPersistence);
	ledger.grant('a', 100);
	ledger.reserve('a', 'job', 10);
	expect(() => ledger.reserve('a', 'job', 10)).toThrow();
	expect(() => ledger.settle('a', 'job', 11)).toThrow();
	ledger.settle('a', 'job', 4);
	expect(() => ledger.settle('a', 'job', 4)).toThrow();
	expect(ledger.balance('a')).toEqual({ available: 96, reserved: 0, spent: 4 });
	expect(() => ledger.charge('a', 'x', 97)).toThrow(ApiError);
});

test('lite speech: whatever the requests, the credits are the whole ones of all characters', () => {
	fc.assert(
		fc.property(fc.array(fc.integer({ min: 1, max: 200_000 }), { maxLength: 60 }), (requests) => {
			let carry = 0;
			let credits = 0;
			let characters = 0;
			for (const request of requests) {
				const metered = meterLite(carry, request);
				expectSame(metered.credits <= liteReservation(request), true);
				carry = metered.carry;
				credits += metered.credits;
				characters += request;
				expectSame(credits, Math.floor((characters * 3) / 10_000));
			}
		}),
		{ numRuns: 500 },
	);
});

/** Random requests over HTTP: about a hundred of each kind where it is thorough. */
const OPERATIONS = cases(1_000);

describe('over HTTP', () => {
	let service: Harness;

	beforeEach(async () => {
		service = await startHarness({ seed: 7, settings: { initialCredits: 3_000 } });
	});

	afterEach(async () => {
		expect(service.reported).toEqual([]);
		await service.close();
	});

	test('random operations in two workspaces charge each job once, and nothing drifts', async () => {
		const { random } = service.sandbox.service;
		const runs: Record<string, string[]> = {};
		const ended = new Set<string>();
		for (let step = 0; step < OPERATIONS; step += 1) {
			const draw = (label: string, below: number) =>
				Math.floor(random.unit(`${step}:${label}`) * below);
			const workspace = draw('key', 4) === 0 ? 'annex' : 'studio';
			const key = workspace === 'annex' ? service.keys.other : service.keys.all;
			const mine = (runs[workspace] ??= []);
			const run = mine[draw('run', mine.length)] ?? 'none';
			const outcome = ['', '', '', '[fail]', '[partial]'][draw('outcome', 5)];
			const text = 'x'.repeat(1 + draw('length', 9_000)) + outcome;
			const parameters = { count: 1 + draw('count', 16) };
			const image = ['/generations', anImage({ prompt: `fox ${outcome}`, parameters })] as const;
			const requests = [
				image,
				image,
				image,
				['/speech', { model: 'service/speech-lite', blocks: [{ text }] }],
				['/agents/runs', { brief: outcome || 'x' }],
				[`/agents/runs/${run}/approve`, { max_credits: 1 + draw('budget', 60) }],
				['/voices', { kind: 'design', name: 'a', description: 'b' }],
				['/personas', { source: 'describe', name: 'a', description: `owl ${outcome}` }],
			] as const;
			const request = requests[draw('what', requests.length + 1)];
			if (request) {
				const [path, body] = request;
				// Every third request is a repeat of an earlier one, as a client that lost the answer sends
				// it.
				const headers = { 'idempotency-key': `k${step - (draw('repeat', 3) === 0 ? 1 : 0)}` };
				const answer = await service.post(path, body, { key, headers });
				if (path === '/agents/runs' && answer.status === 201) mine.push(answer.body.id);
			} else {
				const amount = draw('amount', 400) - 100;
				await service.admin('POST', '/credits', { workspace, amount });
			}
			service.pass(draw('pass', 12));
		}
		service.pass(10_000);
		const readLedger = async () => await service.admin('GET', '/ledger');
		const isQuiet = () =>
			['studio', 'annex'].every((id) => service.sandbox.service.ledger.balance(id).reserved === 0);
		const { body } = await service.until(readLedger, isQuiet);
		recount(body.lines);
		for (const line of body.lines as LedgerLine[]) {
			// No line may follow the one that closed a reservation.
			expect(ended.has(`${line.resource}`)).toBe(false);
			const held = service.sandbox.service.ledger.held(line.workspace, line.resource ?? '');
			expect(held).toBe(0);
			if (line.movement === 'release') ended.add(`${line.resource}`);
		}
		expect(body.lines.length).toBeGreaterThan(OPERATIONS * 0.6);
		await expectEachPaidOnce(body.lines);
	});

	/**
	 * What each generation says it costs is what the ledger spent on it, whether whole or in part.
	 */
	async function expectEachPaidOnce(lines: LedgerLine[]): Promise<void> {
		const spent = new Map<string, number>();
		for (const { movement, resource, amount } of lines) {
			if (movement !== 'spend') continue;
			spent.set(resource ?? '', (spent.get(resource ?? '') ?? 0) + amount);
		}
		for (const workspace of service.sandbox.service.store.workspaces.values()) {
			for (const { id, outputs } of workspace.generations.all()) {
				expect([id, spent.get(id) ?? 0]).toEqual([id, outputs.length * 2]);
			}
		}
	}
});
