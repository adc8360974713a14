/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { existsSync, mkdtempSync, readFileSync, renameSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Profiler } from 'node:inspector';
import { median } from '../report/table';
import { creation, inTurns, ITEMS, ours, plain, time } from './overhead';
import { processOf } from './resident';
import { withStand, type Stand } from './stand';

/**
 * Where the time of an item goes: CPU profiles of n8n while our node reads 500 generations and
 * while its HTTP Request node does the same. Run with `tsx bench/n8n/profile.ts`: prints
 * microseconds an item, by package and by function.
 */

const ROUNDS = 6;
const DEAREST = 45;

/** Whose code it is. */
function ownerOf({ url, functionName }: Profiler.ProfileNode['callFrame']): string {
	const inPackage = [...url.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].at(-1)?.[1];
	return (
		inPackage ?? (url === '' ? functionName : (url.replace(/^node:/, 'node ').split('/')[0] ?? url))
	);
}

type Totals = Map<string, number>;

const add = (totals: Totals, name: string, us: number) =>
	totals.set(name, (totals.get(name) ?? 0) + us);

/**
 * Microseconds an item: self by owner and by function, and whole of each function (with what it
 * calls).
 */
function readProfile(file: string) {
	const profile = JSON.parse(readFileSync(file, 'utf8')) as Profiler.Profile;
	const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
	const own = new Map<number, number>();
	for (const [index, id] of (profile.samples ?? []).entries())
		own.set(id, (own.get(id) ?? 0) + (profile.timeDeltas?.[index] ?? 0));
	const owners: Totals = new Map();
	const functions: Totals = new Map();
	const whole: Totals = new Map();
	const nameOf = (node: Profiler.ProfileNode) =>
		`${node.callFrame.functionName || '(anonymous)'} ${ownerOf(node.callFrame)} ${node.callFrame.url.split('/').at(-1)}:${node.callFrame.lineNumber + 1}`;
	const walk = (id: number, above: string[]): number => {
		const node = nodes.get(id);
		if (!node) return 0;
		const name = nameOf(node);
		const self = own.get(id) ?? 0;
		add(owners, ownerOf(node.callFrame), self);
		add(functions, name, self);
		const inner = above.includes(name) ? above : [...above, name];
		const total = (node.children ?? []).reduce((sum, child) => sum + walk(child, inner), self);
		if (!above.includes(name)) add(whole, name, total);
		return total;
	};
	const [root] = profile.nodes;
	if (root) walk(root.id, []);
	return { owners, functions, whole };
}

function print(title: string, totals: Totals): void {
	console.log(`\n### ${title}`);
	const dearest = [...totals].sort(([, a], [, b]) => b - a).slice(0, DEAREST);
	for (const [name, us] of dearest)
		console.log(`${(us / ITEMS / ROUNDS).toFixed(0).padStart(6)}  ${name}`);
}

/**
 * Means in milliseconds an item, in turns: a node against HTTP Request, and a creation with and
 * without what it may limit.
 */
async function compare({ rest, credential, service }: Stand): Promise<void> {
	const limits = { maxCredits: 1_000_000, additionalJson: '{"seed": 1}' };
	const steps = [
		ours(credential),
		plain(credential, service.baseUrl),
		creation(credential, 'Create'),
		creation(credential, 'Create with options', { options: limits }),
	];
	const times = await inTurns(rest, steps, ROUNDS);
	for (const [index, step] of steps.entries()) {
		const own = (times[index] ?? []).map((ms) => (ms / ITEMS).toFixed(2));
		console.log(
			`${step.name}: median ${(median(times[index] ?? []) / ITEMS).toFixed(2)} of ${own.join(', ')} ms an item`,
		);
	}
}

async function main(): Promise<void> {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'mediagen-profile-'));
	const file = path.join(folder, 'n8n.cpuprofile');
	const env = {
		NODE_OPTIONS: `--require=${path.join(__dirname, 'probe.cjs')}`,
		BENCH_PROFILE: file,
	};
	await withStand({ log: console.error, env }, async (stand) => {
		const { n8n, rest, service, credential } = stand;
		await compare(stand);
		const pid = processOf(n8n.userFolder);
		for (const step of [ours(credential), plain(credential, service.baseUrl)]) {
			process.kill(pid, 'SIGUSR2');
			for (let round = 0; round < ROUNDS; round += 1) await time(rest, step);
			process.kill(pid, 'SIGUSR2');
			while (!existsSync(file)) await sleep(200);
			await sleep(1_000);
			const kept = path.join(folder, `${step.name.replace(' ', '')}.cpuprofile`);
			renameSync(file, kept);
			console.log(`\n## ${step.name} (${kept})`);
			const { owners, functions, whole } = readProfile(kept);
			print('own time by package, microseconds an item', owners);
			print('own time by function', functions);
			print('with what it calls', whole);
		}
	});
}

void main();
