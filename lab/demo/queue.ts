/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import path from 'node:path';
import { saveCredential } from '../n8n/credential';
import { Queue, type Member } from '../n8n/queue';
import { LabError } from '../process/failure';
import { outRoot, shown, stateRoot } from '../process/paths';
import { withProgress, type Log } from '../process/progress';
import { ExampleRun } from './exampleRun';
import { ExampleStore } from './exampleStore';
import { numbered, readExamples, withCredential, withModels } from './examples';
import { startService, type Service } from './service';
import { linksTo, runStart, stayUp } from './start';

/** How many executions of the first example run at once, so that more than one worker has something to do. */
const executions = 2;

const userFolder = path.join(stateRoot, 'queue');

/** Runs the first example several times on the workers and prints which worker ran which execution. */
async function runOnWorkers(queue: Queue, service: Service, log: Log): Promise<string> {
	const { rest } = queue;
	const credential = await saveCredential(rest, 'MediaGen account', service.access);
	const example = withCredential(numbered(readExamples(), '1'), credential);
	// A database at DATABASE_URL has the workflow of the last start.
	const store = new ExampleStore(rest.workflows, path.join(userFolder, 'examples.json'));
	const stored = await store.save(withModels(example, service.choose), true);
	const { workflow } = stored!;
	const folder = path.join(outRoot, 'queue');
	const run = new ExampleRun(rest, workflow, service.readCredits, log, folder);
	const ids: string[] = [];
	for (let count = 0; count < executions; count += 1)
		ids.push(await rest.workflows.run(workflow.id, 'Start'));
	await Promise.all(ids.map(async (id) => await run.follow(id)));
	for (const id of ids)
		log(`Execution ${id} ran on ${queue.workerOf(id)?.name ?? 'an unknown worker'}.`);
	log('');
	return workflow.id;
}

// The sandbox's state is that of npm start.
runStart(async (context) => {
	const { options, port, log, cleanup } = context;
	if (options.watch) throw new LabError('Queue mode does not watch: npm run dev does');
	const service = await startService(context);
	const queue = await Queue.start({ userFolder, port, log, cleanup });
	const label = `Running ${executions} executions on the workers`;
	const workflow = await withProgress(log, label, () => runOnWorkers(queue, service, log));
	if (options.once) return;
	const { main, webhooks, workers } = queue;
	const logOf = ({ logFiles }: Member) => shown(logFiles.at(-1) ?? '');
	const links = {
		...linksTo(main.url, workflow, false),
		Webhooks: webhooks.map(({ url }) => `${url}/webhook/…`).join(', '),
		Logs: [main, ...webhooks, ...workers].map(logOf).join(', '),
		...(service.page ? { Sandbox: service.page } : {}),
	};
	const n8n = { ended: main.ended(), logFile: logOf(main) };
	await stayUp(context, links, 'Ctrl-C stops everything.', n8n);
});
