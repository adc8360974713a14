/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { INode } from 'n8n-workflow';
import { loadavg } from 'node:os';
import { connectedTo, nodeAt } from '../../lab/n8n/canvas';
import { credentialData, credentialType } from '../../lab/n8n/credential';
import { Queue } from '../../lab/n8n/queue';
import { credentialOf, type Rest, type SavedCredential } from '../../lab/n8n/rest';
import { SandboxAdmin } from '../../lab/sandbox/admin';
import { createSandbox, type Sandbox } from '../../sandbox/server';
import { SCOPES } from '../../src/api';
import { createParameters } from '../../test/e2e/support/media';
import { quickRender } from '../../test/sandbox/support/harness';
import { atMost, mean, type Figure } from '../table';
import { stepOf } from './flow';

const ROUNDS = 3;

/** Images of all executions together, each of 8 s. */
const JOBS = 40;
const SECONDS = 8;
/** As in the sandbox's own settings. */
const JITTER = 0.2;
const SLOTS = 5;

/** No client can be faster. */
const BOUND_MS = (JOBS / SLOTS) * SECONDS * 1_000;

/** Executions that begin at once, and have all images between them. @returns how long each took, in ms */
async function makeImages(
	rest: Rest,
	credential: SavedCredential,
	executions: number,
): Promise<Array<{ from: number; to: number }>> {
	const trigger: INode = {
		...nodeAt('Start', 0),
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
		parameters: {},
	};
	const images: INode = {
		...nodeAt('Images', 1),
		type: 'n8n-nodes-mediagen.mediaGen',
		typeVersion: 1,
		credentials: credentialOf(credential),
		parameters: createParameters({ prompt: '={{ $json.prompt }}' }),
	};
	const items = Array.from({ length: JOBS / executions }, (_, each) => ({
		json: { prompt: `Ship ${each}` },
	}));
	const { id: workflow } = await rest.workflows.create({
		name: 'Bench workers',
		nodes: [trigger, images],
		connections: { Start: connectedTo('Images') },
		pinData: { Start: items },
	});
	const runs = Array.from({ length: executions }, async () => {
		const id = await rest.workflows.run(workflow, 'Start');
		const execution = await rest.executions.wait(id, { timeoutMs: 600_000 });
		if (execution.status !== 'success') throw new Error(`Execution ${id}: ${execution.status}`);
		return stepOf(execution, 'Images');
	});
	const steps = await Promise.all(runs);
	await rest.workflows.delete(workflow);
	return steps;
}

interface Round {
	overBound: number;
	/** How much longer the slower execution took. */
	unfairness: number;
	/** Requests that were refused with 429, and all. */
	refused: number;
	requests: number;
	load: number;
}

/**
 * With a key of its own, so that neither the service nor a worker knows anything of the last round.
 * @param jitter by which part a job may be quicker or slower than 8 s
 */
async function measure(
	rest: Rest,
	sandbox: Sandbox,
	executions: number,
	jitter: number,
): Promise<Round> {
	const admin = new SandboxAdmin(sandbox.adminUrl);
	await admin.reset();
	await admin.settings({ jobJitter: jitter });
	const apiKey = await admin.addKey(sandbox.keys[0]?.workspace ?? '', [...SCOPES]);
	const data = credentialData({ apiKey, baseUrl: sandbox.baseUrl });
	const credential = await rest.credentials.create(credentialType, 'Bench', data);
	const steps = await makeImages(rest, credential, executions);
	const requests = await admin.requests();
	const took = steps.map(({ from, to }) => to - from);
	const from = Math.min(...steps.map((step) => step.from));
	const to = Math.max(...steps.map((step) => step.to));
	return {
		overBound: (to - from) / BOUND_MS,
		unfairness: Math.max(...took) / Math.min(...took),
		refused: requests.filter(({ status }) => status === 429).length,
		requests: requests.length,
		load: loadavg()[0] ?? 0,
	};
}

function figure(name: string, rounds: Round[], most: number): Figure {
	const each = rounds.map(({ overBound, unfairness, refused, requests, load }) => {
		const parts = [`${overBound.toFixed(2)} (slowest / fastest ${unfairness.toFixed(2)}`];
		parts.push(`${refused} of ${requests} refused`, `load ${load.toFixed(1)})`);
		return parts.join(', ');
	});
	return atMost(name, mean(rounds.map(({ overBound }) => overBound)), most, {
		note: each.join('; '),
	});
}

/**
 * Forty images in a real n8n in queue mode against a sandbox with the limits of the plan: by two workers that
 * do not know of each other and have half each, and by one that has them all, in turns, so that whatever else
 * the machine does hits both.
 */
export async function workers(log: (line: string) => void): Promise<Figure[]> {
	const sandbox = await createSandbox({ render: quickRender });
	try {
		// One execution at a time, so that the second one goes to the other worker.
		const queue = await Queue.start({ webhooks: 0, concurrency: 1, lean: true, log });
		try {
			const one: Round[] = [];
			const twoExact: Round[] = [];
			const two: Round[] = [];
			for (let round = 1; round <= ROUNDS; round += 1) {
				twoExact.push(await measure(queue.rest, sandbox, 2, 0));
				two.push(await measure(queue.rest, sandbox, 2, JITTER));
				one.push(await measure(queue.rest, sandbox, 1, JITTER));
				log(`Round ${round} of ${ROUNDS}`);
			}
			return [
				figure('two workers with 20 jobs of 8 s each: time over the bound', twoExact, 1.3),
				figure('the same with jobs of 8 s ± 20 %', two, 1.3),
				figure('one worker with all 40 of 8 s ± 20 %', one, 1.25),
			];
		} finally {
			await queue.stop();
		}
	} finally {
		await sandbox.close();
	}
}
