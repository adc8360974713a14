/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import path from 'node:path';
import { saveCredential } from '../n8n/credential';
import { requireSpace } from '../process/disk';
import { LabError } from '../process/failure';
import { Queue } from '../n8n/queue';
import { outRoot, shown, stateRoot } from '../process/paths';
import { outputLog, withProgress } from '../process/progress';
import { demoOwner } from '../n8n/instance';
import { Cleanup } from './cleanup';
import { ExampleStore } from './exampleStore';
import { readExamples, withCredential, withModels } from './examples';
import { linkLines } from './links';
import { writeFiles } from './media';
import { readOptions } from './options';
import { availablePort } from './port';
import { runStart, takeLock } from './runStart';
import { startService, type Service } from './service';
import { readableSize, TextTable } from './table';

/** What a start writes besides n8n's install: two databases, binary data, media. */
const startBytes = 400e6;

/**
 * How many executions of the first example run at once, so that more than one worker has something
 * to do.
 */
const executions = 2;

const log = outputLog();
const cleanup = new Cleanup();
const userFolder = path.join(stateRoot, 'queue');

/** Runs the first example several times on the workers and prints which worker made what. */
async function runOnWorkers(queue: Queue, service: Service): Promise<string> {
	const { rest } = queue;
	const [example] = readExamples();
	if (!example) throw new LabError('There is no example in examples/');
	const credential = await saveCredential(rest, 'MediaGen account', service.access);
	const ready = withModels(withCredential(example, credential), service.choose);
	// A database at DATABASE_URL has the workflow of the last start.
	const store = new ExampleStore(rest.workflows, path.join(userFolder, 'examples.json'));
	const stored = await store.save(ready, true);
	if (!stored) throw new LabError(`"${ready.name}" could not be put into n8n`);
	const { workflow } = stored;
	const trigger = workflow.nodes.find(({ type }) => type.endsWith('.manualTrigger'));
	if (!trigger) throw new LabError(`"${workflow.name}" has no manual trigger to start it with`);
	const ids: string[] = [];
	for (let count = 0; count < executions; count += 1)
		ids.push(await rest.workflows.run(workflow.id, trigger.name));
	const makers = workflow.nodes.filter(({ type }) => type.startsWith('n8n-nodes-mediagen.'));
	const table = new TextTable([
		{ heading: 'Worker', width: 8 },
		{ heading: 'Execution', width: 9, figures: true },
		{ heading: 'File', width: 32 },
		{ heading: 'Size', width: 7, figures: true },
	]);
	let rows = 0;
	for (const id of ids) {
		const execution = await rest.executions.wait(id, { timeoutMs: 45 * 60_000 });
		if (execution.status !== 'success') {
			const { error, lastNodeExecuted } = execution.data.resultData;
			throw new LabError(`"${lastNodeExecuted}" failed: ${error?.message ?? execution.status}`);
		}
		const worker = queue.workerOf(id)?.name ?? 'unknown';
		for (const { name } of makers) {
			const folder = path.join(outRoot, `execution-${id}`);
			for (const { fileName, bytes } of await writeFiles(rest, execution, name, folder)) {
				if (rows === 0) for (const line of ['', ...table.head()]) log(line);
				rows += 1;
				const file = shown(path.join(folder, fileName));
				log(table.row([worker, id, file, readableSize(bytes)]));
			}
		}
	}
	if (rows === 0) throw new LabError(`"${workflow.name}" ran, but made no file`);
	log('');
	return workflow.id;
}

async function main(): Promise<void> {
	const options = readOptions(process.argv.slice(2), process.env);
	if (options.watch) throw new LabError('Queue mode does not watch: npm run dev does');
	// The sandbox's state is that of npm start.
	const held = takeLock(options, cleanup, log);
	if (!held) return;
	await requireSpace(stateRoot, startBytes);
	const service = await startService(options, cleanup, log);
	const port = await availablePort(options.port, 'the editor', 'N8N_PORT', log);
	const queue = await Queue.start({ userFolder, port, log, cleanup });
	const workflow = await withProgress(log, `Running ${executions} executions on the workers`, () =>
		runOnWorkers(queue, service),
	);
	if (options.once) return;
	const { email, password } = demoOwner;
	const { main: n8n, webhooks, workers } = queue;
	const links = {
		Editor: `${n8n.url} (sign in with ${email} / ${password})`,
		Workflow: `${n8n.url}/workflow/${workflow}`,
		Webhooks: webhooks.map(({ url }) => `${url}/webhook/…`).join(', '),
		Logs: [n8n, ...webhooks, ...workers].map(({ logFile }) => shown(logFile)).join(', '),
		...(service.page ? { Sandbox: service.page } : {}),
	};
	held.publish(links);
	for (const line of linkLines(links)) log(line);
	log('Ctrl-C stops everything.');
	const code = await n8n.ended();
	throw new LabError(`n8n ended by itself with code ${code}`, n8n.logFile);
}

runStart(main, cleanup, log);
