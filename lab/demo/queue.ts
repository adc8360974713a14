/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import path from 'node:path';
import { saveCredential } from '../n8n/credential';
import { requireSpace, saysDiskFull, diskFull } from '../process/disk';
import { LabError } from '../process/failure';
import { startQueue, type Queue } from '../n8n/queue';
import { outRoot, shown, stateRoot } from '../process/paths';
import { outputLog, withProgress } from '../process/progress';
import { demoOwner } from '../n8n/stage';
import { Cleanup } from './cleanup';
import { readExamples, withCredential, withModels } from './examples';
import { linkLines } from './links';
import { writeFiles } from './media';
import { readOptions } from './options';
import { availablePort } from './port';
import { startService, type Service } from './service';
import { readableSize, TextTable } from './table';
import { workerOf } from './workerLogs';

/** What a start writes besides n8n's install: two databases, binary data, media. */
const startBytes = 400e6;

/** How many executions of the first example run at once, so that more than one worker has something to do. */
const executions = 2;

const log = outputLog();
const cleanup = new Cleanup();

/** Runs the first example several times on the workers and prints which worker made what. */
async function runOnWorkers({ rest, workers }: Queue, service: Service): Promise<string> {
	const [example] = readExamples();
	if (!example) throw new LabError('There is no example in examples/');
	const credential = await saveCredential(rest, 'MediaGen account', service.access);
	const ready = withModels(withCredential(example, credential), service.choose);
	const workflow = await rest.workflows.create(ready);
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
		const worker = workerOf(id, workers) ?? 'unknown';
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
	await requireSpace(stateRoot, startBytes);
	const service = await startService(options, cleanup, log);
	const port = await availablePort(options.port, 'the editor', log);
	const queue = await startQueue({
		userFolder: path.join(stateRoot, 'queue'),
		port,
		tell: log,
	});
	cleanup.add(queue.stop);
	const workflow = await withProgress(log, `Running ${executions} executions on the workers`, () =>
		runOnWorkers(queue, service),
	);
	if (options.once) return;
	const { email, password } = demoOwner;
	const { main: n8n, webhook, workers } = queue;
	const links = {
		Editor: `${n8n.baseUrl} (sign in with ${email} / ${password})`,
		Workflow: `${n8n.baseUrl}/workflow/${workflow}`,
		Webhooks: `${webhook.baseUrl}/webhook/…`,
		Logs: [n8n, webhook, ...workers.map((worker) => worker.n8n)]
			.map(({ logFile }) => shown(logFile))
			.join(', '),
		...(service.page ? { Sandbox: service.page } : {}),
	};
	for (const line of linkLines(links)) log(line);
	log('Ctrl-C stops everything.');
	const code = await n8n.ended;
	throw new LabError(`n8n ended by itself with code ${code}`, n8n.logFile);
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

main()
	.catch((error: unknown) => {
		if (interrupted) return;
		process.exitCode = 1;
		report(error);
	})
	.finally(async () => await cleanup.end());
