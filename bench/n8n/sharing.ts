/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { saveCredential } from '../../lab/n8n/credential';
import { nodeName, triggerName, workflowOf } from '../../lab/n8n/nodeWorkflow';
import { Queue } from '../../lab/n8n/queue';
import type { SavedCredential } from '../../lab/n8n/rest';
import { keyRing, SandboxAdmin } from '../../lab/sandbox/admin';
import { startSandbox } from '../../lab/sandbox/start';
import { createParameters } from '../../test/e2e/support/media';

/**
 * Two workers of a real queue mode that make images for one workspace at the same time, an
 * execution each, and in turns with them one worker that makes all of them: seconds from the first
 * creation to the end of the last node over the bound (jobs x seconds / slots), and the requests
 * that the service answered with 429. Limits and durations are those of life: 60 requests a minute,
 * 5 slots, 8 s ± 20 %. Run with `tsx bench/n8n/sharing.ts [images of each worker] [rounds]`.
 */
const SECONDS = 8;
const PLACES = 5;

/** Longer than the minute for which the processes remember what they have sent. */
const PAUSE_MS = 65_000;

class Sharing {
	constructor(
		private readonly queue: Queue,
		private readonly admin: SandboxAdmin,
		private readonly workspace: string,
		private readonly credential: SavedCredential,
	) {}

	/** Runs this many executions at once, each with that many jobs, and prints what became of them. */
	async round(executions: number, jobs: number): Promise<void> {
		const { queue, admin } = this;
		await sleep(PAUSE_MS);
		// No reset: it would give the next jobs the ids of the last ones, and the processes remember whose those were.
		const paidBefore = (await admin.ledger(this.workspace)).lines.length;
		const sentBefore = (await admin.requests()).length;
		const started = await Promise.all(
			Array.from({ length: executions }, async (_, each) => await this.start(jobs, each)),
		);
		const ends = await Promise.all(started.map(async (id) => await this.endOf(id)));
		const workers = new Set(started.map((id) => queue.workerOf(id)?.name));
		if (workers.size !== executions) throw new Error(`All ran on ${[...workers].join()}`);
		const lines = (await admin.ledger(this.workspace)).lines.slice(paidBefore);
		const reserved = lines.filter(({ movement }) => movement === 'reserve');
		if (reserved.length !== executions * jobs) throw new Error(`${reserved.length} were paid`);
		const seconds = (Math.max(...ends) - (reserved[0]?.at ?? 0)) / 1_000;
		const bound = (executions * jobs * SECONDS) / PLACES;
		const sent = (await admin.requests()).slice(sentBefore);
		const requests = sent.filter(({ operation }) => operation !== null);
		const refused = requests.filter(({ status }) => status === 429).length;
		console.log(
			`${executions} x ${jobs}: ${seconds.toFixed(1)} s, bound ${bound} s, ratio ${(seconds / bound).toFixed(3)}; ` +
				`${requests.length} requests, ${refused} x 429 (${((100 * refused) / requests.length).toFixed(1)} %)`,
		);
	}

	/** Without files, because the storage has limits of its own. @returns id of the execution */
	private async start(jobs: number, each: number): Promise<string> {
		const { workflows } = this.queue.rest;
		const prompts = Array.from({ length: jobs }, (_, index) => `Boat ${each}-${index}`);
		const { id } = await workflows.create(
			workflowOf({
				type: 'n8n-nodes-mediagen.mediaGen',
				parameters: createParameters({ prompt: '={{ $json.prompt }}', downloadOutputs: false }),
				credential: this.credential,
				items: prompts.map((prompt) => ({ json: { prompt } })),
			}),
		);
		return await workflows.run(id, triggerName);
	}

	/** When its node has ended, in wall-clock milliseconds. */
	private async endOf(id: string): Promise<number> {
		const { status, data } = await this.queue.rest.executions.wait(id, { timeoutMs: 1_800_000 });
		const ran = data.resultData.runData[nodeName]?.at(-1);
		if (status !== 'success' || !ran) throw new Error(`Execution ${id}: ${status}`);
		return ran.startTime + ran.executionTime;
	}
}

async function main(jobs = 20, rounds = 3): Promise<void> {
	const sandbox = await startSandbox({ clockScale: 1 });
	try {
		// One execution a worker, so that two run on two.
		const queue = await Queue.start({ workers: 2, concurrency: 1, log: console.log });
		try {
			const { key, workspace } = keyRing(sandbox).full;
			const access = { apiKey: key, baseUrl: sandbox.baseUrl };
			const credential = await saveCredential(queue.rest, 'Bench', access);
			const admin = new SandboxAdmin(sandbox.adminUrl);
			await admin.settings({ jobSeconds: { image: SECONDS }, jobJitter: 0.2 });
			const sharing = new Sharing(queue, admin, workspace, credential);
			for (let turn = 0; turn < rounds; turn += 1) {
				await sharing.round(2, jobs);
				await sharing.round(1, 2 * jobs);
			}
			console.log(
				`load of the machine ${os.loadavg()[0]?.toFixed(1)} on ${os.cpus().length} cores`,
			);
		} finally {
			await queue.stop();
		}
	} finally {
		await sandbox.stop();
	}
}

void main(...process.argv.slice(2).map(Number));
