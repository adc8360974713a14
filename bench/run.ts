/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import path from 'node:path';
import { ensureLab } from '../lab/n8n/install';
import { newest } from '../lab/n8n/release';
import { loading } from './micro/loading';
import { verification } from './micro/verify';
import { waiting } from './micro/waiting';
import { real } from './n8n';
import { measureEvents } from './n8n/events';
import { many } from './n8n/many';
import { page } from './report/page';
import { plot } from './report/plot';
import { readStore, writeStore, type Part, type Results } from './report/store';
import type { Figure } from './report/table';
import { cells } from './simulation/cells';
import { alone, sharing } from './simulation/servers';

/**
 * `npm run bench` measures all parts; `npm run bench -- clients servers` only these; `npm run bench -- --explain` the constants.
 * Each writes what it has measured into docs.
 */

const root = path.resolve(__dirname, '..');
const docs = path.join(root, 'docs');
const PLOT = path.join('images', 'makespan.svg');

const log = (line: string) => process.stderr.write(`${line}\n`);

const git = (...args: string[]) =>
	execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** The commit that is measured, and whether what is measured differs from it. */
function commit(): string {
	const changed = git('status', '--porcelain', '--', 'src', 'nodes', 'credentials');
	return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`;
}

/** n8n makes an isolate for each delivery to any node but its own Webhook node without expressions, unless set to be lazy. */
const EVENT_SETTINGS = {
	default: "n8n's defaults",
	lazy: 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true',
} as const;

async function events(setting: keyof typeof EVENT_SETTINGS): Promise<Figure> {
	const { trigger, webhook, webhookWithExpression } = await measureEvents(setting);
	const rates = [trigger, webhook, webhookWithExpression].map((rate) => rate.toFixed(0));
	const ratio = trigger / webhook;
	return {
		name: `events a second, trigger against Webhook node, ${EVENT_SETTINGS[setting]}`,
		value: ratio.toFixed(2),
		target: '≥ 0.8',
		isMet: ratio >= 0.8,
		note: `${rates[0]} and ${rates[1]} a second in turns; the Webhook node with an expression: ${rates[2]}`,
	};
}

interface ScriptOptions {
	/** Of Node itself. */
	flags?: string[];
	args?: string[];
	/** The Node to run it; default: ours. */
	node?: string;
}

/** Runs a script of this folder in a process of its own. @returns what it prints */
function script(name: string, options: ScriptOptions = {}): string {
	const { flags = [], args = [], node = process.execPath } = options;
	const file = path.join(__dirname, ...name.split('/'));
	const all = [...flags, '--import', 'tsx', file, ...args];
	return execFileSync(node, all, { cwd: root, encoding: 'utf8' });
}

/** V8's collector does not work beside the code there, so that its time is not mixed with ours. */
const COLLECTOR = ['--single-threaded-gc', '--max-semi-space-size=128'];

/** In the Node that n8n runs in. */
async function steps(): Promise<Figure[]> {
	await ensureLab(log);
	const inN8nsNode = { flags: COLLECTOR, args: ['--json'], node: newest.node };
	return JSON.parse(script('micro/steps.ts', inN8nsNode)) as Figure[];
}

const PARTS: { [P in Part]: () => Promise<Results[P]> } = {
	clients: cells,
	lists: async () => ({ title: '', intro: '', head: [], rows: [] }),
	servers: async () => [...(await alone()), ...(await sharing())],
	micro: async () => {
		// First, because it builds what the others load.
		const load = await loading();
		return [...verification(), ...(await waiting()), ...(await steps()), ...load];
	},
	n8n: async () => await real(log),
	events: async () => [await events('default'), await events('lazy')],
	many: async () => await many(log),
	sandbox: async () => script('sandbox/main.ts'),
};

async function measure<P extends Part>(part: P, measured: string): Promise<void> {
	log(`${part} …`);
	const started = performance.now();
	const result = await PARTS[part]();
	const seconds = (performance.now() - started) / 1_000;
	// Written at once: should a later part fail, this one is not lost.
	const store = { ...readStore(), [part]: { measured, seconds, result } };
	writeStore(store);
	if (store.clients) {
		mkdirSync(path.join(docs, 'images'), { recursive: true });
		writeFileSync(path.join(docs, PLOT), plot(store.clients.result));
	}
	writeFileSync(path.join(docs, 'performance.md'), page(store, PLOT));
}

async function main(args: string[]): Promise<void> {
	const load = `${(loadavg()[0] ?? 0).toFixed(1)} on ${cpus().length} cores`;
	const measured = `Commit ${commit()}, Node ${process.version}, load of the machine ${load}.`;
	const all = Object.keys(PARTS) as Part[];
	const unknown = args.find((arg) => !(all as string[]).includes(arg));
	if (unknown) throw new Error(`There is no part ${unknown}: ${all.join(', ')}`);
	for (const part of all)
		if (args.length === 0 || args.includes(part)) await measure(part, measured);
}

main(process.argv.slice(2)).catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
