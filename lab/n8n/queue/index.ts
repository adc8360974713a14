/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import path from 'node:path';
import { Cleanup } from '../../demo/cleanup';
import { startN8n, temporaryUserFolder, type N8n } from '../start';
import { freePort } from '../../process/ports';
import { silent, withProgress, type Log } from '../../process/progress';
import { Rest } from '../rest';
import { demoOwner, preparePackage } from '../stage';
import type { Backend } from './backend';
import { startPostgres } from './postgres';
import { startRedis } from './redis';

/** One process of n8n that takes executions from the queue. */
export interface Worker {
	name: string;
	n8n: N8n;
}

/** An n8n of several processes on this machine: a main, workers and a webhook process share Redis and PostgreSQL. */
export interface Queue {
	main: N8n;
	rest: Rest;
	workers: Worker[];
	/** Takes production webhooks, and nothing else. */
	webhook: N8n;
	/** Starts one more worker. */
	addWorker(env?: Record<string, string>): Promise<Worker>;
	/** Starts one more process that takes production webhooks. */
	addWebhook(env?: Record<string, string>): Promise<N8n>;
	/** Starts the main process again after it was killed; sign in again with `Rest.signIn`. */
	restartMain(): Promise<N8n>;
	stop(): Promise<void>;
}

export interface QueueOptions {
	/** Default 2. */
	workers?: number;
	/** Executions at a time of each worker; default 5. */
	concurrency?: number;
	/** Port of the editor; default: a free one. */
	port?: number;
	userFolder?: string;
	/** Variables for all processes, such as `WEBHOOK_URL`. */
	env?: Record<string, string>;
	tell?: Log;
}

/**
 * Starts n8n in queue mode with our packed package, on 127.0.0.1, and signs in.
 *
 * @throws LabError with one line when a part does not start; nothing is left running then
 */
export async function startQueue(options: QueueOptions = {}): Promise<Queue> {
	const { tell: log = silent, concurrency = 5 } = options;
	const cleanup = new Cleanup();
	try {
		const userFolder = options.userFolder ?? temporaryUserFolder();
		await preparePackage(userFolder, log);
		const backends = await withProgress(log, 'Starting Redis and PostgreSQL', async () => {
			const started: Backend[] = [];
			for (const begin of [startRedis, startPostgres]) {
				const backend = await begin(log);
				cleanup.add(backend.stop);
				started.push(backend);
			}
			return started;
		});
		const shared = {
			...sharedEnvironment(),
			...Object.assign({}, ...backends.map(({ env }) => env)),
			...options.env,
		} as Record<string, string>;
		const start = async (name: string, args: string[], port: number, env = {}) => {
			const logFile = path.join(userFolder, `${name}.log`);
			const more = { ...shared, ...env };
			const n8n = await startN8n({ userFolder, port, args, logFile, env: more });
			cleanup.add(n8n.stop);
			return n8n;
		};
		const mainPort = options.port ?? (await freePort());
		const startMain = async () => await start('main', ['start'], mainPort);
		const workers: Worker[] = [];
		let named = 0;
		const addWorker = async (env?: Record<string, string>) => {
			const name = `worker-${(named += 1)}`;
			const port = await freePort();
			const health = { ...env, QUEUE_HEALTH_CHECK_PORT: String(port) };
			const n8n = await start(name, ['worker', `--concurrency=${concurrency}`], port, health);
			const worker = { name, n8n };
			workers.push(worker);
			return worker;
		};
		let webhooks = 0;
		const addWebhook = async (env?: Record<string, string>) =>
			await start(`webhook-${(webhooks += 1)}`, ['webhook'], await freePort(), env);
		// The main process first: it makes the tables.
		const main = await withProgress(log, 'Starting n8n (main)', startMain);
		const webhook = await withProgress(log, 'Starting workers and webhook process', async () => {
			const wanted = Array.from({ length: options.workers ?? 2 }, async () => await addWorker());
			// A failure waits for the others to be up, or their processes would be forgotten.
			const webhookStart = addWebhook();
			await Promise.allSettled([webhookStart, ...wanted]);
			const [started] = await Promise.all([webhookStart, ...wanted]);
			return started;
		});
		const rest = await Rest.signIn(main.baseUrl, demoOwner);
		const stop = async () => await cleanup.end();
		return { main, rest, workers, webhook, addWorker, addWebhook, restartMain: startMain, stop };
	} catch (error) {
		await cleanup.end();
		throw error;
	}
}

function sharedEnvironment(): Record<string, string> {
	return {
		EXECUTIONS_MODE: 'queue',
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		// Queue mode refuses files that only one machine sees.
		N8N_DEFAULT_BINARY_DATA_MODE: 'database',
		N8N_LOG_LEVEL: 'info',
	};
}
