/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { atMost, figureTable, mean, table, type Figure } from '../table';
import type { Client } from './clients/client';
import { oursListing } from './clients/ours';
import { answer, inProcesses } from './processes';
import { bound, CLIENTS, ideal, LOADS, simulate, type Load, type Outcome } from './simulate';

/** Long runs scatter less, so they have fewer seeds. */
const seedsOf = ({ jobs }: Load) =>
	Array.from({ length: jobs < 500 ? 15 : 5 }, (_, index) => index + 1);

type Kind = 'fixed' | 'scattered';

function meanOf(outcomes: Outcome[]): Outcome {
	const of = (name: keyof Outcome) => mean(outcomes.map((outcome) => outcome[name]));
	return {
		makespan: of('makespan'),
		requests: of('requests'),
		refused: of('refused'),
		lost: of('lost'),
	};
}

/** What a client makes of each load; durations fixed, and the means over the seeds. */
async function measure(client: Client): Promise<Array<Record<Kind, Outcome>>> {
	const made: Array<Record<Kind, Outcome>> = [];
	for (const load of LOADS) {
		const scattered: Outcome[] = [];
		for (const seed of seedsOf(load)) scattered.push(await simulate(client, load, seed));
		made.push({ fixed: await simulate(client, load), scattered: meanOf(scattered) });
	}
	return made;
}

/** Limits of time over a scheduler that knows every end, and of requests a job. */
const LIMITS: Array<{ load: Load; fixed?: number; scattered: number; demand?: number }> = [
	{ load: { jobs: 100, seconds: 5 }, fixed: 1.32, scattered: 1.4 },
	{ load: { jobs: 500, seconds: 30 }, fixed: 1.03, scattered: 1.07, demand: 2.7 },
	{ load: { jobs: 500, seconds: 120 }, scattered: 1.035, demand: 4.2 },
];

/** The figures of ours beside their limits, and all clients beside each other. */
export async function clientTables(): Promise<string> {
	const made = await inProcesses<Array<Record<Kind, Outcome>>>(__filename, CLIENTS.length);
	const outcome = ({ name }: Client, load: number, kind: Kind) =>
		made[CLIENTS.findIndex((client) => client.name === name)]?.[load]?.[kind] as Outcome;
	/** Seconds of a scheduler that knows every end at once. */
	const least = (load: Load, kind: Kind) =>
		kind === 'fixed' ? bound(load) : mean(seedsOf(load).map((seed) => ideal(load, seed)));

	const figures: Figure[] = [];
	for (const { load, demand, ...limits } of LIMITS) {
		const { jobs, seconds } = load;
		const index = LOADS.findIndex((one) => one.jobs === jobs && one.seconds === seconds);
		for (const [kind, most] of Object.entries(limits) as Array<[Kind, number]>) {
			const name = `time over knowing every end, N = ${jobs}, d = ${seconds}${kind === 'fixed' ? '' : ' ± 20 %'}`;
			const { makespan } = outcome(oursListing, index, kind);
			figures.push(atMost(name, makespan / least(load, kind), most, { digits: 3 }));
		}
		if (demand === undefined) continue;
		const name = `requests a job, N = ${jobs}, d = ${seconds} ± 20 %`;
		const { requests } = outcome(oursListing, index, 'scattered');
		figures.push(atMost(name, requests / jobs, demand));
	}

	const shown = (kind: Kind, text: (outcome: Outcome, load: Load, least: number) => string) =>
		LOADS.map((load, index) => [
			`${load.jobs}, ${load.seconds}`,
			...CLIENTS.map((client) => text(outcome(client, index, kind), load, least(load, kind))),
		]);
	const ratio = ({ makespan, lost }: Outcome, _load: Load, best: number) =>
		`${(makespan / best).toFixed(2)}${lost >= 0.5 ? ` (${lost.toFixed(0)})` : ''}`;
	const demand = ({ requests }: Outcome, { jobs }: Load) => (requests / jobs).toFixed(1);
	const head = ['N, d', ...CLIENTS.map(({ name }) => name)];
	return [
		figureTable('Ours beside the limits', figures),
		table('Time over knowing every end, d ± 20 % (jobs given up)', head, shown('scattered', ratio)),
		table('The same, all jobs take d', head, shown('fixed', ratio)),
		table('Requests a job, d ± 20 %', head, shown('scattered', demand)),
	].join('\n');
}

void answer(module, async (task) => await measure(CLIENTS[task] as Client));
