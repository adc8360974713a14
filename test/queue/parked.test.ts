/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import type { IDataObject, INode } from 'n8n-workflow';
import type { Execution, WorkflowData } from '../../lab/n8n/rest';
import { parkedEventRules } from '../e2e/support/parkedEventRules';
import { parkedFlowRules } from '../e2e/support/parkedFlowRules';
import { EVENTS, ParkedRuns } from '../e2e/support/parkedRuns';
import { itemsOfNode, outputOf, startName } from '../e2e/support/parkedJobs';
import { until } from '../e2e/support/until';
import { SandboxAdmin } from '../../lab/sandbox/admin';
import { instance } from './support/sharedInstance';

jest.setTimeout(3_600_000);

const { queue, sandbox } = instance;
const admin = new SandboxAdmin(sandbox.adminUrl);

let runs: ParkedRuns;

/** All workers that have run a part of an execution. */
const workersOf = (id: string) =>
	queue.workers.filter((worker) =>
		new RegExp(`Worker started execution ${id}\\b`).test(worker.log()),
	);

/** A service of which nothing is known yet, whose jobs end when a test says so. */
async function fresh(): Promise<void> {
	await admin.reset();
	runs = new ParkedRuns(instance, queue.webhooks.length);
}

test('40 jobs are parked by one worker, which is killed; another one goes on with all of them', async () => {
	await fresh();
	const { jobs } = runs;
	const ids = await jobs.make(40);
	const id = await runs.park(ids);
	await runs.isParked(id);
	const [first] = workersOf(id);
	await first?.kill();
	jobs.end(...ids);
	const execution = await runs.ended(id);
	expect(execution.status).toBe('success');
	expect(outputOf(execution).map(({ json }) => [json.id, json.finished])).toEqual(
		ids.map((job) => [job, true]),
	);
	expect(workersOf(id).map(({ name }) => name)).toEqual(
		expect.arrayContaining(queue.workers.filter((one) => one !== first).map(({ name }) => name)),
	);
	await until(() => jobs.webhooks().length === 0);
	expect(jobs.webhooks()).toEqual([]);
	await first?.restart();
});

test('main, workers and webhook processes are killed while an execution is parked: the events find it after the restart', async () => {
	await fresh();
	const { jobs } = runs;
	const ids = await jobs.make(4);
	const id = await runs.park(ids);
	await runs.isParked(id);
	const all = [queue.main, ...queue.workers, ...queue.webhooks];
	await Promise.all(all.map(async (one) => await one.kill()));
	jobs.end(...ids);
	// The main process first, as a deployment does it.
	for (const one of [[queue.main], queue.workers, queue.webhooks])
		await Promise.all(one.map(async (each) => await each.restart()));
	const execution = await runs.ended(id);
	expect(outputOf(execution).map(({ json }) => [json.id, json.finished])).toEqual(
		ids.map((job) => [job, true]),
	);
});

describe('in queue mode too', () => {
	beforeAll(fresh);

	parkedEventRules(() => runs);
	parkedFlowRules(() => runs);

	test('Timer Only: nothing is in the memory of a worker, and the service is asked once a minute at most', async () => {
		const executions = Number(process.env.MEDIAGEN_PARKED_EXECUTIONS ?? 3);
		const each = Number(process.env.MEDIAGEN_PARKED_JOBS ?? 4);
		// The default; the jobs are many, so that a look goes through pages of the list.
		const lookAgainAfter = 10;
		const portions: string[][] = [];
		for (let count = 0; count < executions; count += 1) portions.push(await runs.jobs.make(each));
		const asked = runs.jobs.requests().length;
		const ids: string[] = [];
		for (const portion of portions)
			ids.push(await runs.park(portion, { resumeBy: 'timer', lookAgainAfter }));
		for (const id of ids) await runs.isParked(id);
		const count = () => runs.jobs.requests().length - asked;
		const looked = count();
		expect(looked).toBeLessThanOrEqual(executions * lookAgainAfter);
		const finished = (id: string) => new RegExp(`Worker finished execution ${id}\\b`);
		const isOut = (id: string) => workersOf(id).every((worker) => finished(id).test(worker.log()));
		await until(() => ids.every(isOut));
		expect(ids.filter((id) => !isOut(id))).toEqual([]);
		expect(ids.filter((id) => workersOf(id).length !== 1)).toEqual([]);
		expect(count()).toBe(looked);
		for (const id of ids) await instance.rest.executions.stop(id);
	});
});

/**
 * 40 pictures in portions of five, each portion created, parked until it is made unless that is
 * done by creation, and then fetched.
 */
function production(isParked = true): WorkflowData {
	const { credential } = instance;
	const node = (name: string, type: string, parameters: IDataObject, typeVersion = 1): INode => ({
		id: name,
		name,
		type: type.includes('.') ? type : `n8n-nodes-mediagen.${type}`,
		typeVersion,
		position: [0, 0],
		parameters: parameters as INode['parameters'],
		...(!type.includes('.') && {
			credentials: { mediaGenApi: { id: credential.id, name: credential.name } },
		}),
	});
	const edge = (name: string) => [{ node: name, type: 'main' as const, index: 0 }];
	const jobId = '={{ $json.id }}';
	return {
		name: 'Rolling restart',
		nodes: [
			node(startName, 'n8n-nodes-base.manualTrigger', {}),
			node('Portions', 'n8n-nodes-base.splitInBatches', { batchSize: 5, options: {} }, 3),
			node('Create', 'mediaGenGeneration', {
				operation: 'create',
				mode: 'image',
				model: { __rl: true, mode: 'id', value: 'studio/image-1' },
				prompt: '={{ $json.prompt }}',
				waitForCompletion: !isParked,
				options: { idempotency: 'content' },
			}),
			node('Parked', 'mediaGenJob', { operation: 'wait', jobId, waitStyle: 'parked', ...EVENTS }),
			node('Fetch', 'mediaGenJob', { operation: 'get', jobId, downloadOutputs: true }),
		],
		connections: {
			[startName]: { main: [edge('Portions')] },
			Portions: { main: [[], edge('Create')] },
			Create: { main: [edge(isParked ? 'Parked' : 'Fetch')] },
			Parked: { main: [edge('Fetch')] },
			Fetch: { main: [edge('Portions')] },
		},
		pinData: {
			[startName]: Array.from({ length: 40 }, (_, each) => ({
				json: { prompt: `Picture ${each}` },
			})),
		},
	};
}

/** Seconds that a picture takes; the comparison needs more than a worker is given to end. */
const PICTURE = process.env.MEDIAGEN_NOT_PARKED ? 10 : 3;

/** Runs the production, and sends its worker SIGTERM when twelve jobs are made. */
async function restartInTheMiddle(isParked: boolean) {
	await fresh();
	// By a clock sixty times slower than that of the other tests.
	await admin.settings({
		clockScale: 1,
		jobSeconds: { image: PICTURE },
		requestsPerMinute: 1_000_000,
	});
	await admin.settings({ concurrentJobs: 10_000, deliveryTimeout: 10 });
	const workflow = await instance.rest.workflows.create(production(isParked));
	const again = async () => await instance.rest.workflows.run(workflow.id, startName);
	const id = await again();
	const made = async () =>
		(await admin.ledger(sandbox.keys[0]?.workspace ?? '')).lines.filter(
			({ movement }) => movement === 'reserve',
		).length;
	await until(async () => (await made()) >= 12, 240_000);
	const restarted = Date.now();
	const seconds = () => ((Date.now() - restarted) / 1_000).toFixed(1);
	const worker = workersOf(id)[0];
	await worker?.stop();
	process.stderr.write(
		`${isParked ? 'Parked' : 'In this run'}: worker ended after ${seconds()} s\n`,
	);
	await worker?.restart();
	const execution = await runs.ended(id);
	process.stderr.write(`Execution ended as ${execution.status} after ${seconds()} s\n`);
	return { execution, made, again };
}

function expectAllFiles(execution: Execution): void {
	const files = itemsOfNode(execution, 'Fetch');
	expect(new Set(files.map(({ json }) => json.id)).size).toBe(40);
	expect(files.every(({ binary }) => binary?.data)).toBe(true);
}

test('the worker gets SIGTERM in the middle of a production of 40 with parked waits: nothing lost, nothing paid twice', async () => {
	const { execution, made } = await restartInTheMiddle(true);
	expect(execution.status).toBe('success');
	expectAllFiles(execution);
	expect(await made()).toBe(40);
});

// The comparison in docs/waiting.md. n8n takes minutes to give the execution up.
if (process.env.MEDIAGEN_NOT_PARKED) {
	test('the same without parking ends the execution; a new one by content pays for what is missing', async () => {
		const { execution, made, again } = await restartInTheMiddle(false);
		expect(['error', 'crashed']).toContain(execution.status);
		// n8n puts an item of its own in the place of what is lost.
		expect(itemsOfNode(execution, 'Fetch').filter(({ json }) => json.id)).toEqual([]);
		// Of the same workflow: the content counts for one node.
		expectAllFiles(await runs.ended(await again()));
		expect(await made()).toBe(40);
	});
}
