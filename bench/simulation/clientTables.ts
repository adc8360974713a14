import { atMost, figureTable, mean, table, type Figure } from '../table';
import type { Client } from './clients/client';
import { oursListing } from './clients/ours';
import { bound, CLIENTS, ideal, LOADS, simulate, type Load, type Outcome } from './simulate';

/** Long runs scatter less, so they have fewer seeds. */
const seedsOf = ({ jobs }: Load) =>
	Array.from({ length: jobs < 500 ? 15 : 5 }, (_, index) => index + 1);

/** What a client makes of a load: the means over the seeds. */
async function measure(client: Client, load: Load): Promise<Outcome> {
	const outcomes: Outcome[] = [];
	for (const seed of seedsOf(load)) outcomes.push(await simulate(client, load, seed));
	const of = (name: keyof Outcome) => mean(outcomes.map((outcome) => outcome[name]));
	return {
		makespan: of('makespan'),
		requests: of('requests'),
		refused: of('refused'),
		lost: of('lost'),
	};
}

const labelOf = ({ jobs, seconds }: Load) => `${jobs}, ${seconds}`;

/**
 * By the load: the most time over a scheduler that knows every end, and requests a job. `fixed`: all jobs
 * take d.
 */
const LIMITS: Record<string, { fixed?: number; scattered: number; demand?: number }> = {
	'100, 5': { fixed: 1.32, scattered: 1.4 },
	'500, 30': { fixed: 1.03, scattered: 1.07, demand: 2.7 },
	'500, 120': { scattered: 1.035, demand: 4.2 },
};

/** Ours with a load, beside its limits. */
async function figuresOf(load: Load, own: Outcome, least: number): Promise<Figure[]> {
	const limits = LIMITS[labelOf(load)];
	if (!limits) return [];
	const { fixed, scattered, demand } = limits;
	const of = `N = ${load.jobs}, d = ${load.seconds}`;
	const time = `time over knowing every end, ${of}`;
	const figures = [atMost(`${time} ± 20 %`, own.makespan / least, scattered, { digits: 3 })];
	if (fixed !== undefined) {
		const { makespan } = await simulate(oursListing, load);
		figures.unshift(atMost(time, makespan / bound(load), fixed, { digits: 3 }));
	}
	if (demand !== undefined)
		figures.push(atMost(`requests a job, ${of} ± 20 %`, own.requests / load.jobs, demand));
	return figures;
}

/** The figures of ours beside their limits, and all clients beside each other. */
export async function clientTables(): Promise<string> {
	const figures: Figure[] = [];
	const times: string[][] = [];
	const demands: string[][] = [];
	for (const load of LOADS) {
		/** Seconds of a scheduler that knows every end at once. */
		const least = mean(seedsOf(load).map((seed) => ideal(load, seed)));
		const made: Outcome[] = [];
		for (const client of CLIENTS) made.push(await measure(client, load));
		figures.push(...(await figuresOf(load, made[CLIENTS.indexOf(oursListing)]!, least)));
		const timeOf = ({ makespan, lost }: Outcome) =>
			(makespan / least).toFixed(2) + (lost >= 0.5 ? ` (${lost.toFixed(0)})` : '');
		times.push([labelOf(load), ...made.map(timeOf)]);
		const demandOf = ({ requests }: Outcome) => (requests / load.jobs).toFixed(1);
		demands.push([labelOf(load), ...made.map(demandOf)]);
	}
	const head = ['N, d', ...CLIENTS.map(({ name }) => name)];
	return [
		figureTable('Ours beside the limits', figures),
		table('Time over knowing every end, d ± 20 % (jobs given up)', head, times),
		table('Requests a job, d ± 20 %', head, demands),
	].join('\n');
}
