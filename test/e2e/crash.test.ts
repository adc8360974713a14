/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { INode, INodeParameters } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { saveCredential } from '../../lab/n8n/credential';
import { removeUserFolder, startN8n, temporaryUserFolder, type N8n } from '../../lab/n8n/start';
import { nodeName, triggerName, workflowOf } from '../../lab/n8n/nodeWorkflow';
import { Rest, type SavedCredential, type SavedWorkflow } from '../../lab/n8n/rest';
import { startInstance } from '../../lab/n8n/instance';
import { endWaitsIn } from './support/database';
import { exampleOf, itemsIn } from './support/examples';
import { baseUrl, keys, sandbox } from './support/harness';
import { createParameters } from './support/media';
import { until } from './support/until';

/*
 * An n8n that is killed once, while all of this runs in it: a node in each mode that waits for its job,
 * example 9, which rests, and example 8, whose batch is under way and which has example 13 as its error
 * workflow.
 */

/** Two workspaces, so that nothing takes the slots of the other. */
const { full, otherWorkspace } = keys;

const MODES: Array<[mode: string, options: INodeParameters, charges: number]> = [
	['Content', { idempotency: 'content' }, 1],
	['Custom Key', { idempotency: 'custom', idempotencyKey: 'crash-1' }, 1],
	['Execution Item', {}, 2],
];

/** With the videos of the modes as many as jobs may run. */
const PROMPTS = ['A boat', 'A car'];

const TABLE = 'mediagen prompts';
const PATH = 'mediagen-example-8';

const userFolder = temporaryUserFolder();
let n8n: N8n;
let rest: Rest;

/** Of each of the modes. */
const workflows: string[] = [];
let batch: SavedWorkflow;
let messenger: SavedWorkflow;
/** The execution of example 9. */
let parked: string;
/** What had been paid for when n8n was killed, newest first, and what was left. */
let paid: Array<{ id: string; credits: number }>;
let left: number;

const charged = async (workspace: string) =>
	(await sandbox.ledger(workspace)).lines.filter(({ movement }) => movement === 'reserve');

/** By a webhook: n8n retries nothing that was started by hand and killed in its first node. */
async function startModes(credential: SavedCredential): Promise<void> {
	for (const [mode, options] of MODES) {
		const parameters = createParameters({
			mode: 'video',
			model: 'studio/video-1',
			prompt: `A boat, ${mode}`,
			downloadOutputs: false,
			options,
		});
		const type = 'n8n-nodes-mediagen.mediaGen';
		const run = workflowOf({ type, credential, parameters });
		const path = randomUUID();
		const webhook = { type: 'n8n-nodes-base.webhook', typeVersion: 2, webhookId: path };
		const called = { ...webhook, parameters: { path } };
		const saved = await rest.workflows.create({
			...run,
			nodes: run.nodes.map((node) => (node.name === triggerName ? { ...node, ...called } : node)),
		});
		workflows.push(saved.id);
		await rest.workflows.publish(saved);
		await fetch(`${n8n.baseUrl}/webhook/${path}`);
	}
}

/**
 * Called by a webhook: n8n starts error workflows only for what nobody runs by hand, and a schedule cannot be
 * called.
 */
async function startBatch(credential: SavedCredential): Promise<void> {
	messenger = await rest.workflows.create(exampleOf('13', credential));
	await rest.workflows.publish(messenger);
	const example = exampleOf('8', credential);
	const call: INode = {
		id: 'call',
		name: 'Call',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		position: [0, 300],
		parameters: { path: PATH },
		webhookId: PATH,
	};
	const [first] = example.connections['Every Night']?.main ?? [];
	batch = await rest.workflows.create({
		...example,
		// First, as n8n takes the last node in this order that had started for the one that crashed.
		nodes: [call, ...example.nodes],
		connections: { ...example.connections, [call.name]: { main: [first ?? null] } },
		settings: { ...example.settings, errorWorkflow: messenger.id },
	});
	await rest.workflows.publish(batch);
	// Makes the table.
	await rest.executions.wait(await rest.workflows.run(batch.id, 'Every Night'));
	await rest.tables.insert(
		TABLE,
		PROMPTS.map((prompt) => ({ prompt })),
	);
	await fetch(`${n8n.baseUrl}/webhook/${PATH}`);
}

beforeAll(async () => {
	const started = startInstance({ userFolder, lean: true, headless: true, fromTemplate: true });
	({ n8n, rest } = await started);
	await sandbox.reset();
	await sandbox.settings({ clockScale: 1, jobSeconds: { image: 300, video: 300 } });
	const save = async (name: string, apiKey: string) =>
		await saveCredential(rest, name, { apiKey, baseUrl });
	const credential = await save('crash', full.key);
	await startModes(credential);
	const other = await save('example 9', otherWorkspace.key);
	const { id } = await rest.workflows.create(exampleOf('9', other));
	parked = await rest.workflows.run(id, 'Start');
	await rest.executions.wait(parked, { until: ['waiting'], timeoutMs: 60_000 });
	await startBatch(credential);
	const jobs = MODES.length + PROMPTS.length;
	await until(async () => (await charged(full.workspace)).length === jobs, 60_000);
	await sleep(1_000);
	const lines = (await charged(full.workspace)).reverse();
	paid = lines.map(({ resource, amount }) => ({
		id: String(resource),
		credits: Math.abs(amount),
	}));
	left = (await sandbox.ledger(full.workspace)).balance.available;
	await n8n.kill();

	// Not before n8n has started: its recovery takes what goes on at once for what has crashed.
	await endWaitsIn(userFolder, 30);
	await sandbox.settings({ clockScale: 60 });
	n8n = await startN8n({ userFolder, lean: true, headless: true });
	// The owner's session outlives it.
	rest = Rest.resume({ ...rest.session.ticket, baseUrl: n8n.baseUrl });
}, 240_000);

afterAll(async () => {
	await n8n?.kill();
	removeUserFolder(userFolder);
});

it('13: a batch whose n8n is killed gives one message, with the jobs and credits of the ledger, and goes on without paying again', async () => {
	const sent = async () => await rest.executions.list(messenger.id);
	await until(async () => (await sent()).length > 0);
	const [crashed] = await rest.executions.list(batch.id, ['crashed']);
	const [message] = await sent();
	const items = itemsIn(await rest.executions.wait(message?.id ?? ''))('Send Message');
	expect(items).toHaveLength(1);
	const link = `/workflow/${batch.id}/executions/${crashed?.id}$`;
	expect(items[0]?.json).toMatchObject({
		jobs: paid.map(({ id }) => id),
		credits: `${paid.reduce((sum, { credits }) => sum + credits, 0)} reserved or spent`,
		credits_left: String(left),
		execution: expect.stringMatching(link) as string,
		text: expect.stringMatching(
			/^MediaGen 8: .* failed at "(Order|Fetch) Pictures": Workflow did not finish/,
		) as string,
	});

	await rest.executions.wait(await rest.workflows.run(batch.id, 'Every Night'));
	const rows = await rest.tables.rows(TABLE);
	expect(rows.map(({ status }) => status)).toEqual(PROMPTS.map(() => 'done'));
	expect(await charged(full.workspace)).toHaveLength(paid.length);
	expect(await sent()).toHaveLength(1);
}, 240_000);

it('a workflow run again after n8n was killed in the middle of a wait pays for what its mode says', async () => {
	const outcomes: unknown[] = [];
	for (const [index, id] of workflows.entries()) {
		const before = (await charged(full.workspace)).length;
		const again = await rest.executions.wait(await rest.workflows.run(id, triggerName));
		const [item] = again.data.resultData.runData[nodeName]?.at(-1)?.data?.main?.[0] ?? [];
		const charges = 1 + (await charged(full.workspace)).length - before;
		outcomes.push([MODES[index]?.[0], again.status, item?.json.status, charges]);
	}
	expect(outcomes).toEqual(
		MODES.map(([mode, , charges]) => [mode, 'success', 'completed', charges]),
	);
}, 240_000);

it("n8n's Retry of a crashed execution begins anew, and pays for what its mode says", async () => {
	const outcomes: unknown[] = [];
	for (const [index, id] of workflows.entries()) {
		const [crashed] = await rest.executions.list(id, ['crashed']);
		const before = (await charged(full.workspace)).length;
		const again = await rest.executions.wait(await rest.executions.retry(crashed?.id ?? ''));
		const charges = 1 + (await charged(full.workspace)).length - before;
		outcomes.push([MODES[index]?.[0], again.status, charges]);
	}
	expect(outcomes).toEqual(MODES.map(([mode, , charges]) => [mode, 'success', charges]));
}, 240_000);

it('example 9: n8n killed while the execution waits goes on with it, and each picture is paid for once', async () => {
	const ended = await rest.executions.wait(parked);
	expect(ended.status).toBe('success');
	const finished = itemsIn(ended)('Finished?');
	expect(finished.map(({ json, binary }) => [json.status, Object.keys(binary ?? {})])).toEqual(
		Array(5).fill(['completed', ['data']]),
	);
	expect(await charged(otherWorkspace.workspace)).toHaveLength(5);
}, 240_000);
