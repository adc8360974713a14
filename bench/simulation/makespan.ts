import { oursListing, oursTold } from './clients/ours';
import {
	bound,
	CLIENTS,
	LOADS,
	simulate,
	simulateSeeds,
	type Load,
	type Outcome,
} from './simulate';
import type { Figure, Table } from '../report/table';

const SEEDS = 20;

/** The load that the target for requests a job speaks of. */
const USUAL = { jobs: 100, seconds: 30 };

/** What each client made of each load; durations fixed, and the mean over the seeds. */
export interface Cell {
	load: Load;
	client: string;
	fixed: Outcome;
	scattered: Outcome;
}

export async function cells(): Promise<Cell[]> {
	const all: Cell[] = [];
	for (const load of LOADS) {
		for (const client of CLIENTS) {
			const fixed = await simulate(client, load);
			const scattered = await simulateSeeds(client, load, SEEDS);
			all.push({ load, client: client.name, fixed, scattered });
		}
	}
	return all;
}

const nameOf = ({ jobs, seconds }: Load) => `${jobs}, ${seconds}`;

function shown(
	kind: 'fixed' | 'scattered',
	all: Cell[],
	text: (outcome: Outcome, load: Load) => string,
) {
	return LOADS.map((load) => [
		nameOf(load),
		String(bound(load)),
		...all.filter((cell) => cell.load === load).map((cell) => text(cell[kind], load)),
	]);
}

const withTrouble = ({ makespan, refused, lost }: Outcome) => {
	const trouble = refused + lost > 0 ? ` (${refused.toFixed(0)}/${lost.toFixed(0)})` : '';
	return `${makespan.toFixed(0)}${trouble}`;
};

const ratio = ({ makespan }: Outcome, load: Load) => (makespan / bound(load)).toFixed(3);

const demand = ({ requests }: Outcome, { jobs }: Load) => (requests / jobs).toFixed(2);

const HEAD = ['N, d', 'bound', ...CLIENTS.map(({ name }) => name)];

/** The tables of the simulation, as the design has them. */
export function makespanTables(all: Cell[]): Table[] {
	const table = (title: string, intro: string, rows: string[][]) => ({
		title,
		intro,
		head: HEAD,
		rows,
	});
	return [
		table(
			`Seconds for N jobs of d seconds ± 20 %, means of ${SEEDS} seeds`,
			'In brackets: 429s, and jobs that the client would have given up.',
			shown('scattered', all, withTrouble),
		),
		table(
			'Seconds where all jobs take d',
			'In brackets as above.',
			shown('fixed', all, withTrouble),
		),
		table(
			'Time over the bound, d ± 20 %',
			'The last jobs of a batch do not end together, so that 1 is out of reach.',
			shown('scattered', all, ratio),
		),
		table('Time over the bound, all jobs take d', '1 is the bound.', shown('fixed', all, ratio)),
		table('Requests a job, d ± 20 %', '1 is the creation itself.', shown('scattered', all, demand)),
		table(
			'Requests a job, all jobs take d',
			'1 is the creation itself.',
			shown('fixed', all, demand),
		),
	];
}

/** The worst ratio of a client over the loads that the target speaks of. */
function worst(all: Cell[], client: string): number {
	const cells = all.filter((cell) => cell.client === client && cell.load.seconds >= 30);
	return Math.max(...cells.map(({ fixed, load }) => fixed.makespan / bound(load)));
}

function ratioFigure(name: string, value: number, most: number): Figure {
	return {
		name,
		value: value.toFixed(3),
		target: `≤ ${most}`,
		isMet: value <= most,
		note: 'the worst of the loads with d ≥ 30',
	};
}

export function makespanFigures(all: Cell[]): Figure[] {
	const usual = all.find(
		({ client, load }) =>
			client === oursListing.name && load.jobs === USUAL.jobs && load.seconds === USUAL.seconds,
	);
	const [fixed = NaN, scattered = NaN] = [usual?.fixed, usual?.scattered].map(
		(outcome) => (outcome?.requests ?? NaN) / USUAL.jobs,
	);
	return [
		ratioFigure('makespan / bound, fixed d, list polling', worst(all, oursListing.name), 1.06),
		ratioFigure('the same with completion events', worst(all, oursTold.name), 1.03),
		{
			name: 'requests a job, N = 100, d = 30, list polling',
			value: `${fixed.toFixed(2)} and ${scattered.toFixed(2)}`,
			target: '≤ 2.5',
			isMet: Math.max(fixed, scattered) <= 2.5,
			note: 'fixed d, and d ± 20 %',
		},
	];
}
