/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Cleanup } from '../process/cleanup';
import { freePort } from '../process/ports';
import { silent, withProgress, type Log } from '../process/progress';
import { startBackends } from './backends';
import { demoOwner, preparePackage } from './instance';
import { Rest } from './rest';
import {
	removeUserFolder,
	startN8n,
	temporaryUserFolder,
	type N8n,
	type N8nOptions,
} from './start';

/** One process of an n8n in queue mode. It keeps name and port when it is started again. */
export class Member {
	/** One log for each start, oldest first. */
	readonly logFiles: string[] = [];

	private n8n?: N8n;

	constructor(
		/** Such as `worker-1`; its logs are named after it. */
		readonly name: string,
		readonly port: number,
		private readonly options: N8nOptions,
	) {}

	/** Such as `http://127.0.0.1:5678`; a worker answers only `/healthz` there. */
	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	/** Whether it takes work; not while it starts, when n8n answers webhooks with 200 and drops them. */
	get isReady(): boolean {
		return this.n8n !== undefined;
	}

	/** What it has logged, over all starts. */
	log(): string {
		return this.logFiles.map((file) => readFileSync(file, 'utf8')).join('');
	}

	/** Resolves with the exit code once the process has ended; at once where none is running. */
	async ended(): Promise<number> {
		return (await this.n8n?.ended) ?? 0;
	}

	/** SIGKILL, as a crash. Nothing is started in its place. */
	async kill(): Promise<void> {
		await this.n8n?.kill();
		this.n8n = undefined;
	}

	/** SIGTERM, as a deployment does; what it is at may end within `graceMs`. */
	async stop(): Promise<void> {
		await this.n8n?.stop();
		this.n8n = undefined;
	}

	/**
	 * Starts it, after a stop where it is running still.
	 *
	 * @throws LabError with its last lines when it does not start
	 */
	async restart(): Promise<void> {
		await this.stop();
		const { name, port, options } = this;
		const logFile = path.join(options.userFolder, `${name}.${this.logFiles.length + 1}.log`);
		// One of several that start at once on a small machine.
		this.n8n = await startN8n({ ...options, port, logFile, readyTimeoutMs: 120_000 });
		this.logFiles.push(logFile);
	}
}

export interface QueueOptions {
	/** Processes that take production webhooks; default 1. */
	webhooks?: number;
	/** Port of the editor; default: a free one. */
	port?: number;
	/** Kept over starts when given; otherwise temporary. The databases are temporary either way. */
	userFolder?: string;
	/** Variables for all processes, such as `WEBHOOK_URL`. */
	env?: Record<string, string>;
	/** Milliseconds between SIGTERM and SIGKILL when one is stopped; default 10,000. */
	graceMs?: number;
	/** Executions that a worker takes at once; default 5. */
	concurrency?: number;
	/** For tests: few of n8n's modules. */
	lean?: boolean;
	log?: Log;
	/**
	 * Gets what has to be ended as soon as it is started, for a caller who may be interrupted;
	 * default: one of its own.
	 */
	cleanup?: Cleanup;
}

/**
 * An n8n of several processes on this machine, two of them workers, which share Redis and PostgreSQL,
 * with our packed package.
 */
export class Queue {
	private constructor(
		/** Editor, REST interface, schedules; leader. */
		readonly main: Member,
		readonly workers: Member[],
		/** They take production webhooks, and nothing else. */
		readonly webhooks: Member[],
		/** The owner's session at the main process; it outlives a restart. */
		readonly rest: Rest,
		/** Ends all processes, and removes what was temporary. */
		readonly stop: () => Promise<void>,
	) {}

	/**
	 * Starts Redis, PostgreSQL, a main, workers and webhook processes on 127.0.0.1, and signs in.
	 *
	 * @throws LabError with one line when a part does not start; nothing is left running then
	 */
	static async start(options: QueueOptions = {}): Promise<Queue> {
		const { log = silent, cleanup = new Cleanup(), graceMs, lean, concurrency = 5 } = options;
		const { userFolder = temporaryUserFolder() } = options;
		if (!options.userFolder) cleanup.add(() => removeUserFolder(userFolder));
		try {
			await preparePackage(userFolder, log);
			const shared = {
				...sharedEnvironment,
				...(await startBackends(cleanup, log)),
				...options.env,
			};
			const members: Member[] = [];
			cleanup.add(async () => await Promise.all(members.map(async (each) => await each.stop())));
			const add = async (name: string, args: string[], wanted?: number) => {
				const port = wanted ?? (await freePort());
				const env = {
					...shared,
					// When it starts, n8n ends as crashed what this says has begun and not ended: by default
					// that of the other workers too, who write to the same file.
					N8N_EVENTBUS_LOGWRITER_LOGFULLPATH: path.join(userFolder, `${name}.events.log`),
					QUEUE_HEALTH_CHECK_PORT: String(port),
				};
				members.push(new Member(name, port, { args, env, userFolder, graceMs, lean }));
			};
			await add('main', ['start'], options.port);
			for (const index of [1, 2])
				await add(`worker-${index}`, ['worker', `--concurrency=${concurrency}`]);
			for (let index = 1; index <= (options.webhooks ?? 1); index += 1)
				await add(`webhook-${index}`, ['webhook']);
			const [main, ...others] = members as [Member, ...Member[]];
			// The main process first: it makes the tables.
			await withProgress(log, 'Starting n8n (main)', async () => await main.restart());
			await withProgress(log, 'Starting workers and webhook process', async () => {
				const all = others.map(async (each) => await each.restart());
				// A failure waits for the others, or their processes would be forgotten.
				await Promise.allSettled(all);
				await Promise.all(all);
			});
			const are = (kind: string) => others.filter(({ name }) => name.startsWith(kind));
			const rest = await Rest.signIn(main.url, demoOwner);
			const stop = async () => await cleanup.end();
			return new Queue(main, are('worker'), are('webhook'), rest, stop);
		} catch (error) {
			await cleanup.end();
			throw error;
		}
	}

	/** Which worker took an execution, by the workers' logs; `undefined` while none has. */
	workerOf(execution: string): Member | undefined {
		const took = new RegExp(`Worker started execution ${execution}\\b`);
		return this.workers.find((worker) => took.test(worker.log()));
	}
}

const sharedEnvironment = {
	EXECUTIONS_MODE: 'queue',
	QUEUE_HEALTH_CHECK_ACTIVE: 'true',
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
	// Queue mode refuses files that only one machine sees.
	N8N_DEFAULT_BINARY_DATA_MODE: 'database',
	N8N_LOG_LEVEL: 'info',
};
