/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import execa from 'execa';
import { cpus, loadavg } from 'node:os';
import path from 'node:path';
import { buildProject } from '../lab/n8n/package';
import { loading } from './loading';
import { real } from './n8n/real';
import { workers } from './n8n/workers';
import { clientTables } from './simulation/clientTables';
import { limits } from './simulation/servers';
import { figureTable } from './table';
import { waiting } from './waiting';

/**
 * `npm run bench` prints all figures of docs/performance.md; `npm run bench -- clients sharing` only
 * these. Nothing passes or fails by them.
 */
const PARTS = {
	/** Virtual time: clients beside each other and the bound. */
	clients: async () => await clientTables(),
	/** Virtual time: refusals alone, and processes that share one workspace. */
	sharing: async () => await limits(),
	/** Heap of waiting items, size of the package. */
	memory: async () => {
		await buildProject();
		return figureTable('Memory and size', [...waiting(), ...loading()]);
	},
	/** A real n8n: overhead, files. */
	n8n: async () => figureTable('In a real n8n', await real(console.error)),
	/** A real n8n in queue mode: two workers that share one workspace. */
	workers: async () => figureTable('Two workers', await workers(console.error)),
};

type Part = keyof typeof PARTS;

const git = (...args: string[]) =>
	execa.sync('git', args, { cwd: path.resolve(__dirname, '..') }).stdout;

async function main(args: string[]): Promise<void> {
	const names = Object.keys(PARTS) as Part[];
	const unknown = args.find((arg) => !(names as string[]).includes(arg));
	if (unknown) throw new Error(`There is no part ${unknown}: ${names.join(', ')}`);
	const wanted = names.filter((name) => args.length === 0 || args.includes(name));
	const load = (loadavg()[0] ?? 0).toFixed(1);
	const commit = git('rev-parse', '--short', 'HEAD');
	console.log(
		`Commit ${commit}, Node ${process.version}, load ${load} on ${cpus().length} cores\n`,
	);
	for (const part of wanted) {
		const started = performance.now();
		console.log(await PARTS[part]());
		console.log(`\`${part}\` took ${((performance.now() - started) / 1_000).toFixed(0)} s\n`);
	}
}

main(process.argv.slice(2)).catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
