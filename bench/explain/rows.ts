import type { ApiRequest } from '../../src/transport/base/types';
import { Workspace } from '../../src/transport/workspace';
import type { Tuning } from '../../src/transport/limits/policies';
import { seeded } from '../../testing/random';
import type { ServiceSettings } from '../../testing/modelService/settings';
import { channelOf } from '../../testing/answers';
import { ModelService } from '../../testing/modelService/service';
import { PLAN } from '../../testing/run';
import { VirtualClock } from '../../testing/virtualClock';
import { ours } from '../simulation/clients/ours';
import type { Scene } from '../simulation/clients/client';
import { share } from '../simulation/sharing';
import { bound, CONCURRENT_JOBS, outcomeOf, serviceFor, type Load } from '../simulation/simulate';

/** What a row comes to. */
export interface Measured {
	/** Time over the bound. */
	time: number;
	/** Requests a job. */
	requests: number;
	/** 429s. */
	refused: number;
	/** Jobs that are not completed. */
	lost: number;
}

type Random = () => number;

interface Situation {
	load: Load;
	/** Without seeds, all jobs take the same time. */
	seeds?: number[];
	/** Whether the ends of jobs are pushed. */
	events?: boolean;
	service?: (clock: VirtualClock, random: Random) => Partial<ServiceSettings>;
	/** What others do with the same key. */
	others?: (scene: Scene) => Promise<unknown>;
}

async function once(
	{ load, events, service: more, others }: Situation,
	seed: number | undefined,
	tuning: Tuning,
): Promise<Measured> {
	const clock = new VirtualClock();
	const onEnd = events ? { onEnd: () => undefined } : {};
	const settings = more?.(clock, seeded((seed ?? 0) + 2_000)) ?? {};
	const service = serviceFor(load, clock, seed, { ...onEnd, ...settings });
	const start = clock.now();
	const random = seeded((seed ?? 0) + 1_000);
	const scene: Scene = { clock, service, random, jobs: load.jobs, tuning };
	void others?.(scene);
	const outcome = outcomeOf(service, clock, start, await clock.run(ours(scene)));
	return {
		time: outcome.makespan / bound(load),
		requests: outcome.requests / load.jobs,
		refused: outcome.refused,
		lost: outcome.lost,
	};
}

/** Means; of the 429s and lost jobs the sums. */
function together(all: Measured[]): Measured {
	const sum = (name: keyof Measured) => all.reduce((total, one) => total + one[name], 0);
	return {
		time: sum('time') / all.length,
		requests: sum('requests') / all.length,
		refused: sum('refused'),
		lost: sum('lost'),
	};
}

const situation = (given: Situation) => async (tuning: Tuning) => {
	const all: Measured[] = [];
	for (const seed of given.seeds ?? [undefined]) all.push(await once(given, seed, tuning));
	return together(all);
};

/** Jobs of somebody else that run for days. */
const stuck = async ({ service }: Scene) => {
	for (let job = 0; job < 2; job += 1)
		await service.send({
			method: 'POST',
			path: '/generations',
			body: { mode: 'image', model: 'm', prompt: 'stranger' },
		});
};

/** Another program that reads every 1.5 s for five minutes. */
const reader = async ({ clock, service }: Scene) => {
	for (let read = 0; read < 200; read += 1) {
		await clock.sleep(1_500);
		await service.send({ method: 'GET', path: '/generations', query: { limit: 1 } });
	}
};

const HOUR = 3_600_000;

const ONCE = { times: 1, everyMs: 0 };

const LIST: ApiRequest = { method: 'GET', path: '/generations', query: { limit: 1 } };

/** A schedule that runs a workflow again and again. */
interface Rounds {
	times: number;
	everyMs: number;
}

/**
 * Reads at once, as a node makes them for as many items, where the service may allow less than the credential says. Of
 * several rounds, the mean time of one.
 */
const reads =
	(count: number, settings: Partial<ServiceSettings>, { times, everyMs }: Rounds = ONCE) =>
	async (tuning: Tuning): Promise<Measured> => {
		const clock = new VirtualClock();
		const service = new ModelService(clock, { latencyMs: 250, ...settings });
		const { client } = new Workspace(PLAN, clock, seeded(1), tuning);
		const allowed = service.settings.requestsPerMinute / 60_000;
		let [busy, lost] = [0, 0];
		for (let round = 0; round < times; round += 1) {
			const start = clock.now();
			const all = Array.from(
				{ length: count },
				async () => await client.request(channelOf(service.send), LIST),
			);
			lost += (await clock.run(Promise.all(all))).filter(({ ok }) => !ok).length;
			busy += clock.now() - start;
			await clock.pass(everyMs);
		}
		return {
			time: busy / times / (count / allowed),
			requests: service.log.length / count / times,
			refused: service.count(429),
			lost,
		};
	};

/** Five jobs that end while reads get no answer for 15 to 25 minutes. Time: minutes until that is noticed afterwards. */
async function outages(tuning: Tuning): Promise<Measured> {
	const all: Measured[] = [];
	for (let seconds = 900; seconds < 1_500; seconds += 30) {
		const clock = new VirtualClock();
		const until = clock.now() + seconds * 1_000;
		let unanswered = 0;
		const fault: ServiceSettings['fault'] = ({ method }) => {
			if (method !== 'GET' || clock.now() >= until) return undefined;
			unanswered += 1;
			return 'before';
		};
		const load = { jobs: 5, seconds: 30 };
		const service = serviceFor(load, clock, undefined, { fault });
		const scene: Scene = { clock, service, random: seeded(seconds), jobs: load.jobs, tuning };
		const outcome = outcomeOf(service, clock, until, await clock.run(ours(scene)));
		all.push({
			time: outcome.makespan / 60,
			requests: (outcome.requests + unanswered) / load.jobs,
			refused: outcome.refused,
			lost: outcome.lost,
		});
	}
	return together(all);
}

const SEEDS = [1, 2, 3];

/** Processes that use one key, at a service that runs this number of jobs at a time. */
const shared =
	(processes: number, load: Load, concurrentJobs = CONCURRENT_JOBS) =>
	async (tuning: Tuning): Promise<Measured> => {
		const all: Measured[] = [];
		for (const seed of SEEDS) {
			const { ratio, requests, refused, lost } = await share(processes, load, seed, tuning, {
				concurrentJobs,
			});
			all.push({
				time: (ratio * concurrentJobs) / CONCURRENT_JOBS,
				requests: requests / (load.jobs * processes),
				refused,
				lost,
			});
		}
		return together(all);
	};

/** The situations that a constant may be needed for. Each is small: many are run for each constant. */
export const ROWS: Record<string, (tuning: Tuning) => Promise<Measured>> = {
	'list, 100 × 5 s ± 20 %': situation({ load: { jobs: 100, seconds: 5 }, seeds: SEEDS }),
	'list, 100 × 30 s': situation({ load: { jobs: 100, seconds: 30 } }),
	'list, 100 × 30 s ± 20 %': situation({ load: { jobs: 100, seconds: 30 }, seeds: SEEDS }),
	'list, 100 × 120 s ± 20 %': situation({ load: { jobs: 100, seconds: 120 }, seeds: SEEDS }),
	'list, 10 × 900 s ± 20 %': situation({ load: { jobs: 10, seconds: 900 }, seeds: SEEDS }),
	'one job of 8 s': situation({ load: { jobs: 1, seconds: 8 } }),
	'jobs get three times as fast, 60 × 60 s': situation({
		load: { jobs: 60, seconds: 60 },
		service: () => {
			let made = 0;
			return { jobMs: () => ((made += 1) <= 30 ? 60_000 : 20_000) };
		},
	}),
	'events, 100 × 30 s ± 20 %': situation({
		load: { jobs: 100, seconds: 30 },
		seeds: SEEDS,
		events: true,
	}),
	'events that come 4 s late, 60 × 30 s': situation({
		load: { jobs: 60, seconds: 30 },
		events: true,
		service: () => ({ latencyMs: 8_000 }),
	}),
	'bucket of 30, 100 × 2 s': situation({
		load: { jobs: 100, seconds: 2 },
		service: () => ({ window: 'bucket', burst: 30 }),
	}),
	'bucket of 30, 500 × 5 s ± 20 %': situation({
		load: { jobs: 500, seconds: 5 },
		seeds: [1],
		service: () => ({ window: 'bucket', burst: 30 }),
	}),
	'three processes, 50 × 30 s each': shared(3, { jobs: 50, seconds: 30 }),
	'two processes, 20 × 8 s each, two slots where five are configured': shared(
		2,
		{ jobs: 20, seconds: 8 },
		2,
	),
	'others hold two slots for good, 60 × 30 s': situation({
		load: { jobs: 60, seconds: 30 },
		service: () => ({ jobMs: (prompt) => (prompt === 'stranger' ? HOUR * 24 : 30_000) }),
		others: stuck,
	}),
	'others read every 1.5 s for 5 min, 200 × 5 s': situation({
		load: { jobs: 200, seconds: 5 },
		others: reader,
	}),
	'a quarter of the answers is lost, 60 × 30 s': situation({
		load: { jobs: 60, seconds: 30 },
		seeds: SEEDS,
		service: (_, random) => ({ loses: () => random() < 0.25 }),
	}),
	'no answer to a read for 10 min, 60 × 30 s': situation({
		load: { jobs: 60, seconds: 30 },
		service: (clock) => {
			const from = clock.now() + 60_000;
			return {
				fault: ({ method }) =>
					method === 'GET' && clock.now() > from && clock.now() < from + 600_000
						? 'before'
						: undefined,
			};
		},
	}),
	'no answer to reads for 15 to 25 min, 5 × 30 s': outages,
	'60 reads at once': reads(60, {}),
	'60 reads at once, bucket of 30': reads(60, { window: 'bucket', burst: 30 }),
	'60 reads at once every 45 min, ten times, bucket of 30': reads(
		60,
		{ window: 'bucket', burst: 30 },
		{ times: 10, everyMs: 2_700_000 },
	),
	'60 reads at once, 20 a minute': reads(60, { requestsPerMinute: 20 }),
	'20 reads at once, 3 a minute': reads(20, { requestsPerMinute: 3 }),
	'lists get no answer, 60 × 30 s': situation({
		load: { jobs: 60, seconds: 30 },
		service: () => ({
			fault: ({ path, method }) =>
				method === 'GET' && path === '/generations' ? 'before' : undefined,
		}),
	}),
};
