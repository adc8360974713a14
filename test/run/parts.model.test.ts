import { runOperation } from '../../src/run/runner';
import { OpenRequests } from '../../src/run/openRequests';
import { Run } from '../../src/run/run';
import { itemMemory, type NodeMemory } from '../../src/run/state';
import { Workspace } from '../../src/service/workspace';
import { InstantClock } from '../model/instantClock';
import { LedgerService, type Outcome } from '../model/ledgerService';
import { seeded } from '../model/random';
import { hostWith, runOf } from '../model/run';
import { repeatWith, seedOf } from '../support/seed';
import { cases } from '../support/thorough';

/*
 * Whole executions of items that need several requests each, such as long texts, against a strict ledger:
 * with lost answers, refusals, jobs that fail, Stop, Retry On Fail, retries and a clock that is set back.
 */

const SEQUENCES = cases(1_500);

const PLAN = { requestsPerMinute: 1_000_000, concurrentJobs: 5 };

/** @returns what happened, if anything was wrong with it */
async function play(seed: number): Promise<string[]> {
	const random = seeded(seed);
	const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
	const clock = new InstantClock();
	const log: string[] = [];
	const violations: string[] = [];
	const idempotency = pick(['execution', 'content', 'custom'] as const);
	const comparesBody = random() < 0.5;
	const wanted = new Map<string, number>();
	const service = new LedgerService(
		{ now: () => clock.monotonic() },
		{ caches402: false, balanceFirst: false, comparesBody, showsNow: random() < 0.5 },
		(charge) => {
			const live = service.charges.filter(
				(one) => one.prompt === charge.prompt && service.isLive(one),
			);
			const most = wanted.get(charge.prompt) ?? 0;
			if (live.length >= most)
				violations.push(
					`${charge.id} (${charge.prompt}) beside ${live.map(({ id }) => id).join()}`,
				);
		},
	);
	let workspace = new Workspace(PLAN, clock, random);
	const openRequests = new OpenRequests();
	const items = Array.from({ length: 1 + Math.floor(random() * 2) }, () =>
		Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(['a', 'b', 'c', 'd'])),
	);
	const mode = pick(['manual', 'production'] as const);
	for (const prompt of items.flat()) wanted.set(prompt, (wanted.get(prompt) ?? 0) + 1);
	if (idempotency === 'content') for (const prompt of wanted.keys()) wanted.set(prompt, 1);
	log.push(`${idempotency} ${mode} ${JSON.stringify(items)}`);
	let memory: NodeMemory | undefined;
	for (let count = 1; count <= 6 && violations.length === 0; count += 1) {
		const execution = String(count);
		const isRetry = mode === 'production' && count > 1;
		// n8n keeps nothing of an execution that was stopped.
		const node: NodeMemory =
			isRetry && memory
				? (JSON.parse(JSON.stringify(memory)) as NodeMemory)
				: { runId: `run ${count}`, startedIn: execution, items: {} };
		const cancel = new AbortController();
		const stopAt = random() < 0.2 ? Math.floor(random() * 10) : Infinity;
		let requests = 0;
		const odds = pick([0, 0.3, 0.6]);
		service.outcome = (): Outcome => {
			requests += 1;
			if (requests >= stopAt) cancel.abort();
			if (random() >= odds) return 'answer';
			return pick<Outcome>([
				'lostBefore',
				'lostAfter',
				'errorAfter',
				'brokenAfter',
				429,
				400,
				403,
				{ after: 520 },
			]);
		};
		service.next = () => ({
			takes: pick([0, 1_000, 3_600_000]),
			fails: idempotency === 'execution' && random() < 0.15,
		});
		const tries = random() < 0.3 ? 2 : 1;
		let isGood = false;
		for (let attempt = 0; attempt < tries && !isGood && !cancel.signal.aborted; attempt += 1) {
			const run = new Run(items.length, false);
			run.cache.location = { runIndex: 0, node: 'workflow/node' };
			const host = hostWith(service.send);
			const results = await Promise.all(
				items.map(async (prompts, itemIndex) => {
					const parts = prompts.map((prompt) => ({
						method: 'POST' as const,
						path: '/generations',
						query: {},
						body: { mode: 'image', model: 'm', prompt },
					}));
					const place = `0:${itemIndex}`;
					const result = await runOperation(
						runOf({
							host: { ...host, channel: { ...host.channel, signal: cancel.signal } },
							workspace,
							run,
							openRequests,
							node,
							parts,
							itemIndex,
							request: parts[0],
							memory: itemMemory(node, place),
							inputFingerprint: `${place} ${prompts.join()}`,
							settings: { idempotency, idempotencyKey: `key ${itemIndex}`, waitTimeoutMs: 25_000 },
							origin: {
								item: place,
								executionId: execution,
								mode,
								looksBack: node.startedIn === execution && (mode === 'manual' || isRetry),
							},
						}),
					);
					run.endItem(!result.ok);
					if (
						result.ok &&
						result.value.resources.map(({ prompt }) => prompt).join() !== prompts.join()
					)
						violations.push(`item ${itemIndex} got ${JSON.stringify(result.value.resources)}`);
					return result;
				}),
			);
			run.noteDeliveries(openRequests, execution, cancel.signal);
			isGood = results.every(({ ok }) => ok);
			log.push(
				`  ${execution}.${attempt}: ${results.map((one) => (one.ok ? 'ok' : one.failure.kind)).join()}${cancel.signal.aborted ? ' stopped' : ''}`,
			);
		}
		memory = cancel.signal.aborted ? undefined : node;
		if (isGood) break;
		if (random() < 0.2) workspace = new Workspace(PLAN, clock, random);
		clock.pass(1_000);
		if (random() < 0.1) clock.setWall(-3_000);
	}
	return violations.length > 0 ? [...log, ...violations] : [];
}

test(`${SEQUENCES} sequences of executions: no part is paid for twice, and each item gets its own`, async () => {
	const first = seedOf(1);
	for (let seed = first; seed < first + SEQUENCES; seed += 1) {
		const found = await play(seed);
		if (found.length > 0) throw new Error([repeatWith(seed), ...found].join('\n'));
	}
});
