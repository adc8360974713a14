/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import execa from 'execa';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ModelServer } from '../model/server';
import { saveCredential, saveOfType } from '../n8n/credential';
import { startInstance, type Instance } from '../n8n/instance';
import type { SavedCredential, SavedWorkflow, WorkflowData } from '../n8n/rest';
import { startTlsFront } from '../n8n/tlsFront';
import { outRoot, projectRoot, stateRoot } from '../process/paths';
import { cleanEnvironment } from '../process/process';
import { withProgress } from '../process/progress';
import { ExampleRun, liveResults } from './exampleRun';
import { ExampleStore } from './exampleStore';
import {
	hasLanguageModel,
	numbered,
	readExamples,
	withCredential,
	withFolder,
	withLanguageModel,
	withModels,
} from './examples';
import { linkLines } from './lock';
import { startService, type Service } from './service';
import { linksTo, reportTo, runStart, stayUp, type StartContext } from './start';
import { entryPointsOf, startExample } from './startExample';

const userFolder = path.join(stateRoot, 'n8n');

/** The service first: a wrong key is reported before half a minute is spent on starting n8n. */
async function startAll(context: StartContext, wanted: WorkflowData): Promise<[Service, Instance]> {
	const { options, port, cleanup, log } = context;
	const env: Record<string, string> = { ...liveResults };
	if (options.watch) env.N8N_DEV_RELOAD = 'true';
	// Events come by https only, and the sandbox has to trust the address.
	const isAddressed = entryPointsOf(wanted).byEvent !== undefined;
	const front = isAddressed ? await startTlsFront() : undefined;
	const caFile = front && path.join(stateRoot, 'front.pem');
	if (front && caFile) {
		cleanup.add(front.stop);
		writeFileSync(caFile, front.ca);
		Object.assign(env, { WEBHOOK_URL: front.url, N8N_PROXY_HOPS: '1' });
	}
	const service = await startService(context, caFile);
	const instance = await startInstance({ userFolder, port, env, log });
	cleanup.add(instance.n8n.stop);
	front?.target(instance.n8n.port);
	return [service, instance];
}

/** Something that answers like a language model, so that an agent needs no account to be tried. */
async function standInModel(
	{ cleanup, log }: StartContext,
	{ rest }: Instance,
): Promise<SavedCredential> {
	const model = await ModelServer.start();
	cleanup.add(async () => await model.close());
	const name = 'Stand-in for a language model';
	log('A stand-in answers as the language model: it asks for a picture of whatever you write.');
	const data = { apiKey: 'none', url: model.baseUrl };
	return await saveOfType(rest, 'openAiApi', name, data);
}

/** Puts the credential and the examples into the editor, and gives the wanted one. */
async function prepare(
	context: StartContext,
	wanted: WorkflowData,
	{ access, choose }: Service,
	instance: Instance,
): Promise<SavedWorkflow> {
	const { n8n, rest } = instance;
	const credential = await saveCredential(rest, 'MediaGen account', access);
	const store = new ExampleStore(rest.workflows, path.join(userFolder, 'examples.json'));
	const save = async (example: WorkflowData, needed = false) => {
		const ready = withModels(withCredential(example, credential), choose);
		return await store.save(withFolder(ready, n8n.filesFolder), needed);
	};
	for (const example of readExamples()) if (example.name !== wanted.name) await save(example);
	const ready = hasLanguageModel(wanted)
		? withLanguageModel(wanted, await standInModel(context, instance))
		: wanted;
	const stored = (await save(ready, true))!;
	if (stored.changed) context.log(`"${wanted.name}" was changed, so it stays as it is.`);
	return stored.workflow;
}

/**
 * Compiles the nodes into n8n's own copy whenever a source changes, and shows what the compiler
 * says. Icons and codex files are copied at the next start only.
 */
function watchSources({ cleanup }: StartContext): void {
	const nodes = path.join(userFolder, '.n8n', 'nodes');
	// From now on the copy follows the sources, so the next start has to look itself.
	rmSync(path.join(nodes, '.mediagen-sources'), { force: true });
	const dist = path.join(nodes, 'node_modules', 'n8n-nodes-mediagen', 'dist');
	const flags = ['-p', 'tsconfig.build.json', '--outDir', dist, '--watch', '--preserveWatchOutput'];
	const compiler = execa.node(require.resolve('typescript/bin/tsc'), flags, {
		cwd: projectRoot,
		env: cleanEnvironment(),
		extendEnv: false,
		reject: false,
		stdout: 'inherit',
	});
	cleanup.add(() => compiler.kill());
}

runStart(async (context) => {
	const { options, log, cleanup, held } = context;
	const wanted = numbered(readExamples(), options.example ?? '1');
	const [service, instance] = await startAll(context, wanted);
	const { n8n, rest } = instance;
	const workflow = await prepare(context, wanted, service, instance);
	const { baseUrl } = n8n;
	const links = {
		...linksTo(baseUrl, workflow.id, options.example !== undefined),
		...(service.page ? { Sandbox: service.page } : { Service: service.access.baseUrl }),
	};
	held.publish(links);
	if (options.example && !options.once) for (const line of linkLines(links).slice(0, 1)) log(line);
	let failed = false;
	const running = withProgress(log, `Running "${workflow.name}" in n8n`, async () => {
		const folder = path.join(outRoot, options.example ?? '');
		const run = new ExampleRun(rest, workflow, service.readCredits, log, folder);
		const onEnd = (step: () => void) => cleanup.add(step);
		const start = { rest, baseUrl, service, log, unattended: options.once, onEnd };
		await startExample(run, start, workflow);
	});
	await running.catch((error: unknown) => {
		if (options.once) throw error;
		failed = true;
		reportTo(log, error);
	});
	if (options.once) return;
	process.exitCode = failed ? 1 : 0;
	if (options.watch) watchSources(context);
	const hint = 'Ctrl-C stops everything; the next start goes on with what is there.';
	await stayUp(context, links, hint, n8n);
});
