/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { markdown, type Table } from '../report/table';
import { runFlow, stepOf } from './flow';
import { creation, items } from './overhead';
import { growth, processOf, watchMemory } from './resident';
import { Samples } from './samples';
import { withStand } from './stand';

/**
 * One run of many items through a real n8n: how long each phase takes, whose code runs in it, and how long n8n's event loop
 * stands still. Run with `tsx bench/n8n/many.ts [items] [folder for the CPU profile]`. The service answers at once and limits
 * nothing, so that all the time is n8n's and ours.
 */

const MIB = 1024 ** 2;

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

const whole = (ms: number) => `${ms.toFixed(0)} ms`;

async function measure(count: number, file: string, log: (line: string) => void): Promise<Table> {
	const env = {
		NODE_OPTIONS: `--require=${path.join(__dirname, 'probe.cjs')}`,
		BENCH_PROFILE: file,
	};
	return await withStand({ log, env }, async ({ n8n, rest, service, credential }) => {
		const step = creation(credential, 'Create');
		// So that nothing is loaded for the first time.
		await runFlow(rest, [items(10), step]);
		service.createdAt.length = 0;
		const pid = processOf(n8n.userFolder);
		const stopMemory = watchMemory(pid);
		process.kill(pid, 'SIGUSR2');
		const execution = await runFlow(rest, [items(count), step]);
		const saved = Date.now();
		process.kill(pid, 'SIGUSR2');
		const memory = stopMemory();
		while (!existsSync(file)) await sleep(200);
		const samples = new Samples(file);
		const { from, to, items: made } = stepOf(execution, step.name);
		if (made.length !== count || service.createdAt.length !== count)
			throw new Error(`${made.length} results of ${service.createdAt.length} creations`);
		const [first = NaN, second = NaN] = service.createdAt;
		const last = service.createdAt.reduce((latest, at) => Math.max(latest, at), 0);
		const phases: Array<[string, number, number]> = [
			['routing engine and hooks, to the first request', from, first],
			['to the second request', first, second],
			['to the last request', second, last],
			['to the end of the node', last, to],
			['until the execution is saved and read', to, saved],
		];
		const rows = phases.map(([name, start, end]) => {
			const span = { from: start, to: end };
			const { ours, n8n: theirs, collection } = samples.shares(span);
			const step = samples.longestStep(span);
			return [
				name,
				seconds(end - start),
				seconds(theirs),
				seconds(ours),
				seconds(collection),
				whole(samples.longestGap(span).ms),
				whole(samples.mostOfOurs(span)),
				whole(step.ms),
				whole(step.withCollection),
			];
		});
		const grown = (growth(memory, from, to) / MIB).toFixed(0);
		return {
			title: `${count.toLocaleString('en')} items through a real n8n`,
			intro:
				`One run, with a CPU profile of n8n's thread. The busy time is n8n's (with all that it and Node do), our own code's, or the garbage ` +
				`collector's. n8n's resident memory grew by ${grown} MiB at most.`,
			head: [
				'phase',
				'time',
				"n8n's code",
				'our code',
				'collector',
				'loop still for at most',
				'of ours in one turn at most',
				'our longest step, with what it calls',
				'with a collection in the middle',
			],
			rows,
		};
	});
}

/** The table of the phases. @param kept where the CPU profile stays; default: nowhere */
export async function many(
	log: (line: string) => void,
	count = 10_000,
	kept?: string,
): Promise<Table> {
	const folder = kept ?? mkdtempSync(path.join(os.tmpdir(), 'mediagen-many-'));
	try {
		return await measure(count, path.join(folder, 'n8n.cpuprofile'), log);
	} finally {
		if (kept === undefined) rmSync(folder, { recursive: true, force: true });
	}
}

async function main(): Promise<void> {
	const [count, folder] = process.argv.slice(2);
	console.log(markdown(await many(console.error, count ? Number(count) : undefined, folder)));
}

if (require.main === module) void main();
