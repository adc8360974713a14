/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import path from 'node:path';
import { saveCredential } from '../n8n/credential';
import { requireSpace } from '../process/disk';
import { LabError } from '../process/failure';
import { stateRoot } from '../process/paths';
import { outputLog, withProgress } from '../process/progress';
import type { WorkflowData } from '../n8n/rest';
import { demoOwner, startInstance, type Instance } from '../n8n/instance';
import { Cleanup } from './cleanup';
import { ExampleStore, type StoredExample } from './exampleStore';
import {
	hasLanguageModel,
	numbered,
	readExamples,
	withCredential,
	withFolder,
	withLanguageModel,
	withModels,
} from './examples';
import { linkLines } from './links';
import type { Links } from './lock';
import { readOptions, type StartOptions } from './options';
import { availablePort, requirePorts } from './port';
import { reportTo, runStart, takeLock } from './runStart';
import { ExampleRun, liveResults } from './runExample';
import { startPublicAddress, type PublicAddress } from './publicAddress';
import { standInModel } from './standIn';
import { startExample } from './startExample';
import { entryPointsOf } from './entryPoints';
import { startService, type Service } from './service';
import { reloading, watchSources } from './watch';

/** What a start writes besides n8n's install: database, binary data, media. */
const startBytes = 200e6;

const log = outputLog();
const cleanup = new Cleanup();
const userFolder = path.join(stateRoot, 'n8n');

async function startN8nInstance(
	{ port, watch }: StartOptions,
	address?: PublicAddress,
): Promise<Instance> {
	const instance = await startInstance({
		userFolder,
		port: await availablePort(port, 'the editor', 'N8N_PORT', log),
		env: { ...liveResults, ...(watch ? reloading : {}), ...address?.env },
		log,
	});
	cleanup.add(instance.n8n.stop);
	address?.leadsTo(instance.n8n.port);
	return instance;
}

async function startAll(options: StartOptions): Promise<[Service, Instance]> {
	const wanted = numbered(readExamples(), options.example);
	// Events come by https only.
	const address = entryPointsOf(wanted).byEvent ? await startPublicAddress(cleanup) : undefined;
	// A wrong key is reported before half a minute is spent on starting n8n.
	if (options.service)
		return [await startService(options, cleanup, log), await startN8nInstance(options, address)];
	// Both at once: neither needs the other before the first workflow runs.
	const both = [
		startService(options, cleanup, log, address?.caFile),
		startN8nInstance(options, address),
	] as const;
	// A failure waits for the other to be up, or its process would be forgotten.
	await Promise.allSettled(both);
	return await Promise.all(both);
}

/** Puts the credential and the example with this number into the editor, and then, when asked to, the others. */
async function prepare(
	{ n8n, rest }: Instance,
	{ access, choose }: Service,
	number: string,
): Promise<{ chosen: StoredExample; saveOthers: () => Promise<void> }> {
	const credential = await saveCredential(rest, 'MediaGen account', access);
	const store = new ExampleStore(rest.workflows, path.join(userFolder, 'examples.json'));
	const save = async (example: WorkflowData, needed: boolean) => {
		const ready = withModels(withCredential(example, credential), choose);
		const stored = await store.save(withFolder(ready, n8n.filesFolder), needed);
		if (stored?.changed) log(`"${stored.workflow.name}" was changed, so it stays as it is.`);
		return stored;
	};
	const examples = readExamples();
	const wanted = numbered(examples, number);
	const ready = hasLanguageModel(wanted)
		? withLanguageModel(wanted, await standInModel(rest, cleanup, log))
		: wanted;
	const chosen = await save(ready, true);
	if (!chosen) throw new LabError(`"${wanted.name}" could not be saved`);
	const saveOthers = async () => {
		for (const example of examples) if (example !== wanted) await save(example, false);
	};
	return { chosen, saveOthers };
}

function linksOf({ n8n }: Instance, { page, access }: Service, { workflow }: StoredExample): Links {
	const { email, password } = demoOwner;
	return {
		Editor: `${n8n.baseUrl} (sign in with ${email} / ${password})`,
		Workflow: `${n8n.baseUrl}/workflow/${workflow.id}`,
		...(page ? { Sandbox: page } : { Service: access.baseUrl }),
	};
}

async function stayUp({ n8n }: Instance, links: Links): Promise<void> {
	for (const line of linkLines(links)) log(line);
	log('Ctrl-C stops everything; the next start goes on with what is there.');
	const code = await n8n.ended;
	throw new LabError(`n8n ended by itself with code ${code}`, n8n.logFile);
}

async function main(): Promise<void> {
	const options = readOptions(process.argv.slice(2), process.env);
	const held = takeLock(options, cleanup, log);
	if (!held) return;
	await requireSpace(stateRoot, startBytes);
	await requirePorts(options);
	const [service, instance] = await startAll(options);
	const { chosen: example, saveOthers } = await prepare(instance, service, options.example);
	const links = linksOf(instance, service, example);
	held.publish(links);
	let failed = false;
	const running = withProgress(log, `Running "${example.workflow.name}" in n8n`, async () => {
		const { workflow } = example;
		const { rest, n8n } = instance;
		const run = new ExampleRun(rest, workflow, service.readCredits, log);
		const { baseUrl } = n8n;
		const unattended = options.once;
		const onEnd = (step: () => void) => cleanup.add(step);
		await startExample(run, { rest, baseUrl, service, log, unattended, onEnd }, workflow);
	});
	await running.catch((error: unknown) => {
		if (options.once) throw error;
		failed = true;
		reportTo(log, error);
	});
	// Nobody waits for these: the first file came before them.
	await saveOthers();
	if (options.once) return;
	process.exitCode = failed ? 1 : 0;
	if (options.watch) cleanup.add(watchSources(userFolder, log));
	await stayUp(instance, links);
}

runStart(main, cleanup, log);
