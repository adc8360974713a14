import type { IDataObject } from 'n8n-workflow';
import { saveCredential } from '../../lab/n8n/credential';
import { SandboxAdmin } from '../../lab/sandbox/admin';
import { numbered, readExamples, withCredential } from '../../lab/demo/examples';
import { SCOPES } from '../../src/api';
import { createParameters } from '../e2e/support/media';
import { until } from '../e2e/support/until';
import { instance } from './support/sharedInstance';

const { queue, rest, sandbox } = instance;
const admin = new SandboxAdmin(sandbox.adminUrl);
const workspace = sandbox.keys[0]?.workspace ?? '';
const type = 'n8n-nodes-mediagen.mediaGen';

/** Parameters of a creation for each item's prompt, by content. */
const parameters = createParameters({
	prompt: '={{ $json.prompt }}',
	downloadOutputs: true,
	options: { idempotency: 'content' },
});

const reserved = async () =>
	(await admin.ledger(workspace)).lines.filter(({ movement }) => movement === 'reserve').length;

/** What an execution has put out: each item's fields with the content of its file. */
async function outputOf(id: string) {
	const { status, data } = await rest.executions.wait(id, { timeoutMs: 90_000 });
	const items = data.resultData.runData.Node?.at(-1)?.data?.main?.[0] ?? [];
	const rows: Array<{ json: IDataObject; file?: string; storage?: string }> = [];
	for (const { json, binary } of items) {
		const file = binary?.data;
		rows.push({
			json,
			...(file && {
				// Behind the beginning of a PNG.
				file: (await rest.download(file)).subarray(8).toString(),
				storage: String(file.id).split(':')[0],
			}),
		});
	}
	return { status, rows, error: data.resultData.error?.message };
}

beforeEach(async () => await sandbox.reset());

test('batches with one bad item run on two workers: files in the database, only good items are paid for', async () => {
	const promptsOf = (batch: number) =>
		Array.from({ length: 6 }, (_, each) => (each === 3 ? '' : `Boat ${batch}-${each}`));
	const ids: string[] = [];
	const workers = () => new Set(ids.map((id) => queue.workerOf(id)?.name));
	const outputs: Array<Awaited<ReturnType<typeof outputOf>>> = [];
	// Two at a time; Redis gives them to whoever asks first, so one worker may get both.
	while (workers().size < 2 && ids.length < 12) {
		const pair: string[] = [];
		for (const batch of [ids.length + 1, ids.length + 2]) {
			const items = promptsOf(batch).map((prompt) => ({ prompt }));
			const node = { type, parameters, onError: 'continueRegularOutput' as const };
			const { id } = await instance.batch(node, items);
			pair.push(await rest.workflows.run(id, 'Start'));
		}
		for (const id of pair) outputs.push(await outputOf(id));
		ids.push(...pair);
	}
	for (const [index, { status, rows, error }] of outputs.entries()) {
		expect({ status, error }).toEqual({ status: 'success' });
		expect(rows.map(({ file }) => file)).toEqual(
			promptsOf(index + 1).map((prompt) => (prompt ? `image 0: ${prompt}` : undefined)),
		);
		expect(rows.map(({ storage }) => storage)).toEqual(
			promptsOf(index + 1).map((prompt) => (prompt ? 'database' : undefined)),
		);
		expect(rows[3]?.json.error).toMatch(/Prompt is empty/);
	}
	expect(await reserved()).toBe(5 * ids.length);
	expect(workers()).toEqual(new Set(['worker-1', 'worker-2']));
});

test('a worker killed in the middle of a batch: a new run by content gets all files and pays for none twice', async () => {
	const prompts = Array.from({ length: 6 }, (_, each) => `Ship ${each}`);
	const { id: workflow } = await instance.batch(
		{ type, parameters },
		prompts.map((prompt) => ({ prompt })),
	);
	// Until the clock is put forward, an image takes minutes: long enough to be killed in.
	await admin.settings({ clockScale: 0.03 });
	const killed = await rest.workflows.run(workflow, 'Start');
	await until(async () => (await reserved()) >= 3);
	const worker = queue.workerOf(killed);
	await worker?.kill();
	const before = await reserved();
	expect(before).toBeGreaterThanOrEqual(3);

	await admin.settings({ clockScale: 60 });
	const again = await rest.workflows.run(workflow, 'Start');
	const { status, rows, error } = await outputOf(again);
	expect({ status, error }).toEqual({ status: 'success' });
	expect(rows.map(({ file }) => file)).toEqual(prompts.map((prompt) => `image 0: ${prompt}`));
	expect(await reserved()).toBe(prompts.length);
	const other = queue.workers.find(({ name }) => name !== worker?.name);
	expect(queue.workerOf(again)?.name).toBe(other?.name);
	await worker?.restart();
});

test('executions on two workers at the same time share the limit of the day', async () => {
	// By a key of its own: of this workspace the workers remember nothing from before the reset.
	const apiKey = await admin.addKey(workspace, [...SCOPES]);
	const { baseUrl } = sandbox;
	const { id: credential, name } = await saveCredential(rest, 'Day', { baseUrl, apiKey });
	const credentials = { mediaGenApi: { id: credential, name } };
	const rows = [1, 2, 3].map((each) => ({ prompt: `Kite ${each}` }));
	const start = async (options: IDataObject) => {
		const given = createParameters({
			prompt: '={{ $json.prompt }}',
			waitForCompletion: false,
			options,
		});
		const onError = 'continueRegularOutput';
		const { id } = await instance.batch({ type, parameters: given, credentials, onError }, rows);
		return await rest.workflows.run(id, 'Start');
	};
	const spent = async () => {
		const { balance } = await admin.ledger(workspace);
		return balance.reserved + balance.spent;
	};
	// From now on the list says what one costs.
	await rest.executions.wait(await start({}), { timeoutMs: 90_000 });
	const price = (await spent()) / rows.length;
	const maxCreditsPerDay = 10 * price;
	const ids: string[] = [];
	const isOnBoth = () => new Set(ids.map((id) => queue.workerOf(id)?.name)).size === 2;
	while (!isOnBoth() || ids.length < 6) {
		const four = await Promise.all(
			Array.from({ length: 4 }, async () => await start({ maxCreditsPerDay })),
		);
		for (const id of four) await rest.executions.wait(id, { timeoutMs: 90_000 });
		ids.push(...four);
		if (ids.length > 24) break;
	}
	expect(isOnBoth()).toBe(true);
	// Of the other worker one picture may have been on its way.
	expect(await spent()).toBeGreaterThanOrEqual(maxCreditsPerDay);
	expect(await spent()).toBeLessThanOrEqual(maxCreditsPerDay + price);
});

test('example 9 outlives a rolling restart of all processes, and pays for each picture once', async () => {
	const example = withCredential(numbered(readExamples(), '9'), instance.credential);
	const { id: workflow } = await rest.workflows.create(example);
	const id = await rest.workflows.run(workflow, 'Start');
	await rest.executions.wait(id, { until: ['waiting'], timeoutMs: 60_000 });
	for (const process of [...queue.workers, queue.main]) await process.restart();
	const { status, data } = await rest.executions.wait(id, { timeoutMs: 90_000 });
	expect(status).toBe('success');
	const runs = data.resultData.runData['Finished?'] ?? [];
	const finished = runs.flatMap((run) => run.data?.main?.[0] ?? []);
	expect(finished.map(({ json }) => json.status)).toEqual(Array(5).fill('completed'));
	expect(await reserved()).toBe(5);
});
