import { seeded } from '../../test/model/random';
import { VirtualClock } from '../../test/model/virtualClock';
import { allKnowing } from './clients/allKnowing';
import { oneByOne, byFives } from './clients/loops';
import type { Client } from './clients/client';
import { lister } from './clients/lister';
import { oursListing, oursWithEvents } from './clients/ours';
import { openaiNode, openaiPython } from './clients/sdk';
import { ModelService } from '../../test/model/modelService/service';
import type { ServiceSettings } from '../../test/model/modelService/settings';

/** How many jobs of which duration; seconds. */
export interface Load {
	jobs: number;
	seconds: number;
}

export const LOADS: Load[] = [
	{ jobs: 100, seconds: 5 },
	{ jobs: 100, seconds: 30 },
	{ jobs: 500, seconds: 30 },
	{ jobs: 500, seconds: 120 },
];

export const CLIENTS: Client[] = [
	oneByOne,
	byFives,
	openaiPython,
	openaiNode,
	lister,
	oursListing,
	oursWithEvents,
];

/** How far durations lie around theirs, as a part of it. */
const JITTER = 0.2;

export const REQUESTS_PER_MINUTE = 60;
export const CONCURRENT_JOBS = 5;
const ROUND_TRIP_MS = 250;

/** No client can be faster. Seconds; one request a job, and five jobs at a time. */
export function bound({ jobs, seconds }: Load): number {
	const minutes = Math.ceil(jobs / REQUESTS_PER_MINUTE) - 1;
	return Math.max(Math.ceil(jobs / CONCURRENT_JOBS) * seconds, 60 * minutes + seconds);
}

/** How long the jobs take, one after the other, in seconds: all the same, or scattered by the seed. */
function durationsOf({ seconds }: Load, seed: number | undefined): () => number {
	const random = seeded(seed ?? 0);
	const spread = seed === undefined ? 0 : JITTER;
	return () => seconds * (1 + spread * (2 * random() - 1));
}

/** What a scheduler makes of the jobs of a seed that knows every end at once. Seconds. */
export function ideal(load: Load, seed: number): number {
	const duration = durationsOf(load, seed);
	return allKnowing(Array.from({ length: load.jobs }, duration), {
		slots: CONCURRENT_JOBS,
		perMinute: REQUESTS_PER_MINUTE,
	});
}

/** What one run has come to; `jobs` and `seconds` as in the load. */
export interface Outcome {
	/** Seconds until the client was through. */
	makespan: number;
	requests: number;
	refused: number;
	/** Jobs that the client gave up, made or not. */
	lost: number;
}

/** The server's side of a load: durations fixed, or scattered by the seed. */
export function serviceFor(
	load: Load,
	clock: VirtualClock,
	seed: number | undefined,
	more: Partial<ServiceSettings> = {},
): ModelService {
	const duration = durationsOf(load, seed);
	const jobMs = () => duration() * 1_000;
	return new ModelService(clock, { latencyMs: ROUND_TRIP_MS, jobMs, ...more });
}

/** Lets a client work off a load. Without a seed, all jobs take the same time. */
export async function simulate(
	client: Client,
	load: Load,
	seed?: number,
	more: Partial<ServiceSettings> = {},
): Promise<Outcome> {
	const clock = new VirtualClock();
	const events = client.events ? { onEnd: () => undefined } : {};
	const { send, settings, log } = serviceFor(load, clock, seed, { ...events, ...more });
	const start = clock.now();
	const random = seeded((seed ?? 0) + 1_000);
	const lost = await clock.run(client.run({ clock, send, settings, random, jobs: load.jobs }));
	const makespan = (clock.now() - start) / 1_000;
	const refused = log.filter(({ status }) => status === 429).length;
	return { makespan, requests: log.length, refused, lost };
}
