import type { Fault } from '../model/modelService/settings';
import { createJob } from '../../src/run/creation';
import { Run } from '../../src/run/run';
import { ModelService } from '../model/modelService';
import { seeded } from '../model/random';
import { seedOf, withSeed } from '../support/seed';
import { cases } from '../support/thorough';
import { hostWith, runOf, workspaceWith } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const ITEMS = 100;

/** One service of so few items at a time that all seeds take seconds: each list shows all of its jobs. */
const PLAN = { requestsPerMinute: 1_000_000, concurrentJobs: ITEMS };

/** Runs of one item: the first, Retry On Fail, Retry Execution … */
const MOST_RUNS = 20;

const FAULTS: Fault[] = ['before', 'after', 'timeout', 'truncated', 'error'];

/**
 * Has 100 items made while two of three answers to a POST are lost in one of the ways; the ledger
 * judges.
 */
async function season(seed: number) {
	const random = seeded(seed);
	const clock = new VirtualClock();
	const lost = new Map<Fault, number>();
	const service = new ModelService(clock, {
		...PLAN,
		jobMs: () => 5_000,
		fault({ method }) {
			if (method !== 'POST' || random() > 2 / 3) return undefined;
			const fault = FAULTS[Math.floor(random() * FAULTS.length)];
			if (fault) lost.set(fault, (lost.get(fault) ?? 0) + 1);
			return fault;
		},
	});
	const workspace = workspaceWith(clock, PLAN);
	const host = hostWith(service.send);
	const make = async (itemIndex: number): Promise<string | undefined> => {
		const prompt = `item ${itemIndex}`;
		const item = runOf({ host, workspace, itemIndex, prompt });
		for (let time = 0; time < MOST_RUNS; time += 1) {
			const made = await createJob({
				...item,
				run: new Run(1, false),
				origin: { ...item.origin, executionId: `run ${time}` },
			});
			if (made.ok) return made.value.id;
		}
		return undefined;
	};
	const items = Array.from({ length: ITEMS }, async (_, index) => await make(index));
	const ids = await clock.run(Promise.all(items));
	return { service, ids, lost };
}

/** Answers that are lost in all. */
const LOST = cases(10_000);

test(`${LOST} answers to a POST lost in every way: nothing is charged twice, and no job is left without its item`, async () => {
	const total = new Map<Fault, number>();
	const sum = () => [...total.values()].reduce((all, each) => all + each, 0);
	for (let next = seedOf(1); sum() < LOST; next += 1) {
		await withSeed(next, async (seed) => {
			const { service, ids, lost } = await season(seed);
			// Each job in the ledger is one charge.
			const charges = service.jobs.map(({ prompt }) => prompt);
			expect(charges).toHaveLength(ITEMS);
			expect(new Set(charges).size).toBe(ITEMS);
			expect(new Set(ids)).toEqual(new Set(service.jobs.map(({ id }) => id)));
			const prompts = new Map(service.jobs.map(({ id, prompt }) => [id, prompt]));
			expect(ids.map((id) => prompts.get(id ?? ''))).toEqual(ids.map((_, item) => `item ${item}`));
			for (const [fault, count] of lost) total.set(fault, (total.get(fault) ?? 0) + count);
		});
	}
	expect(Math.min(...FAULTS.map((fault) => total.get(fault) ?? 0))).toBeGreaterThan(0.15 * LOST);
});
