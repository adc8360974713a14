/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { saveCredential } from '../../lab/n8n/credential';
import { startN8n, temporaryUserFolder, type N8n } from '../../lab/n8n/start';
import { nodeName, triggerName, workflowOf } from '../../lab/n8n/nodeWorkflow';
import { Rest, type Execution, type SavedWorkflow, type WorkflowData } from '../../lab/n8n/rest';
import { startInstance } from '../../lab/n8n/instance';
import { seeded } from '../model/random';
import { endWaitsIn } from './support/database';
import { exampleOf, itemsIn } from './support/examples';
import { baseUrl, keys, sandbox } from './support/harness';
import { createParameters } from './support/media';
import { until } from './support/until';

/** Two workspaces, so that nothing takes the slots of the other. */
const { full, otherWorkspace } = keys;

const SEED = Number(process.env.TEST_SEED ?? 1);

const charged = async (workspace: string) =>
	(await sandbox.ledger(workspace)).lines.filter(({ movement }) => movement === 'reserve');

/** What a kill, a start and what is done in between may take on a busy machine. */
const KILL_MS = 120_000;

const userFolder = temporaryUserFolder();
let n8n: N8n;
let rest: Rest;

beforeAll(
	async () =>
		({ n8n, rest } = await startInstance({ userFolder, headless: true, fromTemplate: true })),
	300_000,
);

afterAll(async () => {
	await n8n?.kill();
	rmSync(userFolder, { recursive: true, force: true, maxRetries: 3 });
});

/** The owner's session outlives it. */
async function restart(): Promise<void> {
	n8n = await startN8n({ userFolder, headless: true });
	rest = Rest.resume({ ...rest.session.ticket, baseUrl: n8n.baseUrl });
}

describe('killed in the middle of a wait', () => {
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

	/** Of each of the modes. */
	const workflows: string[] = [];

	/** Of example 9, which waits when n8n is killed. */
	let parked: string;

	beforeAll(async () => {
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

		// Not before n8n has started: its recovery takes what goes on at once for what has crashed.
		await endWaitsIn(userFolder, 30);
		await sandbox.settings({ clockScale: 60 });
		await restart();
	}, 300_000);

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
});

describe('13, the message of a crash', () => {
	/** The whole proof is 20 kills, some 6 minutes on two busy cores: `MEDIAGEN_CRASHES=20`. */
	const CRASHES = Number(process.env.MEDIAGEN_CRASHES ?? 1);

	/** A run takes about as long, so that a kill may hit any moment of one. */
	const RUN_MS = 3_500;

	const PROMPTS_A_NIGHT = 4;
	const TABLE = 'mediagen crash prompts';
	const PATH = 'mediagen-example-8';

	/** n8n starts error workflows only for what nobody runs by hand, and a schedule cannot be called. */
	const CALL: INode = {
		id: 'call',
		name: 'Call',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		position: [0, 300],
		parameters: { path: PATH },
		webhookId: PATH,
	};

	/** Ids of the jobs that were paid for, newest first, with their credits. */
	async function paid(): Promise<Array<{ id: string; credits: number }>> {
		const reserved = await charged(full.workspace);
		return reserved.reverse().map(({ resource, amount }) => ({
			id: String(resource),
			credits: Math.abs(amount),
		}));
	}

	/** Whether n8n has found a node at work in an execution that crashed. */
	const wasAtWork = async (id: string): Promise<boolean> => {
		const { data } = (await rest.executions.get(id)) as { data?: Execution['data'] };
		return data?.resultData.error !== undefined;
	};

	/** What was sent, newest first. */
	async function messages(messenger: SavedWorkflow): Promise<IDataObject[]> {
		const sent: IDataObject[] = [];
		for (const { id } of await rest.executions.list(messenger.id)) {
			const items = itemsIn(await rest.executions.wait(id))('Send Message');
			sent.push(...items.map(({ json }) => json));
		}
		return sent;
	}

	async function save(): Promise<{ messenger: SavedWorkflow; batch: SavedWorkflow }> {
		const credential = await saveCredential(rest, 'crashed', { apiKey: full.key, baseUrl });
		const messenger = await rest.workflows.create(exampleOf('13', credential, n8n.filesFolder));
		await rest.workflows.publish(messenger);
		const text = JSON.stringify(exampleOf('8', credential, n8n.filesFolder));
		const example = JSON.parse(text.replaceAll('mediagen prompts', TABLE)) as WorkflowData;
		const [first] = example.connections['Every Night']?.main ?? [];
		const batch = await rest.workflows.create({
			...example,
			// First, as n8n takes the last node in this order that had started for the one that crashed.
			nodes: [CALL, ...example.nodes],
			connections: { ...example.connections, [CALL.name]: { main: [first ?? null] } },
			settings: { ...example.settings, errorWorkflow: messenger.id },
		});
		await rest.workflows.publish(batch);
		return { messenger, batch };
	}

	it(
		'13: a batch whose n8n is killed gives one message each, with the jobs and credits of the ledger',
		async () => {
			const random = seeded(SEED);
			await sandbox.reset();
			await sandbox.settings({ clockScale: 1, jobSeconds: { image: 2 } });
			const { messenger, batch } = await save();
			// Makes the table.
			await rest.executions.wait(await rest.workflows.run(batch.id, 'Every Night'));

			const seen = new Set<string>();
			let told = 0;
			let prompts = 0;
			while (told < CRASHES) {
				const night = Array.from({ length: PROMPTS_A_NIGHT }, () => ({
					prompt: `A boat, number ${(prompts += 1)}`,
				}));
				await rest.tables.insert(TABLE, night);
				await fetch(`${n8n.baseUrl}/webhook/${PATH}`);
				await sleep(random() * RUN_MS);
				await n8n.kill();
				await restart();

				const crashed = await rest.executions.list(batch.id, ['crashed']);
				const [fresh, ...more] = crashed.filter(({ id }) => !seen.has(id));
				// It had ended before.
				if (!fresh) continue;
				expect(more).toEqual([]);
				const { id } = fresh;
				seen.add(id);
				// n8n tells of a crash only where it finds a node that had started and not ended, and not between two.
				if (!(await wasAtWork(id))) continue;
				await until(async () => (await messages(messenger)).length > told);
				const [json = {}] = await messages(messenger);
				const newest = (await paid()).slice(0, 50);
				const { balance } = await sandbox.ledger(full.workspace);
				expect(json).toMatchObject({
					jobs: newest.map((job) => job.id),
					credits: `${newest.reduce((sum, job) => sum + job.credits, 0)} reserved or spent`,
					credits_left: String(balance.available),
					execution: expect.stringMatching(`/workflow/${batch.id}/executions/${id}$`) as string,
				});
				expect(String(json.text)).toMatch(
					/^MediaGen 8: .* failed at "[\w ]+": Workflow did not finish/,
				);
				told += 1;
			}
			// None came later, and none twice, though n8n may report a crash at several starts.
			expect(await messages(messenger)).toHaveLength(told);
			process.stderr.write(`${told} of ${seen.size} crashes were told of\n`);

			// What the kills have left is made, and nothing is paid for twice. After 20 kills that takes some minutes.
			const last = await rest.workflows.run(batch.id, 'Every Night');
			await rest.executions.wait(last, { timeoutMs: 900_000 });
			expect(await paid()).toHaveLength(prompts);
			const rows = await rest.tables.rows(TABLE);
			expect(rows.map(({ status }) => status)).toEqual(Array(prompts).fill('done'));
		},
		(CRASHES + 3) * KILL_MS,
	);
});
