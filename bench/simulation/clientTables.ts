/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { atMost, figureTable, mean, table, type Figure } from '../table';
import { inLanes } from './clients/client';
import { oursListing } from './clients/ours';
import { bound, CLIENTS, ideal, LOADS, simulate, type Load, type Outcome } from './simulate';

const SEEDS = Array.from({ length: 15 }, (_, index) => index + 1);

/** What each client made of one load; durations fixed, and the means over the seeds. */
interface Cells {
	/** Seconds of a scheduler that knows every end at once, with scattered durations. */
	ideal: number;
	byClient: Record<string, { fixed: Outcome; scattered: Outcome }>;
}

function meanOf(outcomes: Outcome[]): Outcome {
	const of = (name: keyof Outcome) => mean(outcomes.map((outcome) => outcome[name]));
	return {
		makespan: of('makespan'),
		requests: of('requests'),
		refused: of('refused'),
		lost: of('lost'),
	};
}

async function cellsOf(load: Load): Promise<Cells> {
	const cells: Cells = { ideal: mean(SEEDS.map((seed) => ideal(load, seed))), byClient: {} };
	for (const client of CLIENTS) {
		const scattered: Outcome[] = [];
		for (const seed of SEEDS) scattered.push(await simulate(client, load, seed));
		cells.byClient[client.name] = {
			fixed: await simulate(client, load),
			scattered: meanOf(scattered),
		};
	}
	return cells;
}

/** Each load in a process of its own, as many at once as the machine has cores; the slowest first. */
async function measure(): Promise<Cells[]> {
	const all: Cells[] = [];
	await inLanes(LOADS.length, availableParallelism(), async (started) => {
		const index = LOADS.length - 1 - started;
		const args = ['--import', 'tsx', __filename, String(index)];
		const { stdout } = await promisify(execFile)(process.execPath, args);
		all[index] = JSON.parse(stdout) as Cells;
	});
	return all;
}

type Kind = 'fixed' | 'scattered';

/** Floors of time over a scheduler that knows every end, and of requests a job. */
const FLOORS: Array<{ load: Load; fixed?: number; scattered: number; demand?: number }> = [
	{ load: { jobs: 100, seconds: 5 }, fixed: 1.32, scattered: 1.4 },
	{ load: { jobs: 500, seconds: 30 }, fixed: 1.03, scattered: 1.07, demand: 2.7 },
	{ load: { jobs: 500, seconds: 120 }, scattered: 1.035, demand: 4.2 },
];

/** The figures of ours beside their floors, and all clients beside each other. */
export async function clientTables(): Promise<string> {
	const cells = await measure();
	const rows = LOADS.map((load, index) => ({ load, cells: cells[index] as Cells }));
	const outcome = (own: Cells, client: string, kind: Kind) =>
		(own.byClient[client] as Record<Kind, Outcome>)[kind];
	const least = (load: Load, own: Cells, kind: Kind) =>
		kind === 'fixed' ? bound(load) : own.ideal;

	const figures: Figure[] = [];
	for (const { load, demand, ...floors } of FLOORS) {
		const { cells: own } = rows.find(
			({ load: { jobs, seconds } }) => jobs === load.jobs && seconds === load.seconds,
		) as (typeof rows)[number];
		for (const [kind, most] of Object.entries(floors) as Array<[Kind, number]>) {
			const name = `time over knowing every end, N = ${load.jobs}, d = ${load.seconds}${kind === 'fixed' ? '' : ' ± 20 %'}`;
			const { makespan } = outcome(own, oursListing.name, kind);
			figures.push(atMost(name, makespan / least(load, own, kind), most, { digits: 3 }));
		}
		if (demand === undefined) continue;
		const name = `requests a job, N = ${load.jobs}, d = ${load.seconds} ± 20 %`;
		const { requests } = outcome(own, oursListing.name, 'scattered');
		figures.push(atMost(name, requests / load.jobs, demand));
	}

	const shown = (kind: Kind, text: (outcome: Outcome, load: Load, least: number) => string) =>
		rows.map(({ load, cells: own }) => [
			`${load.jobs}, ${load.seconds}`,
			...CLIENTS.map(({ name }) => text(outcome(own, name, kind), load, least(load, own, kind))),
		]);
	const ratio = ({ makespan, lost }: Outcome, _load: Load, best: number) =>
		`${(makespan / best).toFixed(2)}${lost >= 0.5 ? ` (${lost.toFixed(0)})` : ''}`;
	const demand = ({ requests }: Outcome, { jobs }: Load) => (requests / jobs).toFixed(1);
	const head = ['N, d', ...CLIENTS.map(({ name }) => name)];
	return [
		figureTable('Ours beside the floor', figures),
		table('Time over knowing every end, d ± 20 % (jobs given up)', head, shown('scattered', ratio)),
		table('The same, all jobs take d', head, shown('fixed', ratio)),
		table('Requests a job, d ± 20 %', head, shown('scattered', demand)),
	].join('\n');
}

async function main(): Promise<void> {
	const load = LOADS[Number(process.argv[2])];
	if (!load) throw new Error('Which load?');
	console.log(JSON.stringify(await cellsOf(load)));
}

if (require.main === module) void main();
