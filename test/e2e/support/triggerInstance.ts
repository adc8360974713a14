/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import { saveCredential } from '../../../lab/n8n/credential';
import { newest } from '../../../lab/n8n/release';
import {
	removeUserFolder,
	startN8n,
	temporaryUserFolder,
	type N8n,
	type N8nOptions,
} from '../../../lab/n8n/start';
import { freePort } from '../../../lab/process/ports';
import type { Log } from '../../../lab/process/progress';
import { Rest, type SavedCredential } from '../../../lab/n8n/rest';
import { startInstance } from '../../../lab/n8n/instance';
import { EventInstance } from './eventInstance';
import { startEventEnvironment, type EventEnvironment } from './eventEnvironment';

/** n8n waits for somebody else to start the process that runs Code nodes, which takes 3 s of CPU time. */
const WITHOUT_CODE = { N8N_RUNNERS_MODE: 'external', N8N_RUNNERS_AUTH_TOKEN: 'none' };

interface TriggerOptions extends Pick<N8nOptions, 'release' | 'lean' | 'headless'> {
	/** Whether its workflows may have a Code node; default: no. */
	code?: boolean;
	log?: Log;
}

/** An {@link EventInstance} with an n8n of one process. */
export class TriggerInstance extends EventInstance {
	private constructor(
		world: EventEnvironment,
		private n8n: N8n,
		rest: Rest,
		credential: SavedCredential,
		private readonly options: Pick<N8nOptions, 'env' | 'release' | 'lean' | 'headless'>,
	) {
		super(world, rest, credential);
	}

	/** @param more variables that n8n gets besides */
	static async start(
		more: Record<string, string> = {},
		{ release = newest, lean = true, headless = true, code = false, log }: TriggerOptions = {},
	): Promise<TriggerInstance> {
		const port = await freePort();
		const world = await startEventEnvironment(port);
		const env = { ...world.env, ...(code ? {} : WITHOUT_CODE), ...more };
		const options = { release, lean, headless, env };
		const userFolder = temporaryUserFolder();
		const started = startInstance({ ...options, port, log, userFolder, fromTemplate: true });
		const { n8n, rest } = await started.catch(async (error: unknown) => {
			await world.close();
			throw error;
		});
		const credential = await saveCredential(rest, 'Trigger', world.access);
		return new TriggerInstance(world, n8n, rest, credential, options);
	}

	async stop(): Promise<void> {
		await this.n8n.stop();
		await this.world.close();
		removeUserFolder(this.n8n.userFolder);
	}

	/** Where n8n listens, behind the TLS front; its log; its folder with the database. */
	get direct(): { port: number; logFile: string; userFolder: string; filesFolder: string } {
		return this.n8n;
	}

	/** What n8n has logged since it was started. */
	log(): string {
		return readFileSync(this.n8n.logFile, 'utf8');
	}

	/** Ends n8n as a crash would; the user folder stays. */
	async crash(): Promise<void> {
		await this.n8n.kill();
	}

	/** Ends n8n; the user folder stays. */
	async down(): Promise<void> {
		await this.n8n.stop();
	}

	async up(env: Record<string, string> = {}): Promise<void> {
		const { userFolder, port } = this.n8n;
		// Nothing is delivered before n8n has started: what begins earlier its recovery takes for an
		// execution that got lost in the crash, and ends it (docs/triggers.md).
		this.front.target(0);
		const all = { ...this.options.env, ...env };
		this.n8n = await startN8n({ ...this.options, userFolder, port, env: all });
		this.rest = Rest.resume(this.rest.session.ticket);
		this.front.target(port);
	}
}
