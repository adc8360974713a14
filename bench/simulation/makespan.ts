import { lister } from './clients/lister';
import { oursListing, oursWithEvents } from './clients/ours';
import { SEEDS, type Cell } from './cells';
import { bound, CLIENTS, LOADS, type Load, type Outcome } from './simulate';
import type { Figure, Table } from '../report/table';

/** The load that the target for requests a job speaks of. */
const USUAL = { jobs: 100, seconds: 30 };

const nameOf = ({ jobs, seconds }: Load) => `${jobs}, ${seconds}`;

const isSame = (one: Load, other: Load) => one.jobs === other.jobs && one.seconds === other.seconds;

/** What a client made of a load. */
export function cellOf(all: Cell[], load: Load, client: string): Cell {
	const cell = all.find((one) => isSame(one.load, load) && one.client === client);
	if (!cell) throw new Error(`${client} was not measured at ${nameOf(load)}`);
	return cell;
}

/** The shortest time in which the jobs of a load can be made, in seconds. */
const shortest = {
	fixed: bound,
	scattered: (load: Load, all: Cell[]) => cellOf(all, load, oursWithEvents.name).ideal,
} as const;

function shown(
	kind: 'fixed' | 'scattered',
	all: Cell[],
	text: (outcome: Outcome, load: Load, least: number) => string,
) {
	return LOADS.map((load) => {
		const least = shortest[kind](load, all);
		const cells = CLIENTS.map(({ name }) => cellOf(all, load, name));
		return [nameOf(load), least.toFixed(0), ...cells.map((cell) => text(cell[kind], load, least))];
	});
}

const withTrouble = ({ makespan, refused, lost }: Outcome) => {
	const trouble = refused + lost > 0 ? ` (${refused.toFixed(0)}/${lost.toFixed(0)})` : '';
	return `${makespan.toFixed(0)}${trouble}`;
};

const ratio = ({ makespan }: Outcome, _load: Load, least: number) => (makespan / least).toFixed(3);

const demand = ({ requests }: Outcome, { jobs }: Load) => (requests / jobs).toFixed(2);

const HEAD = ['N, d', 'knows every end', ...CLIENTS.map(({ name }) => name)];

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
			'In brackets: 429s, and jobs that the client has given up on the way. *Knows every end* is a scheduler that pays no request for it: no client can be faster with these jobs in this order.',
			shown('scattered', all, withTrouble),
		),
		table('Seconds where all jobs take d', 'As above.', shown('fixed', all, withTrouble)),
		table(
			'Time over that of a scheduler that knows every end at once, d ± 20 %',
			'Each job takes at least one round trip more.',
			shown('scattered', all, ratio),
		),
		table('The same, all jobs take d', 'Then that is N d / C.', shown('fixed', all, ratio)),
		table('Requests a job, d ± 20 %', '1 is the creation itself.', shown('scattered', all, demand)),
		table(
			'Requests a job, all jobs take d',
			'1 is the creation itself.',
			shown('fixed', all, demand),
		),
	];
}

/** The loads in which requests are plentiful. */
const LONG = LOADS.filter(({ seconds }) => seconds >= 30);

/** N = 100, d = 5: a creation each second takes all requests that there are. */
const SHORT: Load = { jobs: 100, seconds: 5 };

/** Of which the target for scattered durations speaks. */
const SCATTERED: Load = { jobs: 500, seconds: 30 };

const figure = (name: string, value: number, most: number, note: string): Figure => ({
	name,
	value: value.toFixed(3),
	target: `≤ ${most}`,
	isMet: value <= most,
	note,
});

export function makespanFigures(all: Cell[]): Figure[] {
	const [list, events, plain] = [oursListing, oursWithEvents, lister].map(({ name }) => name) as [
		string,
		string,
		string,
	];
	const over = (kind: 'fixed' | 'scattered', client: string, load: Load) =>
		cellOf(all, load, client)[kind].makespan / shortest[kind](load, all);
	const worst = (client: string) => Math.max(...LONG.map((load) => over('fixed', client, load)));
	const demandOf = (kind: 'fixed' | 'scattered', load: Load) =>
		cellOf(all, load, list)[kind].requests / load.jobs;
	const plainRatio = over('scattered', plain, SCATTERED);
	const requests = [demandOf('fixed', USUAL), demandOf('scattered', USUAL)];
	requests.push(demandOf('scattered', SCATTERED));
	const isWorst = 'the worst of the loads with d ≥ 30';
	return [
		figure('time over the bound, fixed d, list polling', worst(list), 1.02, isWorst),
		figure('the same with completion events', worst(events), 1.006, isWorst),
		figure(
			'time over knowing every end, N = 500, d = 30 ± 20 %, list polling',
			over('scattered', list, SCATTERED),
			Number(plainRatio.toFixed(3)),
			`a plain list every 2 s takes ${plainRatio.toFixed(3)}, with ${demand(cellOf(all, SCATTERED, plain).scattered, SCATTERED)} requests a job`,
		),
		figure(
			'the same with completion events',
			over('scattered', events, SCATTERED),
			1.01,
			'means of the seeds',
		),
		figure(
			'the same, N = 100, d = 5 ± 20 %, list polling',
			over('scattered', list, SHORT),
			1.35,
			`creations alone need all requests; ${(cellOf(all, SHORT, list).scattered.makespan / bound(SHORT)).toFixed(3)} of N d / C`,
		),
		{
			name: 'requests a job, d = 30, list polling',
			value: requests.map((one) => one.toFixed(2)).join(', '),
			target: '≤ 2.5',
			isMet: Math.max(...requests) <= 2.5,
			note: 'N = 100 with fixed d, N = 100 and N = 500 with d ± 20 %',
		},
	];
}
