/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { IConnections, INode, INodeParameters } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import { numbered, readExamples, withCredential } from '../../lab/demo/examples';
import { credentialData, credentialType } from '../../lab/n8n/credential';
import type { WorkflowData } from '../../lab/n8n/rest';
import { SandboxAdmin } from '../../lab/sandbox/admin';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

/*
 * Example 15 and its dispatcher: orders whose n8n is killed in the middle. Each order is called again for as
 * long as n8n has lost its execution, as a person would do.
 */

const ORDERS = Array.from({ length: 8 }, (_, number) => `order-${number}`);

/** The order whose event the service loses. */
const WITHOUT_EVENT = 'without-event';

const ALL = [WITHOUT_EVENT, ...ORDERS];

/** In real time; the sandbox's clock is 60 times faster. */
const JOB_SECONDS = 1.5;

/** Longer than a job takes. */
const DELAY_SECONDS = 6;

/** For how long an execution rests, in place of an hour: longer than n8n takes to start. */
const REST_SECONDS = 60;

const PATH = 'mediagen-example-15';

let instance: TriggerInstance;
let admin: SandboxAdmin;
let waitingId: string;
let dispatcherId: string;
/** Executions that had told their end before n8n was killed. It may have saved only parts of these. */
let toldBefore: unknown[];

const begun = () => instance.got.filter(({ status }) => status === undefined);
const done = () => instance.got.filter(({ status }) => status !== undefined);

const node = (name: string, type: string, typeVersion: number, parameters: INodeParameters) =>
	({
		id: name,
		name,
		type: `n8n-nodes-base.${type}`,
		typeVersion,
		position: [0, 0],
		parameters,
	}) as INode;

const to = (name: string) => ({ main: [[{ node: name, type: 'main' as const, index: 0 }]] });

/** Puts a node between two that follow each other. */
function between(
	workflow: WorkflowData,
	before: string,
	added: INode,
	after: string,
): WorkflowData {
	const connections: IConnections = {
		...workflow.connections,
		[before]: to(added.name),
		[added.name]: to(after),
	};
	return { ...workflow, nodes: [...workflow.nodes, added], connections };
}

/** With other parameters in one node. */
const changed = (workflow: WorkflowData, name: string, parameters: INodeParameters) => ({
	...workflow,
	nodes: workflow.nodes.map((one) =>
		one.name === name ? { ...one, parameters: { ...one.parameters, ...parameters } } : one,
	),
});

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
	const assignments = ['order', 'prompt'].map((name) => ({
		id: name,
		name,
		type: 'string',
		value: `={{ ${ofTheCall('order')} }}`,
	}));
	const call = { ...node('Call', 'webhook', 2, { path: PATH }), webhookId: PATH };
	const end = node('The End', 'noOp', 1, {});
	const beginning = `{ order: ${ofTheCall('order')}, execution: $execution.id }`;
	const result = `{ order: ${ofTheCall('order')}, execution: $execution.id, status: $json.status, toldBy: $json.told_by }`;
	let workflow: WorkflowData = { ...example, nodes: [...example.nodes, call, end] };
	workflow = changed(workflow, 'Order', { assignments: { assignments } });
	workflow = changed(workflow, 'Wait', { resumeAmount: REST_SECONDS, resumeUnit: 'seconds' });
	workflow = between(workflow, 'Call', tell('Begin', beginning), 'Order');
	workflow = between(workflow, 'Create Picture', delay('Before the Row', 'row'), 'Note the Wait');
	workflow = between(workflow, 'Note the Wait', delay('Before the Rest', 'rest'), 'Wait');
	return between(workflow, 'Result', tell('Tell', result), 'The End');
}

const afterwards = () => done().filter(({ execution }) => !toldBefore.includes(execution));

async function publish(): Promise<void> {
	const { rest, world } = instance;
	// A plan that runs them all at once, so that none waits for a slot.
	const data = { ...credentialData(world.access), concurrentJobs: ALL.length };
	const credential = await rest.credentials.create(credentialType, 'Large plan', data);
	const example = (number: string) => withCredential(numbered(readExamples(), number), credential);
	const interval = [{ field: 'seconds', secondsInterval: 10 }];
	const dispatcher = await rest.workflows.create(
		changed(example('15b'), 'Every Minute', { rule: { interval } }),
	);
	await rest.workflows.publish(dispatcher);
	dispatcherId = dispatcher.id;
	const waiting = await rest.workflows.create(callable(example('15')));
	await rest.workflows.publish(waiting);
	waitingId = waiting.id;
}

/** Some events come before the row is there, some before the execution rests, most after. */
async function call(order: string): Promise<void> {
	const number = ORDERS.indexOf(order);
	const row = String(number % 4 === 0 ? DELAY_SECONDS : 0);
	const rest = String(number % 4 === 1 ? DELAY_SECONDS : 0);
	const query = new URLSearchParams({ order, row, rest });
	// Killed in between, it says nothing.
	await fetch(`http://127.0.0.1:${instance.direct.port}/webhook/${PATH}?${query}`).catch(() => {});
}

/** Calls again what n8n has lost in the crash before this start. */
async function callLostAgain(): Promise<void> {
	const { executions } = instance.rest;
	// n8n itself starts those again that it had saved and not begun.
	const underWay = async () => await executions.list(waitingId, ['new', 'running']);
	await until(async () => (await underWay()).length === 0, 60_000);
	for (const order of ALL) {
		const id = begun().findLast((one) => one.order === order)?.execution;
		// Never begun, or marked by n8n when it started again.
		const isLost = typeof id !== 'string' || (await executions.get(id)).status === 'crashed';
		const isDone = done().some((one) => one.order === order);
		if (isLost && !isDone) await call(order);
	}
}

beforeAll(async () => {
	instance = await TriggerInstance.start();
	admin = new SandboxAdmin(instance.sandbox.adminUrl);
	await publish();
	const { settings } = instance.sandbox.service;
	settings.jobSeconds.image = JOB_SECONDS * settings.clockScale;
	await admin.setFaults([
		{ kind: 'delivery_lose', times: 1 },
		{ kind: 'delivery_duplicate', probability: 0.2 },
	]);
	await call(WITHOUT_EVENT);
	// Its event is the first one.
	await sleep(2 * JOB_SECONDS * 1_000);
	const calls = ORDERS.map(call);
	await sleep(3_500);
	await instance.crash();
	await Promise.all(calls);
	toldBefore = done().map(({ execution }) => execution);
	await instance.up();
	await callLostAgain();
	await until(() => ALL.every((order) => done().some((one) => one.order === order)), 130_000);
}, 280_000);

afterAll(async () => await instance?.stop());

it('each order is paid for once and goes on once, although n8n was killed', async () => {
	const { workspace = '' } = instance.sandbox.keys[0] ?? {};
	const { lines } = await admin.ledger(workspace);
	expect(lines.filter(({ movement }) => movement === 'reserve')).toHaveLength(ALL.length);
	const ended = done().map(({ order, status }) => `${String(order)} ${String(status)}`);
	expect(ended.sort()).toEqual(ALL.map((order) => `${order} completed`).sort());
	const rested: number[] = [];
	for (const { execution } of afterwards()) {
		const { runData } = (await instance.rest.executions.get(String(execution))).data.resultData;
		const [before] = runData['Before the Rest'] ?? [];
		const [wait, ...others] = runData.Wait ?? [];
		if (!before || !wait) throw new Error(`Execution ${String(execution)} has not rested`);
		expect(others).toEqual([]);
		rested.push(wait.startTime - before.startTime - before.executionTime);
	}
	// At least one was woken by the dispatcher, not by the time.
	expect(Math.min(...rested)).toBeLessThan((REST_SECONDS * 1_000) / 2);
	// A row may be left by an execution that was killed after it was woken; none is left of one that rests.
	for (const { resume_url: url } of await instance.rest.tables.rows('mediagen waits')) {
		const [, id = ''] = /webhook-waiting\/(\d+)/.exec(String(url)) ?? [];
		expect((await instance.rest.executions.get(id)).status).not.toBe('waiting');
	}
});

it('the dispatcher runs Wake for an event itself, not only on its schedule', async () => {
	const { executions } = instance.rest;
	const ofEvents = (await executions.list(dispatcherId)).filter(({ mode }) => mode === 'webhook');
	const ran = await Promise.all(ofEvents.map(async ({ id }) => await executions.get(id)));
	expect(ran.some(({ data }) => data.resultData.runData.Wake)).toBe(true);
});

it('no job is polled: once it is created, only those are read of which n8n got no event, or lost it', async () => {
	const ofJobs = (await admin.requests()).filter(({ path }) =>
		/^\/v1\/(generations|jobs)/.test(path),
	);
	const creations = ofJobs.filter(({ method }) => method === 'POST');
	const reads = ofJobs.filter(({ method }) => method === 'GET');
	const toldBy = (who: string) =>
		done()
			.filter((one) => one.toldBy === who)
			.map(({ order }) => order);
	expect(toldBy('reading the job')).toContain(WITHOUT_EVENT);
	expect(toldBy('the event')).not.toEqual([]);
	// By Avoid Paying Twice the node looks once at what a creation gave, which may be an earlier job.
	const looks = reads.length - toldBy('reading the job').length;
	expect(looks).toBeLessThanOrEqual(creations.length);
});
