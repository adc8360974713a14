/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { POLICIES, type Tuning } from '../../src/transport/limits/policies';
import { inLanes } from '../simulation/clients/client';
import { CONSTANTS, tuned, type Constant } from './constants';
import { ROWS, type Measured } from './rows';

/** By row; `undefined` where the story does not end. */
export type Rows = Record<string, Measured | undefined>;

/** A constant, and what the rows come to with half of it and with twice as much. */
export interface Explained extends Constant {
	half: Rows;
	double: Rows;
}

async function measure(tuning: Tuning): Promise<Rows> {
	const rows: Rows = {};
	for (const [name, row] of Object.entries(ROWS))
		rows[name] = await row(tuning).catch(() => undefined);
	return rows;
}

async function explainOne(constant: Constant): Promise<Explained> {
	const half = await measure(tuned(constant, 0.5));
	return { ...constant, half, double: await measure(tuned(constant, 2)) };
}

async function inProcess<T>(argument: string): Promise<T> {
	const args = ['--import', 'tsx', __filename, argument];
	const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 });
	return JSON.parse(stdout) as T;
}

/** Each constant in a process of its own, as many at once as the machine has cores. */
export async function explainAll(
	log: (line: string) => void,
): Promise<{ now: Rows; all: Explained[] }> {
	const now = await inProcess<Rows>('now');
	const all: Explained[] = [];
	await inLanes(CONSTANTS.length, availableParallelism(), async (index) => {
		all[index] = await inProcess<Explained>(String(index));
		log(`${CONSTANTS[index]?.name} …`);
	});
	return { now, all };
}

async function main(argument: string): Promise<void> {
	const constant = CONSTANTS[Number(argument)];
	console.log(JSON.stringify(constant ? await explainOne(constant) : await measure(POLICIES)));
}

if (require.main === module) void main(process.argv[2] ?? '');
