/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { inLanes } from './clients/client';
import { CLIENTS, ideal, LOADS, simulate, type Load, type Outcome } from './simulate';

export const SEEDS = 20;

/** What each client made of each load; durations fixed, and the means over the seeds. */
export interface Cell {
	load: Load;
	client: string;
	fixed: Outcome;
	scattered: Outcome;
	/** Seconds of a scheduler that knows every end at once, with scattered durations. */
	ideal: number;
}

function mean(outcomes: Outcome[]): Outcome {
	const sum: Outcome = { makespan: 0, requests: 0, refused: 0, lost: 0 };
	for (const outcome of outcomes) {
		for (const name of Object.keys(sum) as Array<keyof Outcome>)
			sum[name] += outcome[name] / outcomes.length;
	}
	return sum;
}

const seeds = Array.from({ length: SEEDS }, (_, index) => index + 1);

async function cellsOf(load: Load): Promise<Cell[]> {
	const best = seeds.reduce((sum, seed) => sum + ideal(load, seed) / SEEDS, 0);
	const cells: Cell[] = [];
	for (const client of CLIENTS) {
		const scattered: Outcome[] = [];
		for (const seed of seeds) scattered.push(await simulate(client, load, seed));
		const fixed = await simulate(client, load);
		cells.push({ load, client: client.name, fixed, scattered: mean(scattered), ideal: best });
	}
	return cells;
}

/** Each load in a process of its own, as many at once as the machine has cores; the slowest first. */
export async function cells(): Promise<Cell[]> {
	const all: Cell[][] = LOADS.map(() => []);
	await inLanes(LOADS.length, availableParallelism(), async (started) => {
		const index = LOADS.length - 1 - started;
		const args = ['--import', 'tsx', __filename, String(index)];
		const { stdout } = await promisify(execFile)(process.execPath, args);
		all[index] = JSON.parse(stdout) as Cell[];
	});
	return all.flat();
}

async function main(): Promise<void> {
	const load = LOADS[Number(process.argv[2])];
	if (!load) throw new Error('Which load?');
	console.log(JSON.stringify(await cellsOf(load)));
}

if (require.main === module) void main();
