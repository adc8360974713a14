/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../process/ports';
import { startN8n, type N8n } from '../start';

/** What a member is for, in n8n's words. */
export type Role = 'main' | 'worker' | 'webhook';

export interface MemberOptions {
	/** Such as `worker-1`; its logs are named after it. */
	name: string;
	role: Role;
	userFolder: string;
	env: Record<string, string>;
	/** Default: a free one. */
	port?: number;
	/** Executions at a time of a worker. */
	concurrency: number;
	/** Milliseconds between SIGTERM and SIGKILL when it is stopped; default 10,000. */
	graceMs?: number;
}

/** How long one of several that start at once on a small machine may take. */
const READY_MS = 300_000;

/** One process of an n8n in queue mode. It keeps name and port when it is started again. */
export class Member {
	/** One log for each start, oldest first. */
	readonly logFiles: string[] = [];

	private constructor(
		private readonly options: MemberOptions,
		readonly port: number,
		private n8n?: N8n,
	) {}

	/** @throws LabError with its last lines when it does not start */
	static async start(options: MemberOptions): Promise<Member> {
		const member = new Member(options, options.port ?? (await freePort()));
		await member.begin();
		return member;
	}

	get name(): string {
		return this.options.name;
	}

	/** Such as `http://127.0.0.1:5678`; a worker answers only `/healthz` there. */
	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	/** Whether it takes work; not while it starts, when n8n answers webhooks with 200 and drops them. */
	get isReady(): boolean {
		return this.n8n !== undefined;
	}

	/** Of the last start. */
	get logFile(): string {
		return this.logFiles.at(-1) ?? '';
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

	/** Starts it again, after a stop where it is running still. `env` holds from now on. */
	async restart(env: Record<string, string> = {}): Promise<void> {
		await this.stop();
		Object.assign(this.options, { env: { ...this.options.env, ...env } });
		await this.begin();
	}

	private async begin(): Promise<void> {
		const { name, role, userFolder, env, concurrency, graceMs } = this.options;
		const logFile = path.join(userFolder, `${name}.${this.logFiles.length + 1}.log`);
		const args = {
			main: ['start'],
			worker: ['worker', `--concurrency=${concurrency}`],
			webhook: ['webhook'],
		}[role];
		const health: Record<string, string> =
			role === 'worker' ? { QUEUE_HEALTH_CHECK_PORT: String(this.port) } : {};
		// When it starts, n8n ends as crashed what this says has begun and not ended: by default that of the other workers
		// too, who write to the same file.
		const eventLog = path.join(userFolder, `${name}.events.log`);
		this.n8n = await startN8n({
			userFolder,
			port: this.port,
			args,
			logFile,
			env: { ...env, ...health, N8N_EVENTBUS_LOGWRITER_LOGFULLPATH: eventLog },
			graceMs,
			readyTimeoutMs: READY_MS,
		});
		this.logFiles.push(logFile);
	}
}
