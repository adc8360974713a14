/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import type { IDataObject, INode } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowData } from '../../lab/n8n/rest/workflows';
import { readExamples, withCredential } from '../../lab/demo/examples';
import { runOurs } from './support/harness';
import { makeOverdue } from './support/overdue';
import { Survivors } from './support/parkedCrash';
import { parkedEventRules } from './support/parkedEventRules';
import { parkedFlowRules } from './support/parkedFlowRules';
import { bodyOf, EVENTS, ParkedRuns, SWEPT_MS } from './support/parkedRuns';
import { itemsOfNode, outputOf } from './support/parkedJobs';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

jest.setTimeout(3_600_000);

let runs: ParkedRuns<TriggerInstance>;

/** What is under way when n8n is killed. */
const survivors = new Survivors(() => runs);
let batch: string;
let batchJobs: string[];
let film: string;
let filmJobs: string[];
let cutOff: string[];

/** An example, with the parameters of some of its nodes changed. */
function example(number: string, changes: Record<string, IDataObject>): WorkflowData {
	const found = readExamples().find(({ name }) => name.startsWith(`MediaGen ${number}:`));
	if (!found) throw new Error(`Example ${number} is not there`);
	const { nodes, ...rest } = withCredential(found, runs.instance.credential);
	const changed = (node: INode) => ({
		...node,
		parameters: { ...node.parameters, ...changes[node.name] } as INode['parameters'],
	});
	return { ...rest, nodes: nodes.map(changed) };
}

const charges = () =>
	runs.instance.sandbox.service.ledger.lines.filter(({ movement }) => movement === 'reserve')
		.length;

/** The newest generations that are not ended. */
const queued = async (count: number): Promise<string[]> => {
	const { data } = await runs.jobs.api<{ data: IDataObject[] }>('GET', '/generations?limit=100');
	return data
		.filter(({ status }) => status === 'queued')
		.slice(0, count)
		.map(({ id }) => String(id));
};

/** Starts the examples; with the film's they make as many jobs as the plan allows. */
async function startExamples(): Promise<void> {
	const jsCode = 'return [1, 2, 3, 4].map((each) => ({ json: { prompt: `Boat ${each}` } }));';
	batch = await runs.run(example('9', { Prompts: { jsCode } }));
	await runs.isParked(batch);
	batchJobs = await queued(4);
	const parameters = {
		operation: 'wait',
		jobId: '={{ $json.id }}',
		waitStyle: 'parked',
		resumeBy: 'timer',
		lookAgainAfter: 60,
	};
	film = await runs.run(example('9b', { Parked: parameters }));
	await runs.isParked(film);
	filmJobs = await queued(1);
	expect(charges()).toBe(5);
}

/**
 * How many waits there are of which some are killed; the figure in docs/waiting.md is of 1,000, a
 * tenth killed.
 */
const WAITS = Number(process.env.MEDIAGEN_PARKED_WAITS ?? 10);

/** Starts waits that n8n does not come to park: their webhooks stand already. */
async function startCutOff(): Promise<void> {
	const { instance, jobs } = runs;
	cutOff = [];
	// Few: the first must still be at its second look when the last is killed.
	for (const job of await jobs.make(Math.min(3, Math.ceil(WAITS / 30)))) {
		instance.faults([{ kind: 'slow', operations: ['getJob'], seconds: 12_000, skip: 1, times: 1 }]);
		const id = await runs.park([job]);
		await until(() => instance.sandbox.service.faults.list().some(({ hits }) => hits > 0));
		expect(runs.noWebhookOf(id)).toBe(false);
		expect(await runs.status(id)).toBe('running');
		cutOff.push(id);
	}
	instance.faults([]);
}

beforeAll(async () => {
	const instance = await TriggerInstance.start({ N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' });
	runs = new ParkedRuns(instance);
	await startExamples();
	await survivors.park();
	await startCutOff();
	await instance.crash();
	survivors.end();
	runs.jobs.end(...batchJobs, ...filmJobs);
	await instance.up();
	await makeOverdue(instance.direct.userFolder, [...survivors.timed, batch, film]);
});

afterAll(async () => await runs?.instance.stop());

describe('n8n killed while executions are parked', () => {
	it('example 9: the batch without parking has all files, each paid for once', async () => {
		const execution = await runs.ended(batch);
		expect(execution.status).toBe('success');
		const files = itemsOfNode(execution, 'All Files');
		expect(files.map(({ json }) => json.id)).toEqual(expect.arrayContaining(batchJobs));
		expect(files).toHaveLength(4);
		expect(files.every(({ binary }) => binary?.data)).toBe(true);
	});

	it('example 9b: the parked video is downloaded in the round that finds it ended', async () => {
		const execution = await runs.ended(film);
		expect(execution.status).toBe('success');
		const rounds = itemsOfNode(execution, 'Parked').map(({ json }) => json.finished);
		expect(rounds).toEqual([false, true]);
		const [item] = itemsOfNode(execution, 'Download');
		expect(item?.json.id).toBe(filmJobs[0]);
		expect(item?.binary?.data).toBeDefined();
		const sent = runs.jobs.requests().filter((one) => one === 'POST /generations').length;
		expect(charges()).toBe(sent);
	});

	it('what was killed before it was parked is over, with its webhook left', async () => {
		for (const id of cutOff) expect((await runs.ended(id)).status).toBe('crashed');
		expect(cutOff.filter((id) => runs.noWebhookOf(id))).toEqual([]);
	});

	survivors.rules();
});

describe('events', () => {
	it('40 jobs of one execution: one webhook, resumed when the last has ended, in the order of the input', async () => {
		const ids = await runs.jobs.make(40);
		const [first = '', ...others] = ids;
		runs.jobs.end(first, ...others.slice(0, 4));
		await until(async () => (await runs.jobs.api('GET', `/jobs/${first}`)).status === 'completed');
		const id = await runs.park(ids, EVENTS);
		await runs.isParked(id);
		expect(runs.jobs.webhooks().filter(({ url }) => url === runs.webhookOf(id).url)).toHaveLength(
			1,
		);
		expect(runs.webhookOf(id)).toMatchObject({
			events: ['generation.completed', 'generation.failed'],
			description: expect.stringContaining('n8n-nodes-mediagen: parked wait'),
		});
		runs.jobs.end(...others.slice(4, 38));
		await sleep(2_000);
		expect(await runs.status(id)).toBe('waiting');
		runs.jobs.end(...others);
		const execution = await runs.ended(id);
		expect(execution.status).toBe('success');
		const rows = outputOf(execution).map(({ json }) => [
			json.row,
			json.id,
			json.status,
			json.finished,
		]);
		expect(rows).toEqual(ids.map((job, row) => [row, job, 'completed', true]));
		await until(() => runs.noWebhookOf(id));
		expect(runs.noWebhookOf(id)).toBe(true);
	});

	it("several parked executions get each other's events: all go on, none is left at the service", async () => {
		const executions = Number(process.env.MEDIAGEN_PARKED_EXECUTIONS ?? 3);
		const each = Number(process.env.MEDIAGEN_PARKED_JOBS ?? 4);
		const portions: string[][] = [];
		for (let count = 0; count < executions; count += 1) portions.push(await runs.jobs.make(each));
		const ids: string[] = [];
		for (const portion of portions) ids.push(await runs.park(portion, EVENTS));
		for (const id of ids) await runs.isParked(id);
		runs.jobs.end(...portions.flat());
		for (const [index, id] of ids.entries()) {
			const items = outputOf(await runs.ended(id));
			expect(items.map(({ json }) => [json.id, json.finished])).toEqual(
				portions[index]?.map((job) => [job, true]),
			);
		}
		await until(() => ids.every((id) => runs.noWebhookOf(id)));
		expect(ids.every((id) => runs.noWebhookOf(id))).toBe(true);
	});

	it('a job that has failed is data, finished, as all ways out of the wait give it', async () => {
		runs.instance.faults([{ kind: 'job_fail', times: 1 }]);
		const ids = await runs.jobs.make(1);
		runs.instance.faults([]);
		const id = await runs.park([...ids, ...(await runs.jobs.make(1))], EVENTS);
		const parked = await runs.isParked(id);
		runs.jobs.end(...ids, ...outputIds(parked));
		const [failed, good] = outputOf(await runs.ended(id));
		expect(failed?.json).toMatchObject({ status: 'failed', finished: true });
		expect(good?.json).toMatchObject({ status: 'completed', finished: true });
	});

	it('what was finished at the start never parks and registers nothing', async () => {
		const ids = await runs.jobs.make(2);
		runs.jobs.end(...ids);
		await sleep(300);
		const before = runs.jobs.requests().length;
		const execution = await runs.ended(await runs.park(ids, EVENTS));
		expect(outputOf(execution).map(({ json }) => json.finished)).toEqual([true, true]);
		expect(runs.askedAbout(ids, before)).toEqual(['GET /generations']);
	});

	parkedEventRules(() => runs);

	it('neither the signing secret nor the key is in the execution or in the log of n8n', async () => {
		const ids = await runs.jobs.make(1);
		const id = await runs.park(ids, EVENTS);
		const stored = JSON.stringify(await runs.isParked(id));
		const { secret } = runs.webhookOf(id);
		const key = runs.instance.sandbox.keys[0]?.key ?? '';
		expect(stored).toContain('mediaGenParked');
		for (const hidden of [secret, key]) {
			expect(stored).not.toContain(hidden);
			expect(readFileSync(runs.instance.direct.logFile, 'utf8')).not.toContain(hidden);
		}
		runs.jobs.end(...ids);
		const after = JSON.stringify(await runs.ended(id));
		expect(after).not.toContain(secret);
		expect(after).not.toContain(key);
	});
});

const outputIds = ({ data }: Awaited<ReturnType<ParkedRuns['isParked']>>): string[] =>
	(data.executionData?.nodeExecutionStack[0]?.data.main?.[0] ?? []).map(({ json }) =>
		String(json.id),
	);

describe('in larger workflows', () => parkedFlowRules(() => runs));

async function tenAtOnce<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
	const queue = [...all];
	const workers = Array.from({ length: 10 }, async () => {
		for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next);
	});
	await Promise.all(workers);
}

describe('what goes wrong', () => {
	it('without Continue On Fail a job that cannot be read fails the run; nothing is parked or registered', async () => {
		const ids = await runs.jobs.make(1);
		const before = runs.jobs.webhooks().length;
		const execution = await runs.ended(await runs.park([...ids, 'gen_unknown'], EVENTS));
		expect(execution.status).toBe('error');
		expect(execution.data.resultData.error?.message).toMatch(/\[item 1\]/);
		expect(runs.jobs.webhooks()).toHaveLength(before);
	});

	it('an n8n without a public https address says so before a request is spent', async () => {
		const parameters = { operation: 'wait', jobId: 'gen_1', waitStyle: 'parked', ...EVENTS };
		const { error } = await runOurs({ node: 'mediaGenJob', parameters });
		expect(error?.message).toMatch(
			/^Resume By cannot be Events and Timer, because the service delivers events to https/,
		);
		expect(error?.description).toMatch(/Timer Only/);
	});

	it('less than a minute is waited in place', async () => {
		const ids = await runs.jobs.make(1);
		const execution = await runs.ended(await runs.park(ids, { ...EVENTS, lookAgainAfter: 0.03 }));
		expect(execution.waitTill ?? null).toBeNull();
		expect(outputOf(execution)[0]?.json).toMatchObject({ status: 'queued', finished: false });
		expect(runs.jobs.webhooks().filter(({ url }) => url.endsWith(execution.id))).toEqual([]);
	});

	it(`${WAITS} waits, some of them cancelled or deleted: one further parking run leaves no webhook of them`, async () => {
		const { jobs, instance } = runs;
		const before = jobs.webhooks().map(({ id }) => id);
		const standing = () => jobs.webhooks().filter(({ id }) => !before.includes(id));
		// Each would get the events of all the others.
		instance.faults([{ kind: 'delivery_lose' }]);
		const made = await jobs.make(WAITS);
		const parked: Array<[id: string, job: string]> = [];
		await tenAtOnce(made, async (job) => {
			const id = await runs.park([job]);
			await runs.isParked(id);
			parked.push([id, job]);
		});
		const killed = parked.splice(0, Math.max(2, WAITS / 10)).map(([id]) => id);
		const cancelled = killed.filter((_, index) => index % 2 === 0);
		for (const id of cancelled) await instance.rest.executions.stop(id);
		await instance.rest.executions.delete(killed.filter((id) => !cancelled.includes(id)));
		jobs.end(...made);
		await tenAtOnce(parked, async ([id, job]) => {
			expect(await runs.deliver(id, bodyOf(job, `evt_${job}`))).toBe(200);
			expect((await runs.ended(id)).status).toBe('success');
		});
		await until(() => parked.every(([id]) => runs.noWebhookOf(id)));
		instance.faults([]);
		const others = await jobs.make(1);
		const next = await runs.park(others);
		await runs.isParked(next);
		await until(() => standing().length === 1, SWEPT_MS);
		expect(standing()).toEqual([runs.webhookOf(next)]);
		jobs.end(...others);
		await runs.ended(next);
	});
});
