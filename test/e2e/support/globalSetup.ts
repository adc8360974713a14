/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { keyRing } from '../../../lab/sandbox/admin';
import { saveCredential } from '../../../lab/n8n/credential';
import { render } from '../../../sandbox/media';
import { createSandbox } from '../../../sandbox/server';
import { newest } from '../../../lab/n8n/release';
import { ensureTemplate } from '../../../lab/n8n/template';
import { ensureLab } from '../../../lab/n8n/install';
import { ensurePackage, startInstance } from '../../../lab/n8n/instance';
import { handOver, type Handover } from './handover';

/** The sandbox's clock in end-to-end tests: a video of 40 s is there in 0.7 s. */
const clockScale = 60;

const log = (line: string) => process.stderr.write(`${line}\n`);

/** What jest tells its setup. */
interface Run {
	maxWorkers: number;
	rootDir: string;
	/** The files that were asked for; all where none were. */
	testPathPatterns: {
		toExecutor(options: { rootDir: string }): { isMatch(file: string): boolean };
	};
}

/**
 * How many workers need an n8n: one where a single file was asked for, which jest runs by itself, or else
 * all.
 */
function workersOf({ maxWorkers, rootDir, testPathPatterns }: Run): number {
	const folder = path.join(rootDir, 'test', 'e2e');
	const asked = testPathPatterns.toExecutor({ rootDir });
	const files = readdirSync(folder).filter(
		(name) => name.endsWith('.test.ts') && asked.isMatch(path.join(folder, name)),
	);
	return files.length === 1 ? 1 : maxWorkers;
}

/**
 * For each of jest's workers one sandbox and one n8n, with our packed package in it, for the whole
 * run: starting them for each file would take longer than the tests. Test files get at theirs
 * through `harness.ts`.
 */
export default async function globalSetup(run: Run): Promise<void> {
	const stops: Array<() => Promise<void>> = [];
	globalThis.stopEverything = async () => {
		await Promise.all(stops.map(async (stop) => await stop()));
	};
	const start = async (worker: number) => handOver(worker, await startEnvironment(stops));
	await ensureLab(log);
	await ensurePackage(log);
	await ensureTemplate(newest);
	const workers = Array.from({ length: workersOf(run) }, (_, index) => index + 1);
	await Promise.all(workers.map(start));
}

async function startEnvironment(stops: Array<() => Promise<void>>): Promise<Handover> {
	// With what draws its media: jest compiles nothing once the setup is loaded.
	const sandbox = await createSandbox({
		settings: { clockScale, strictFields: true },
		seed: 1,
		render,
	});
	stops.push(async () => await sandbox.close());
	const { n8n, rest } = await startInstance({ log, lean: true, fromTemplate: true });
	stops.push(async () => await n8n.stop());
	const { baseUrl, adminUrl, keys } = sandbox;
	const ring = { ...keyRing(sandbox), wrongKey: { key: 'not-a-key' } };
	const credentials = {} as Handover['credentials'];
	for (const [name, { key }] of Object.entries(ring)) {
		const access = { apiKey: key, baseUrl, clockScale };
		credentials[name as keyof Handover['credentials']] = await saveCredential(rest, name, access);
	}
	return {
		sandbox: { baseUrl, adminUrl, keys },
		ticket: rest.session.ticket,
		n8nLog: n8n.logFile,
		n8nGuard: n8n.pid,
		filesFolder: n8n.filesFolder,
		credentials,
	};
}
