import { POLICIES, type Tuning } from '../../src/transport/limits/policies';
import type { Table } from '../report/table';
import { listerEvery } from './clients/lister';
import { oursListing } from './clients/ours';
import { lookAhead } from './lookAhead';
import {
	CONCURRENT_JOBS,
	durationsOf,
	ideal,
	JITTER,
	ROUND_TRIP_MS,
	simulate,
	type Load,
} from './simulate';

/** Of which the target for scattered durations speaks. */
const LOAD: Load = { jobs: 500, seconds: 30 };

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);

/** Looking ahead takes seconds for each seed. */
const LOOKED_AHEAD = SEEDS.slice(0, 2);

const INTERVALS = [2_000, 3_000, 4_000];
const PRICES = [300, 450, 600, 900, 1_300];

/** Of the client that looks ahead, in slot-seconds. */
const AHEAD = [0.6, 1];

interface Made {
	makespan: number;
	requests: number;
}

/** Time over that of a scheduler that knows every end, and requests a job. */
async function row(
	name: string,
	seeds: readonly number[],
	make: (seed: number) => Promise<Made> | Made,
): Promise<string[]> {
	const sum = { makespan: 0, requests: 0, least: 0 };
	for (const seed of seeds) {
		const { makespan, requests } = await make(seed);
		sum.makespan += makespan;
		sum.requests += requests;
		sum.least += ideal(LOAD, seed);
	}
	const demand = sum.requests / seeds.length / LOAD.jobs;
	return [name, demand.toFixed(2), (sum.makespan / sum.least).toFixed(3)];
}

const priced = (requestPriceMs: number): Tuning => ({
	...POLICIES,
	polling: { ...POLICIES.polling, requestPriceMs },
});

function ahead(price: number, seed: number): Made {
	const next = durationsOf(LOAD, seed);
	const durations = Array.from({ length: LOAD.jobs }, next);
	const spread = {
		slots: CONCURRENT_JOBS,
		shortest: LOAD.seconds * (1 - JITTER),
		longest: LOAD.seconds * (1 + JITTER),
		roundTrip: ROUND_TRIP_MS / 1_000,
	};
	return lookAhead(durations, spread, price, seed);
}

/** What time list requests buy, and how much they could. */
export async function lists(): Promise<Table> {
	const rows: string[][] = [];
	for (const every of INTERVALS) {
		const client = listerEvery(every);
		rows.push(await row(client.name, SEEDS, async (seed) => await simulate(client, LOAD, seed)));
	}
	for (const price of PRICES) {
		const tuning = priced(price);
		const usual = price === POLICIES.polling.requestPriceMs ? ', as published' : '';
		const name = `ours, requestPriceMs ${price}${usual}`;
		rows.push(
			await row(name, SEEDS, async (seed) => await simulate(oursListing, LOAD, seed, {}, tuning)),
		);
	}
	for (const price of AHEAD) {
		const name = `knows the spread, looks ahead (${price} s)`;
		rows.push(await row(name, LOOKED_AHEAD, (seed) => ahead(price, seed)));
	}
	return {
		title: `What a list request buys, N = ${LOAD.jobs}, d = ${LOAD.seconds} ± ${JITTER * 100} %`,
		intro:
			`Means of ${SEEDS.length} seeds. *Looks ahead* (of ${LOOKED_AHEAD.length} seeds) knows how the durations are spread and tries out ten times for each list ` +
			'in 200 possible futures (`bench/simulation/lookAhead.ts`): about what lists alone can do, and nothing that a client could.',
		head: ['client', 'requests a job', 'time over knowing every end'],
		rows,
	};
}
