import type { Send } from '../../src/base/types';
import type { Counting } from '../../test/model/modelService/requestLimit';
import { seeded } from '../../test/model/random';
import { VirtualClock } from '../../test/model/virtualClock';
import { sum } from '../table';
import { ours } from './clients/ours';
import { foreignClient } from './clients/foreign';
import { CONCURRENT_JOBS, REQUESTS_PER_MINUTE, serviceFor } from './simulate';

/** Processes that use one key and know nothing of each other. */
export interface Sharing {
	processes: number;
	/** Of each process. */
	jobs: number;
	/** How long a job takes, ± 20 %. */
	seconds: number;
	/** How much later each process begins than the one before. */
	apartMs: number;
	window: Counting;
	namesRetryAfter: boolean;
	countsRefused: boolean;
	/** Whether a client that is not ours takes a third of slots and requests. */
	hasForeign: boolean;
}

/** What has come of it. Times are in seconds, ratios over what the limits allow. */
export interface Shared {
	makespan: number;
	bound: number;
	/** Of all processes together. */
	jobs: number;
	requests: number;
	refused: number;
	lost: number;
	/** How much longer the slowest process took than the fastest. */
	unfairness: number;
}

/** What the foreign client takes of both limits. */
const FOREIGN = 1 / 3;

/**
 * No client can be faster that polls. Each process has its part of the slots in use, a list answers
 * for all jobs of a process, and nobody can do with more than a request to create and one to look.
 */
function boundWithPolling(sharing: Sharing): number {
	const { processes, jobs, seconds, hasForeign } = sharing;
	const left = hasForeign ? 1 - FOREIGN : 1;
	const [slots, rate] = [CONCURRENT_JOBS * left, REQUESTS_PER_MINUTE * left];
	const all = processes * jobs;
	const requests = all * (1 + Math.min(1, processes / slots));
	const minutes = Math.ceil(requests / rate) - 1;
	return Math.max(Math.ceil(all / slots) * seconds, 60 * minutes + seconds);
}

/** Runs it in virtual time. */
async function share(sharing: Sharing, seed: number): Promise<Shared> {
	const { processes, jobs, seconds, apartMs, hasForeign, ...settings } = sharing;
	const clock = new VirtualClock();
	const service = serviceFor({ jobs, seconds }, clock, seed, settings);
	const start = clock.now();
	const stopForeign = hasForeign
		? foreignClient(clock, service.send, seeded(seed), FOREIGN)
		: undefined;
	/** Of our own requests. */
	const statuses: number[] = [];
	const send: Send = async (request) => {
		const answer = await service.send(request);
		statuses.push('status' in answer ? answer.status : 0);
		return answer;
	};
	const all = Array.from({ length: processes }, async (_, index) => {
		const random = seeded(seed * 100 + index + 7);
		await clock.sleep(index * apartMs);
		const began = clock.now();
		const lost = await ours(
			{ clock, send, settings: service.settings, random, jobs },
			`process ${index}`,
		);
		return { lost, took: clock.now() - began };
	});
	const done = await clock.run(Promise.all(all));
	stopForeign?.();
	const took = done.map((each) => each.took);
	return {
		makespan: (clock.now() - start) / 1_000,
		bound: boundWithPolling(sharing),
		jobs: processes * jobs,
		requests: statuses.length,
		refused: statuses.filter((status) => status === 429).length,
		lost: sum(done.map((each) => each.lost)),
		unfairness: Math.max(...took) / Math.min(...took),
	};
}

/** What may matter beside a load: how a minute is counted, and the rest, each of it in half of the runs. */
type Circumstances = 'apartMs' | 'window' | 'namesRetryAfter' | 'countsRefused';

/** Six runs of a load: each way to count a minute twice, and each of the rest three times. */
export async function shareSixTimes(load: Omit<Sharing, Circumstances>): Promise<Shared[]> {
	const windows: Counting[] = ['sliding', 'fixed', 'bucket'];
	const runs: Shared[] = [];
	for (const index of [0, 1, 2, 3, 4, 5]) {
		const circumstances = {
			window: windows[index % 3]!,
			apartMs: index < 3 || load.hasForeign ? 0 : 10_000,
			namesRetryAfter: index % 2 === 0,
			countsRefused: [0, 1, 5].includes(index),
		};
		runs.push(await share({ ...load, ...circumstances }, 1 + (index % 3)));
	}
	return runs;
}

/**
 * Two workers of n8n with 20 jobs of 8 s each, the second of which begins a second later, as it does in a
 * real n8n: it finds all slots taken, so that the first never sees a job of another process. 20 runs.
 */
export async function shareAsWorkers(): Promise<Shared[]> {
	const load = { processes: 2, jobs: 20, seconds: 8, apartMs: 1_000, hasForeign: false } as const;
	const settings = { window: 'sliding', namesRetryAfter: false, countsRefused: false } as const;
	const runs: Shared[] = [];
	for (let seed = 1; seed <= 20; seed += 1) runs.push(await share({ ...load, ...settings }, seed));
	return runs;
}
