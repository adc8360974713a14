/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import path from 'node:path';
import { saveCredential } from '../n8n/credential';
import { diskFull, requireSpace, saysDiskFull } from '../process/disk';
import { LabError } from '../process/failure';
import { stateRoot } from '../process/paths';
import { outputLog, withProgress } from '../process/progress';
import { demoOwner, setStage, type Stage } from '../n8n/stage';
import { Cleanup } from './cleanup';
import { ExampleStore, type StoredExample } from './exampleStore';
import { readExamples, withCredential, withModels } from './examples';
import { alreadyRunning, linkLines } from './links';
import { lock, type Links } from './lock';
import { readOptions, type StartOptions } from './options';
import { availablePort } from './port';
import { liveResults, runExample } from './runExample';
import { startService, type Service } from './service';
import { reloading, watchSources } from './watch';

/** What a start writes besides n8n's install: database, binary data, media. */
const startBytes = 200e6;

const log = outputLog();
const cleanup = new Cleanup();
const userFolder = path.join(stateRoot, 'n8n');

async function startStage({ port, watch }: StartOptions): Promise<Stage> {
	const stage = await setStage({
		userFolder,
		port: await availablePort(port, 'the editor', log),
		env: { ...liveResults, ...(watch && reloading) },
		tell: log,
	});
	cleanup.add(stage.n8n.stop);
	return stage;
}

async function startAll(options: StartOptions): Promise<[Service, Stage]> {
	// A wrong key is told before half a minute has gone into n8n.
	if (options.service)
		return [await startService(options, cleanup, log), await startStage(options)];
	// Both at once: neither needs the other before the first workflow runs.
	const both = [startService(options, cleanup, log), startStage(options)] as const;
	// A failure waits for the other to be up, or its process would be forgotten.
	await Promise.allSettled(both);
	return await Promise.all(both);
}

/** Puts a credential and the examples into the editor; gives the first example. */
async function prepare({ rest }: Stage, { access, choose }: Service): Promise<StoredExample> {
	const credential = await saveCredential(rest, 'MediaGen account', access);
	const store = new ExampleStore(rest.workflows, path.join(userFolder, 'examples.json'));
	let first: StoredExample | undefined;
	for (const example of readExamples()) {
		const ready = withModels(withCredential(example, credential), choose);
		const stored = await store.save(ready, !first);
		if (stored?.changed) log(`"${stored.workflow.name}" was changed, so it stays as it is.`);
		first ??= stored;
	}
	if (!first) throw new LabError('There is no example in examples/');
	return first;
}

function linksOf({ n8n }: Stage, { page, access }: Service, { workflow }: StoredExample): Links {
	const { email, password } = demoOwner;
	return {
		Editor: `${n8n.baseUrl} (sign in with ${email} / ${password})`,
		Workflow: `${n8n.baseUrl}/workflow/${workflow.id}`,
		...(page ? { Sandbox: page } : { Service: access.baseUrl }),
	};
}

async function stayUp({ n8n }: Stage, links: Links): Promise<void> {
	for (const line of linkLines(links)) log(line);
	log('Ctrl-C stops everything; the next start goes on with what is there.');
	const code = await n8n.ended;
	throw new LabError(`n8n ended by itself with code ${code}`, n8n.logFile);
}

async function main(): Promise<void> {
	const options = readOptions(process.argv.slice(2), process.env);
	const held = lock();
	if (!('release' in held)) {
		for (const line of alreadyRunning(held)) log(line);
		// Whoever asked for one run of the example did not get it.
		process.exitCode = options.once ? 1 : 0;
		return;
	}
	cleanup.add(held.release);
	await requireSpace(stateRoot, startBytes);
	const [service, stage] = await startAll(options);
	const example = await prepare(stage, service);
	const links = linksOf(stage, service, example);
	held.publish(links);
	let failed = false;
	const running = withProgress(log, `Running "${example.workflow.name}" in n8n`, async () => {
		await runExample(stage.rest, example.workflow, service.readCredits, log);
	});
	await running.catch((error: unknown) => {
		if (options.once) throw error;
		failed = true;
		report(error);
	});
	if (options.once) return;
	process.exitCode = failed ? 1 : 0;
	if (options.watch) cleanup.add(watchSources(userFolder, log));
	await stayUp(stage, links);
}

function report(error: unknown): void {
	log.status?.('');
	const message = error instanceof Error ? error.message : String(error);
	const full = saysDiskFull(message) && !message.includes(diskFull);
	console.error(full ? diskFull : error instanceof LabError ? message : error);
}

let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
	process.on(signal, () => {
		// npm and the terminal both send one.
		if (interrupted) return;
		interrupted = true;
		log.status?.('');
		log('\nStopping …');
		void cleanup.end().then(() => process.exit(process.exitCode ?? 130));
	});
}

// Such as a log that can no longer be written.
process.on('uncaughtException', (error) => {
	if (interrupted) return;
	interrupted = true;
	report(error);
	void cleanup.end().finally(() => process.exit(1));
});

main()
	.catch((error: unknown) => {
		if (interrupted) return;
		process.exitCode = 1;
		report(error);
	})
	.finally(async () => await cleanup.end());
