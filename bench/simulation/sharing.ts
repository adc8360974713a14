import { seeded } from '../../testing/random';
import type { ServiceSettings } from '../../testing/modelService/settings';
import { VirtualClock } from '../../testing/virtualClock';
import { ours } from './clients/ours';
import { bound, outcomeOf, serviceFor, type Load, type Outcome } from './simulate';

export interface Shared extends Outcome {
	/** Makespan over the bound of all jobs together. */
	ratio: number;
}

/**
 * Processes that use one key and know nothing of each other; each has this many jobs to make.
 * @param laterMs how much later than the one before each begins; what that takes counts
 */
export async function share(
	processes: number,
	load: Load,
	seed?: number,
	settings?: Partial<ServiceSettings>,
	laterMs = 0,
): Promise<Shared> {
	const clock = new VirtualClock();
	const service = serviceFor(load, clock, seed, settings);
	const start = clock.now();
	const all = Array.from({ length: processes }, async (_, index) => {
		const random = seeded((seed ?? 0) * 100 + index + 7);
		if (index > 0) await clock.sleep(index * laterMs);
		return await ours({ clock, service, random, jobs: load.jobs }, `process ${index}`);
	});
	const lost = (await clock.run(Promise.all(all))).reduce((sum, each) => sum + each, 0);
	const outcome = outcomeOf(service, clock, start, lost);
	const ideal = bound({ ...load, jobs: load.jobs * processes });
	return { ...outcome, ratio: outcome.makespan / ideal };
}
