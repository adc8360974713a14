/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { rmSync } from 'node:fs';
import { Cleanup } from '../../demo/cleanup';
import { silent, withProgress, type Log } from '../../process/progress';
import { Rest } from '../rest';
import { demoOwner, preparePackage } from '../instance';
import { temporaryUserFolder } from '../start';
import { Member, type Role } from './member';
import { startPostgres } from './postgres';
import { startRedis } from './redis';
import { tellForeignDatabase } from './server';

export type { Member } from './member';

export interface QueueOptions {
	/** Default 2. */
	workers?: number;
	/** Processes that take production webhooks; default 1. */
	webhooks?: number;
	/** Executions at a time of each worker; default 5. */
	concurrency?: number;
	/** Port of the editor; default: a free one. */
	port?: number;
	/** Kept over starts when given; otherwise temporary. The databases are temporary either way. */
	userFolder?: string;
	/** Variables for all processes, such as `WEBHOOK_URL`. */
	env?: Record<string, string>;
	/** Milliseconds between SIGTERM and SIGKILL when one is stopped; default 10,000. */
	graceMs?: number;
	log?: Log;
	/**
	 * Gets what has to be ended as soon as it is started, for a caller who may be interrupted;
	 * default: one of its own.
	 */
	cleanup?: Cleanup;
}

/**
 * An n8n of several processes on this machine, which share Redis and PostgreSQL, with our packed
 * package.
 */
export class Queue {
	readonly workers: Member[] = [];

	/** They take production webhooks, and nothing else. */
	readonly webhooks: Member[] = [];

	private readonly started = { main: 0, worker: 0, webhook: 0 };

	private constructor(
		readonly userFolder: string,
		/** What all processes share: backends, mode, and the variables given. */
		readonly env: Record<string, string>,
		private readonly options: QueueOptions,
		private readonly members: Member[],
		private readonly cleanup: Cleanup,
	) {}

	private signedIn?: Rest;

	private first?: Member;

	/** Editor, REST interface, schedules; leader. */
	get main(): Member {
		if (!this.first) throw new Error('The queue is not started');
		return this.first;
	}

	/** The owner's session at the main process; it outlives a restart. */
	get rest(): Rest {
		if (!this.signedIn) throw new Error('The queue is not started');
		return this.signedIn;
	}

	/**
	 * Starts Redis, PostgreSQL, a main, workers and webhook processes on 127.0.0.1, and signs in.
	 *
	 * @throws LabError with one line when a part does not start; nothing is left running then
	 */
	static async start(options: QueueOptions = {}): Promise<Queue> {
		const { log = silent, workers = 2, webhooks = 1 } = options;
		const { cleanup = new Cleanup() } = options;
		const members: Member[] = [];
		try {
			const userFolder = options.userFolder ?? temporaryUserFolder();
			if (!options.userFolder) {
				cleanup.add(() => rmSync(userFolder, { recursive: true, force: true, maxRetries: 3 }));
			}
			await preparePackage(userFolder, log);
			const backends = await startBackends(cleanup, log);
			cleanup.add(async () => await Promise.all(members.map(async (each) => await each.stop())));
			const env = { ...sharedEnvironment(), ...backends, ...options.env };
			const queue = new Queue(userFolder, env, options, members, cleanup);
			// The main process first: it makes the tables.
			const main = async () => await queue.add('main', {}, options.port).catch(tellForeignDatabase);
			queue.first = await withProgress(log, 'Starting n8n (main)', main);
			await withProgress(log, 'Starting workers and webhook process', async () => {
				// Numbered as they are asked for; a failure waits for the others, or their processes would
				// be forgotten.
				const all = [
					...Array.from({ length: workers }, async () => await queue.addWorker()),
					...Array.from({ length: webhooks }, async () => await queue.addWebhook()),
				];
				await Promise.allSettled(all);
				await Promise.all(all);
			});
			for (const list of [queue.workers, queue.webhooks])
				list.sort((left, right) => left.name.localeCompare(right.name));
			queue.signedIn = await Rest.signIn(queue.main.url, demoOwner);
			return queue;
		} catch (error) {
			await cleanup.end();
			throw error;
		}
	}

	/** Starts one more worker. @param env of this one, besides */
	async addWorker(env: Record<string, string> = {}): Promise<Member> {
		const worker = await this.add('worker', env);
		this.workers.push(worker);
		return worker;
	}

	/** Starts one more process that takes production webhooks. @param env of this one, besides */
	async addWebhook(env: Record<string, string> = {}): Promise<Member> {
		const webhook = await this.add('webhook', env);
		this.webhooks.push(webhook);
		return webhook;
	}

	/** Which worker took an execution, by the workers' logs; `undefined` while none has. */
	workerOf(execution: string): Member | undefined {
		const took = new RegExp(`Worker started execution ${execution}\\b`);
		return this.workers.find((worker) => took.test(worker.log()));
	}

	/** Ends all processes, and removes what was temporary. */
	async stop(): Promise<void> {
		await this.cleanup.end();
	}

	private async add(role: Role, env: Record<string, string>, port?: number): Promise<Member> {
		const count = (this.started[role] += 1);
		const name = role === 'main' ? role : `${role}-${count}`;
		const { userFolder } = this;
		const { concurrency = 5, graceMs } = this.options;
		const all = { ...this.env, ...env };
		const known = { name, role, userFolder, env: all, port, concurrency, graceMs };
		const member = await Member.start(known);
		this.members.push(member);
		return member;
	}
}

/** @returns the variables by which n8n finds them */
async function startBackends(cleanup: Cleanup, log: Log): Promise<Record<string, string>> {
	const { REDIS_URL, DATABASE_URL, N8N_ENCRYPTION_KEY } = process.env;
	const what = REDIS_URL && DATABASE_URL ? 'Looking for' : 'Starting';
	return await withProgress(log, `${what} Redis and PostgreSQL`, async () => {
		const env: Record<string, string> = {};
		// A database that is kept may have credentials of an earlier n8n.
		if (DATABASE_URL && N8N_ENCRYPTION_KEY) env.N8N_ENCRYPTION_KEY = N8N_ENCRYPTION_KEY;
		for (const begin of [startRedis, startPostgres]) {
			Object.assign(env, await begin(cleanup, log));
		}
		return env;
	});
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
