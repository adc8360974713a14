/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { INodeParameters } from 'n8n-workflow';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { saveCredential } from '../../lab/n8n/credential';
import { startN8n, temporaryUserFolder, type N8n } from '../../lab/n8n/start';
import { nodeName, triggerName, workflowOf } from '../../lab/n8n/nodeWorkflow';
import { Rest } from '../../lab/n8n/rest';
import { demoOwner, startInstance } from '../../lab/n8n/instance';
import { endWaits } from './support/database';
import { exampleOf, itemsIn } from './support/examples';
import { baseUrl, keys, sandbox } from './support/harness';
import { createParameters } from './support/media';
import { until } from './support/until';

/** Two workspaces, so that neither test takes the slots of the other. */
const { full, otherWorkspace } = keys;

const charged = async (workspace: string) =>
	(await sandbox.ledger(workspace)).lines.filter(({ movement }) => movement === 'reserve');

const NODE = 'n8n-nodes-mediagen.mediaGen';

/** A video of the sandbox takes 40 s by its clock: long enough to be killed in. */
const parametersOf = (options: INodeParameters) =>
	createParameters({
		mode: 'video',
		model: 'studio/video-1',
		prompt: `A boat, ${JSON.stringify(options)}`,
		downloadOutputs: false,
		options,
	});

const MODES: Array<[mode: string, options: INodeParameters, charges: number]> = [
	['Content', { idempotency: 'content' }, 1],
	['Custom Key', { idempotency: 'custom', idempotencyKey: 'crash-1' }, 1],
	['Execution Item', {}, 2],
];

const userFolder = temporaryUserFolder();
let n8n: N8n;
let rest: Rest;

/** Of each of the modes. */
const workflows: string[] = [];

/** Of example 9, which waits when n8n is killed. */
let parked: string;

beforeAll(async () => {
	({ n8n, rest } = await startInstance({ userFolder }));
	await sandbox.reset();
	await sandbox.settings({ clockScale: 1 });
	const save = async (name: string, apiKey: string) =>
		await saveCredential(rest, name, { apiKey, baseUrl });
	const credential = await save('crash', full.key);
	for (const [, options] of MODES) {
		const run = { type: NODE, credential, parameters: parametersOf(options) };
		const { id } = await rest.workflows.create(workflowOf(run));
		workflows.push(id);
		await rest.workflows.run(id, triggerName);
	}
	const other = await save('example 9', otherWorkspace.key);
	const { id } = await rest.workflows.create(exampleOf('9', other, n8n.filesFolder));
	parked = await rest.workflows.run(id, 'Start');
	await rest.executions.wait(parked, { until: ['waiting'], timeoutMs: 60_000 });
	await until(async () => (await charged(full.workspace)).length === MODES.length);
	await sleep(1_000);
	await n8n.kill();

	// Down for longer than example 9 waits.
	await endWaits(userFolder);
	await sandbox.settings({ clockScale: 60 });
	n8n = await startN8n({ userFolder });
	rest = await Rest.signIn(n8n.baseUrl, demoOwner);
}, 300_000);

afterAll(async () => {
	await n8n?.kill();
	rmSync(userFolder, { recursive: true, force: true, maxRetries: 3 });
});

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
}, 300_000);

it('example 9: n8n killed while the execution waits goes on with it, and each picture is paid for once', async () => {
	const ended = await rest.executions.wait(parked);
	expect(ended.status).toBe('success');
	const finished = itemsIn(ended)('Finished?');
	expect(finished.map(({ json, binary }) => [json.status, Object.keys(binary ?? {})])).toEqual(
		Array(5).fill(['completed', ['data']]),
	);
	expect(await charged(otherWorkspace.workspace)).toHaveLength(5);
}, 240_000);
