/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { atMost, figureTable, mean, table, type Figure } from '../table';
import { oursListing } from './clients/ours';
import { answer, inProcesses } from './processes';
import { bound, CLIENTS, ideal, LOADS, simulate, type Load, type Outcome } from './simulate';

/** Long runs scatter less, so they have fewer seeds. */
const seedsOf = ({ jobs }: Load) =>
	Array.from({ length: jobs < 500 ? 15 : 5 }, (_, index) => index + 1);

/** What a client makes of a load: the means over the seeds. */
async function measure(client: number, load: Load): Promise<Outcome> {
	const outcomes: Outcome[] = [];
	for (const seed of seedsOf(load)) outcomes.push(await simulate(CLIENTS[client]!, load, seed));
	const of = (name: keyof Outcome) => mean(outcomes.map((outcome) => outcome[name]));
	return {
		makespan: of('makespan'),
		requests: of('requests'),
		refused: of('refused'),
		lost: of('lost'),
	};
}

const labelOf = ({ jobs, seconds }: Load) => `${jobs}, ${seconds}`;

/** By the load: the most time over a scheduler that knows every end, and requests a job. `fixed`: all jobs take d. */
const LIMITS: Record<string, { fixed?: number; scattered: number; demand?: number }> = {
	'100, 5': { fixed: 1.32, scattered: 1.4 },
	'500, 30': { fixed: 1.03, scattered: 1.07, demand: 2.7 },
	'500, 120': { scattered: 1.035, demand: 4.2 },
};

/** The figures of ours beside their limits, and all clients beside each other. */
export async function clientTables(): Promise<string> {
	const made = await inProcesses<Outcome[]>(__filename, CLIENTS.length);
	const own = made[CLIENTS.indexOf(oursListing)]!;
	/** Seconds of a scheduler that knows every end at once. */
	const least = LOADS.map((load) => mean(seedsOf(load).map((seed) => ideal(load, seed))));

	const figures: Figure[] = [];
	for (const [index, load] of LOADS.entries()) {
		const limits = LIMITS[labelOf(load)];
		if (!limits) continue;
		const { fixed, scattered, demand } = limits;
		const { makespan, requests } = own[index]!;
		const of = `N = ${load.jobs}, d = ${load.seconds}`;
		const time = `time over knowing every end, ${of}`;
		if (fixed !== undefined) {
			const outcome = await simulate(oursListing, load);
			figures.push(atMost(time, outcome.makespan / bound(load), fixed, { digits: 3 }));
		}
		figures.push(atMost(`${time} ± 20 %`, makespan / least[index]!, scattered, { digits: 3 }));
		if (demand !== undefined)
			figures.push(atMost(`requests a job, ${of} ± 20 %`, requests / load.jobs, demand));
	}

	const head = ['N, d', ...CLIENTS.map(({ name }) => name)];
	const rows = (text: (outcome: Outcome, load: number) => string) =>
		LOADS.map((load, index) => [
			labelOf(load),
			...made.map((outcomes) => text(outcomes[index]!, index)),
		]);
	const times = rows(({ makespan, lost }, load) => {
		const given = lost >= 0.5 ? ` (${lost.toFixed(0)})` : '';
		return `${(makespan / least[load]!).toFixed(2)}${given}`;
	});
	const demands = rows(({ requests }, load) => (requests / LOADS[load]!.jobs).toFixed(1));
	return [
		figureTable('Ours beside the limits', figures),
		table('Time over knowing every end, d ± 20 % (jobs given up)', head, times),
		table('Requests a job, d ± 20 %', head, demands),
	].join('\n');
}

void answer(module, async (task) => {
	const outcomes: Outcome[] = [];
	for (const load of LOADS) outcomes.push(await measure(task, load));
	return outcomes;
});
