/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject, INode } from 'n8n-workflow';
import { saveCredential } from '../../lab/n8n/credential';
import { demoOwner, startInstance } from '../../lab/n8n/instance';
import { Rest, type Execution, type SavedWorkflow } from '../../lab/n8n/rest';
import { startN8n, temporaryUserFolder, type N8n } from '../../lab/n8n/start';
import { seeded } from '../../testing/random';
import { exampleOf, itemsIn } from './support/examples';
import { baseUrl, keys, sandbox } from './support/harness';
import { until } from './support/until';

/** The whole proof is 20 kills, some 6 minutes on two busy cores: `MEDIAGEN_CRASHES=20`. */
const CRASHES = Number(process.env.MEDIAGEN_CRASHES ?? 2);
const SEED = Number(process.env.TEST_SEED ?? 1);

/** A run takes about as long, so that a kill may hit any moment of one. */
const RUN_MS = 3_500;

const PROMPTS_A_NIGHT = 4;
const TABLE = 'mediagen prompts';
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

const userFolder = temporaryUserFolder();
let n8n: N8n;
let rest: Rest;

afterAll(async () => {
	await n8n?.kill();
	rmSync(userFolder, { recursive: true, force: true, maxRetries: 3 });
});

const { key, workspace } = keys.full;

/** Ids of the jobs that were paid for, newest first, with their credits. */
async function paid(): Promise<Array<{ id: string; credits: number }>> {
	const { lines } = await sandbox.ledger(workspace);
	const reserved = lines.filter(({ movement }) => movement === 'reserve').reverse();
	return reserved.map(({ resource, amount }) => ({
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
	const credential = await saveCredential(rest, 'crashed', { apiKey: key, baseUrl });
	const messenger = await rest.workflows.create(exampleOf('13', credential, n8n.filesFolder));
	await rest.workflows.publish(messenger);
	const example = exampleOf('8', credential, n8n.filesFolder);
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

it('13: a batch whose n8n is killed gives one message each, with the jobs and credits of the ledger', async () => {
	const random = seeded(SEED);
	({ n8n, rest } = await startInstance({ userFolder }));
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
		n8n = await startN8n({ userFolder });
		rest = await Rest.signIn(n8n.baseUrl, demoOwner);

		const crashed = await rest.executions.list(batch.id, ['crashed']);
		const [fresh, ...others] = crashed.filter(({ id }) => !seen.has(id));
		// It had ended before.
		if (!fresh) continue;
		expect(others).toEqual([]);
		const { id } = fresh;
		seen.add(id);
		// n8n tells of a crash only where it finds a node that had started and not ended, and not between two.
		if (!(await wasAtWork(id))) continue;
		await until(async () => (await messages(messenger)).length > told);
		const [json = {}] = await messages(messenger);
		const newest = (await paid()).slice(0, 50);
		const { balance } = await sandbox.ledger(workspace);
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
}, 3_600_000);
