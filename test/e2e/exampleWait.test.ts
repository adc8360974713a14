/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import type { IConnections, INode, ITaskData } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import { numbered, readExamples, withCredential } from '../../lab/demo/examples';
import { credentialData, credentialType } from '../../lab/n8n/credential';
import { finalStatuses, type Execution, type WorkflowData } from '../../lab/n8n/rest';
import { SandboxAdmin } from '../../lab/sandbox/admin';
import { seeded } from '../model/random';
import { endWaitsIn } from './support/database';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

/*
 * Example 15 and its dispatcher: orders in waves, n8n killed in the middle of each. Each order is called again for as
 * long as n8n has lost its executions, as a person would do.
 */

const SEED = Number(process.env.TEST_SEED ?? 1);

/** Of 200 orders and five kills it takes ten minutes on two cores: MEDIAGEN_ORDERS=200 MEDIAGEN_KILLS=5. */
const ORDERS = Number(process.env.MEDIAGEN_ORDERS ?? 12);
const KILLS = Number(process.env.MEDIAGEN_KILLS ?? 1);

/** A wave has about as long until its n8n is killed. */
const WAVE_MS = 5_000;

/** In real time; the sandbox's clock is 60 times faster. */
const JOB_SECONDS = 1.5;

/** Longer than a job takes. */
const DELAY_SECONDS = 6;

const PATH = 'mediagen-example-15';

/** The order whose event the service loses. */
const WITHOUT_EVENT = 'without-event';

let instance: TriggerInstance;
let admin: SandboxAdmin;
let waitingId: string;

const begun = () => instance.got.filter(({ status }) => status === undefined);
const done = () => instance.got.filter(({ status }) => status !== undefined);

/** The last one that has begun. */
const executionOf = (order: string) =>
	begun().findLast((one) => one.order === order)?.execution as string | undefined;

const isDone = (order: string) => done().some((one) => one.order === order);

const node = (name: string, type: string, typeVersion: number, parameters: INode['parameters']) =>
	({
		id: name,
		name,
		type: `n8n-nodes-base.${type}`,
		typeVersion,
		position: [0, 0],
		parameters,
	}) as INode;

const to = (name: string) => ({ node: name, type: 'main' as const, index: 0 });

/** Puts a node between two that follow each other. */
function between(
	workflow: WorkflowData,
	before: string,
	added: INode,
	after: string,
): WorkflowData {
	const connections: IConnections = structuredClone(workflow.connections);
	connections[before] = { main: [[to(added.name)]] };
	connections[added.name] = { main: [[to(after)]] };
	return { ...workflow, nodes: [...workflow.nodes, added], connections };
}

const ofTheCall = (field: string) => `$('Call').first().json.query.${field}`;

/** Tells the test something. */
const tell = (name: string, json: string) =>
	node(name, 'httpRequest', 4.2, {
		method: 'POST',
		url: instance.collectorUrl,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: `={{ JSON.stringify({ workflow: $workflow.id, json: ${json} }) }}`,
	});

/** Rests in memory. */
const delay = (name: string, field: string) =>
	node(name, 'wait', 1.1, { amount: `={{ Number(${ofTheCall(field)}) }}`, unit: 'seconds' });

/** The example, called by a webhook with the order and its delays. */
function callable(example: WorkflowData): WorkflowData {
	const nodes = example.nodes.map((one) => {
		if (one.name !== 'Order') return one;
		const assignments = ['order', 'prompt'].map((name) => ({
			id: name,
			name,
			type: 'string',
			value: `={{ ${ofTheCall('order')} }}`,
		}));
		return { ...one, parameters: { assignments: { assignments }, options: {} } };
	});
	const call = { ...node('Call', 'webhook', 2, { path: PATH }), webhookId: PATH };
	const beginning = `{ order: ${ofTheCall('order')}, execution: $execution.id }`;
	const result = `{ order: ${ofTheCall('order')}, execution: $execution.id, status: $json.status, toldBy: $json.told_by }`;
	let workflow = { ...example, nodes: [...nodes, call] };
	workflow = between(workflow, 'Call', tell('Begin', beginning), 'Order');
	workflow = between(workflow, 'Create Picture', delay('Before the Row', 'row'), 'Note the Wait');
	workflow = between(workflow, 'Note the Wait', delay('Before the Rest', 'rest'), 'Wait');
	return between(workflow, 'Result', tell('Tell', result), 'The End');
}

/** The dispatcher, which looks more often. */
function impatient(example: WorkflowData): WorkflowData {
	const rule = { interval: [{ field: 'seconds', secondsInterval: 10 }] };
	const nodes = example.nodes.map((one) =>
		one.name === 'Every Minute' ? { ...one, parameters: { rule } } : one,
	);
	return { ...example, nodes };
}

async function publish(): Promise<void> {
	const { rest, sandbox } = instance;
	const access = {
		apiKey: sandbox.keys[0]?.key ?? '',
		baseUrl: sandbox.baseUrl,
		clockScale: 1_000,
	};
	// A plan that runs them all at once, so that none waits for a slot.
	const data = { ...credentialData(access), concurrentJobs: ORDERS };
	const credential = await rest.credentials.create(credentialType, 'Large plan', data);
	const example = (number: string) => withCredential(numbered(readExamples(), number), credential);
	const dispatcher = await rest.workflows.create(impatient(example('15b')));
	await rest.executions.wait(await rest.workflows.run(dispatcher.id, 'Set Up'));
	await rest.workflows.publish(dispatcher);
	const end = node('The End', 'noOp', 1, {});
	const waiting = callable(example('15'));
	const saved = await rest.workflows.create({ ...waiting, nodes: [...waiting.nodes, end] });
	await rest.workflows.publish(saved);
	waitingId = saved.id;
}

/** Some events come before the row is there, some before the execution rests, most after. */
async function call(order: string, number = 2): Promise<void> {
	const row = number % 4 === 0 ? DELAY_SECONDS : 0;
	const rest = number % 4 === 1 ? DELAY_SECONDS : 0;
	const query = new URLSearchParams({ order, row: String(row), rest: String(rest) });
	// Killed in between, it says nothing.
	await fetch(`http://127.0.0.1:${instance.direct.port}/webhook/${PATH}?${query}`).catch(
		() => undefined,
	);
}

/** Calls again what n8n has lost in the crash before this start. */
async function callLostAgain(orders: string[]): Promise<number> {
	// n8n itself starts those again that it had saved and not begun.
	const underWay = async () => await instance.rest.executions.list(waitingId, ['new', 'running']);
	await until(async () => (await underWay()).length === 0, 180_000);
	const again = orders.map(async (order, number) => {
		if (isDone(order)) return false;
		const id = executionOf(order);
		const status = id && (await instance.rest.executions.get(id)).status;
		if (status && !finalStatuses.includes(status)) return false;
		await call(order, number);
		return true;
	});
	return (await Promise.all(again)).filter(Boolean).length;
}

const jobOf = ({ data }: Execution) =>
	data.resultData.runData['Create Picture']?.[0]?.data?.main?.[0]?.[0]?.json.id;

/** When the first run of a node had ended. */
const endOf = (runs: ITaskData[] = []) => (runs[0]?.startTime ?? 0) + (runs[0]?.executionTime ?? 0);

const rowsOf = async (table: string) => await instance.rest.tables.rows(`mediagen ${table}`);

/** The orders whose executions rest although nothing will wake them: n8n lost the event, or the service did. */
async function unheard(orders: string[]): Promise<string[] | undefined> {
	const heard = new Set((await rowsOf('events')).map(({ job }) => job));
	const rest: string[] = [];
	for (const order of orders.filter((one) => !isDone(one))) {
		if (!executionOf(order)) return undefined;
		const execution = await instance.rest.executions.get(executionOf(order) ?? '');
		if (execution.status !== 'waiting' || heard.has(jobOf(execution))) return undefined;
		rest.push(order);
	}
	return rest;
}

async function runOrders(): Promise<{ orders: string[]; lost: string[]; again: number }> {
	const random = seeded(SEED);
	const { settings } = instance.sandbox.service;
	settings.jobSeconds.image = JOB_SECONDS * settings.clockScale;
	await admin.setFaults([
		{ kind: 'delivery_lose', times: 1 },
		{ kind: 'delivery_duplicate', probability: 0.2 },
	]);
	await call(WITHOUT_EVENT);
	// Its event is the first one.
	await sleep(2 * JOB_SECONDS * 1_000);

	const orders = [WITHOUT_EVENT];
	let again = 0;
	for (let wave = 0; wave < KILLS; wave += 1) {
		const fresh = Array.from({ length: ORDERS / KILLS }, (_, one) => `order-${wave}-${one}`);
		const from = orders.length;
		orders.push(...fresh);
		const calls = fresh.map(async (order, one) => await call(order, from + one));
		await sleep((0.2 + 0.8 * random()) * WAVE_MS);
		await instance.crash();
		await Promise.all(calls);
		await instance.up();
		again += await callLostAgain(orders);
	}
	let lost: string[] | undefined;
	await until(async () => {
		lost = await unheard(orders);
		return lost !== undefined;
	}, 180_000);
	if (!lost) throw new Error('Executions rest, or were lost again, although their events came');
	// The hour is over for those, after one more restart.
	await instance.down();
	await endWaitsIn(instance.direct.userFolder, 30);
	await instance.up();
	await until(() => orders.every(isDone), 180_000);
	return { orders, lost, again };
}

let ran: Awaited<ReturnType<typeof runOrders>>;

beforeAll(async () => {
	instance = await TriggerInstance.start();
	admin = new SandboxAdmin(instance.sandbox.adminUrl);
	await publish();
	ran = await runOrders();
	process.stderr.write(
		`${ran.orders.length} orders, ${ran.again} called again, ${ran.lost.length} without an event\n`,
	);
}, 900_000);

afterAll(async () => await instance?.stop());

it('each order is paid for once and goes on once, whenever n8n was killed', async () => {
	const { workspace = '' } = instance.sandbox.keys[0] ?? {};
	const { lines } = await admin.ledger(workspace);
	expect(lines.filter(({ movement }) => movement === 'reserve')).toHaveLength(ORDERS + 1);
	expect(
		done()
			.map(({ order }) => order)
			.sort(),
	).toEqual([...ran.orders].sort());
	expect(done().map(({ status }) => status)).toEqual(Array(ORDERS + 1).fill('completed'));
	// A row may be left by an execution that was killed after it was woken; none is left of one that rests.
	for (const { resume_url: url } of await rowsOf('waits')) {
		const [, id = ''] = /webhook-waiting\/(\d+)/.exec(String(url)) ?? [];
		expect((await instance.rest.executions.get(id)).status).not.toBe('waiting');
	}
});

it('no job is polled: once it is created, only those are read of which n8n got no event, or lost it', async () => {
	const requests = await admin.requests();
	const ofJobs = requests.filter(({ path }) => /^\/v1\/(generations|jobs)/.test(path));
	const creations = ofJobs.filter(({ method }) => method === 'POST');
	const reads = ofJobs.filter(({ method }) => method === 'GET');
	const read = done().filter(({ toldBy }) => toldBy === 'reading the job');
	expect(read.map(({ order }) => order).sort()).toEqual([...ran.lost].sort());
	expect(ran.lost).toContain(WITHOUT_EVENT);
	// With Own Key the node looks once at what a creation gave, which may be an earlier job.
	expect(reads.length - ran.lost.length).toBeLessThanOrEqual(creations.length);
});

it('events came before the row was there, before the execution rested, and after; each woke it once', async () => {
	const cameAt = new Map<unknown, number>();
	for (const { job, createdAt } of await rowsOf('events'))
		cameAt.set(job, Date.parse(String(createdAt)));
	const moments = { beforeTheRow: 0, beforeTheRest: 0, after: 0 };
	for (const { execution: id, toldBy } of done()) {
		const execution = await instance.rest.executions.get(String(id));
		const { runData } = execution.data.resultData;
		expect(runData.Wait).toHaveLength(1);
		if (toldBy !== 'the event') continue;
		const came = cameAt.get(jobOf(execution)) ?? Infinity;
		if (came < endOf(runData['Note the Wait'])) moments.beforeTheRow += 1;
		else if (came < endOf(runData['Before the Rest'])) moments.beforeTheRest += 1;
		else moments.after += 1;
	}
	process.stderr.write(`${JSON.stringify(moments)}\n`);
	// Which moment an event meets is chance, and sure only of many.
	const wanted = ORDERS < 200 ? [moments.after] : Object.values(moments);
	expect(wanted.filter((count) => count === 0)).toEqual([]);
});
