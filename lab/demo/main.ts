/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import path from 'node:path';
import { ModelServer } from '../model/server';
import { saveCredential, saveOfType } from '../n8n/credential';
import { startInstance } from '../n8n/instance';
import { Queue, type Member } from '../n8n/queue';
import type { Rest, SavedCredential, SavedWorkflow, WorkflowData } from '../n8n/rest';
import { startTlsFront } from '../n8n/tlsFront';
import { outRoot, projectRoot, shown, stateRoot } from '../process/paths';
import { spawnGuarded } from '../process/process';
import { withProgress } from '../process/progress';
import { ExampleRun, liveResults } from './exampleRun';
import { ExampleStore } from './exampleStore';
import {
	hasLanguageModel,
	numbered,
	readExamples,
	withCredential,
	withLanguageModel,
} from './examples';
import { linkLines, type Links } from './lock';
import { useOwnN8n } from './ownN8n';
import { startService, type Service } from './service';
import { linksTo, reportTo, runStart, stayUp, type StartContext } from './start';
import { entryPointsOf, startExample } from './startExample';

/**
 * How many executions of the first example run at once in queue mode, so that more than one worker has
 * something to do.
 */
const EXECUTIONS = 2;

/** An n8n that has been started, of one process or of several. */
interface Started {
	service: Service;
	rest: Rest;
	baseUrl: string;
	userFolder: string;
	ended: Promise<number>;
	logFile: string;
	links?: Links;
	/** What is being run, as the progress names it. */
	label?: string;
	/** Runs the wanted example. */
	run: (run: ExampleRun, workflow: SavedWorkflow) => Promise<void>;
}

/** The service first: a wrong key is reported before half a minute is spent on starting n8n. */
async function startOne(context: StartContext, wanted: WorkflowData): Promise<Started> {
	const { options, port, cleanup, log } = context;
	// Events come by https only, and the sandbox has to trust the address.
	const { byEvent, rests } = entryPointsOf(wanted);
	const front = byEvent || rests ? await startTlsFront() : undefined;
	if (front) cleanup.add(front.stop);
	const env = {
		...liveResults,
		...front?.env,
		// Where links to an execution lead: by another name of this machine nobody is signed in.
		N8N_EDITOR_BASE_URL: `http://127.0.0.1:${port}`,
		...(options.watch && { N8N_DEV_RELOAD: 'true' }),
	};
	const service = await startService(context, front?.ca);
	const userFolder = path.join(stateRoot, 'n8n');
	const { n8n, rest } = await startInstance({ userFolder, port, env, log });
	cleanup.add(n8n.stop);
	front?.target(n8n.port);
	const onEnd = (step: () => void) => cleanup.add(step);
	const start = { rest, baseUrl: n8n.baseUrl, service, log, unattended: options.once, onEnd };
	const run: Started['run'] = async (one, workflow) => await startExample(one, start, workflow);
	return { ...n8n, service, rest, run };
}

/** The same in queue mode, where it prints which worker ran which execution. */
async function startMany(context: StartContext): Promise<Started> {
	const { port, cleanup, log } = context;
	const service = await startService(context);
	const userFolder = path.join(stateRoot, 'queue');
	const queue = await Queue.start({ userFolder, port, log, cleanup });
	const { main, webhooks, workers, rest } = queue;
	const logOf = ({ logFiles }: Member) => shown(logFiles.at(-1) ?? '');
	return {
		service,
		rest,
		baseUrl: main.url,
		userFolder,
		ended: main.ended(),
		logFile: logOf(main),
		links: {
			Webhooks: webhooks.map(({ url }) => `${url}/webhook/…`).join(', '),
			Logs: [main, ...webhooks, ...workers].map(logOf).join(', '),
		},
		label: `Running ${EXECUTIONS} executions on the workers`,
		async run(run, { id: workflow }) {
			const ids: string[] = [];
			while (ids.length < EXECUTIONS) ids.push(await rest.workflows.run(workflow, 'Start'));
			await Promise.all(ids.map(async (id) => await run.follow(id)));
			for (const id of ids)
				log(`Execution ${id} ran on ${queue.workerOf(id)?.name ?? 'an unknown worker'}.`);
			log('');
		},
	};
}

/** Something that answers like a language model, so that an agent needs no account to be tried. */
async function standInModel({ cleanup, log }: StartContext, rest: Rest): Promise<SavedCredential> {
	const model = await ModelServer.start();
	cleanup.add(async () => await model.close());
	log('A stand-in answers as the language model: it asks for a picture of whatever you write.');
	const data = { apiKey: 'none', url: model.baseUrl };
	return await saveOfType(rest, 'openAiApi', 'Stand-in for a language model', data);
}

/** Puts the credential and the examples into the editor, and gives the wanted one and the ids of all. */
async function prepare(
	context: StartContext,
	wanted: WorkflowData,
	{ rest, service, userFolder }: Started,
): Promise<{ workflow: SavedWorkflow; workflows: Record<string, string> }> {
	const credential = await saveCredential(rest, 'MediaGen account', service.access);
	const store = new ExampleStore(rest.workflows, path.join(userFolder, 'examples.json'));
	const workflows: Record<string, string> = {};
	const save = async (example: WorkflowData, needed = false) => {
		const saved = await store.save(withCredential(example, credential), needed);
		if (saved) workflows[example.name] = saved.workflow.id;
		return saved;
	};
	for (const example of readExamples()) if (example.name !== wanted.name) await save(example);
	const ready = hasLanguageModel(wanted)
		? withLanguageModel(wanted, await standInModel(context, rest))
		: wanted;
	const { workflow, changed } = (await save(ready, true))!;
	if (changed) context.log(`"${wanted.name}" was changed, so it stays as it is.`);
	return { workflow, workflows };
}

/**
 * Compiles the nodes into n8n's own copy whenever a source changes, and shows what the compiler
 * says. Icons and codex files are copied at the next start only.
 */
function watchSources(userFolder: string): void {
	const nodes = path.join(userFolder, '.n8n', 'nodes', 'node_modules');
	const dist = path.join(nodes, 'n8n-nodes-mediagen', 'dist');
	const compiler = require.resolve('typescript/bin/tsc');
	const flags = ['-p', 'scripts/tsconfig.build.json', '--outDir', dist];
	const watching = ['--watch', '--preserveWatchOutput'];
	const options = { cwd: projectRoot, env: process.env, output: 'inherit' } as const;
	spawnGuarded(process.execPath, [compiler, ...flags, ...watching], options);
}

runStart(async (context) => {
	const { options, log, held } = context;
	const { once, queue, example = '' } = options;
	const wanted = numbered(readExamples(), (!queue && example) || '1');
	if (options.ownN8n) return await useOwnN8n(context, options.ownN8n, wanted);
	const started = queue ? await startMany(context) : await startOne(context, wanted);
	const { service, rest, userFolder } = started;
	const { workflow, workflows } = await prepare(context, wanted, started);
	const links = {
		...linksTo(started.baseUrl, workflow.id, example !== ''),
		...started.links,
		...(service.page ? { Sandbox: service.page } : { Service: service.access.baseUrl }),
	};
	held.publish({ links, workflows });
	if (example && !once) log(linkLines(links)[0]!);
	const label = started.label ?? `Running "${workflow.name}" in n8n`;
	const folder = path.join(outRoot, queue ? 'queue' : example);
	const run = new ExampleRun(rest, workflow, service.readCredits, log, folder);
	let failed = false;
	await withProgress(log, label, async () => await started.run(run, workflow)).catch((error) => {
		if (once) throw error;
		failed = true;
		reportTo(log, error);
	});
	if (once) return;
	process.exitCode = failed ? 1 : 0;
	if (options.watch) watchSources(userFolder);
	const kept = queue ? '.' : '; the next start goes on with what is there.';
	await stayUp(context, links, `Ctrl-C stops everything${kept}`, started);
});
