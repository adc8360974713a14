/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runN8n } from '../../lab/n8n/start';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { changeableCredential } from './support/keyChange';
import { signedHeaders } from './support/signed';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

jest.setTimeout(600_000);

const EVENTS = ['generation.completed'];
const anImage = { mode: 'image', model: 'studio/image-1', prompt: 'A lighthouse' };

let instance: TriggerInstance;

beforeAll(async () => {
	instance = await TriggerInstance.start({ N8N_LOG_LEVEL: 'debug' });
});

afterAll(async () => await instance?.stop());

afterEach(async () => expect(await instance.webhooks()).toEqual([]));

const publish = async (workflow: SavedWorkflow) => await instance.rest.workflows.publish(workflow);
const unpublish = async ({ id }: SavedWorkflow) => await instance.rest.workflows.unpublish(id);
const idsAt = (workflow: SavedWorkflow) =>
	instance.registered(instance.urlOf(workflow)).map(({ id }) => id);

/** The database of n8n, with what sqlite keeps beside it. */
function databaseFiles(): string[] {
	const folder = path.join(instance.direct.userFolder, '.n8n');
	const names = readdirSync(folder).filter((name) => name.startsWith('database.sqlite'));
	return names.map((name) => path.join(folder, name));
}

/**
 * Exports a workflow by n8n's command line and imports it under another id, static data and all.
 */
async function copy(workflow: SavedWorkflow, webhookId?: string): Promise<SavedWorkflow> {
	const { userFolder } = instance.direct;
	const file = path.join(userFolder, `${workflow.id}.json`);
	const exported = ['export:workflow', `--id=${workflow.id}`, `--output=${file}`];
	expect(await runN8n(userFolder, exported)).toMatchObject({ code: 0 });
	const [data] = JSON.parse(readFileSync(file, 'utf8')) as Array<
		SavedWorkflow & { staticData: object }
	>;
	// The test would say nothing if n8n stopped letting static data travel.
	expect(JSON.stringify(data?.staticData)).toContain(instance.urlOf(workflow));
	const nodes = data?.nodes.map((node) =>
		webhookId !== undefined && node.webhookId ? { ...node, webhookId } : node,
	);
	const id = `copy${workflow.id}`.slice(0, 16);
	const changed = { ...data, id, name: `Copy of ${data?.name}`, active: false, nodes };
	writeFileSync(file, JSON.stringify([changed]));
	const imported = ['import:workflow', `--input=${file}`];
	expect(await runN8n(userFolder, imported)).toMatchObject({ code: 0 });
	return await instance.rest.workflows.get(id);
}

describe('a copy of a published workflow leaves the webhook of the original alone', () => {
	test('with an address of its own it registers its own, and takes that along', async () => {
		const original = await instance.ourTrigger({ events: EVENTS });
		await publish(original);
		const own = idsAt(original);
		const twin = await copy(original, `twin-${original.id}`);
		await publish(twin);
		expect(idsAt(original)).toEqual(own);
		expect(idsAt(twin)).toHaveLength(1);
		await instance.api('POST', '/generations', anImage);
		expect(await instance.items(original, 1)).toHaveLength(1);
		expect(await instance.items(twin, 1)).toHaveLength(1);
		await unpublish(twin);
		expect(idsAt(original)).toEqual(own);
		expect(idsAt(twin)).toEqual([]);
		await unpublish(original);
	});

	test('with the same address, which n8n refuses to publish, it takes nothing down', async () => {
		const original = await instance.ourTrigger({ events: EVENTS });
		await publish(original);
		const own = idsAt(original);
		const twin = await copy(original);
		await expect(publish(twin)).rejects.toThrow();
		expect(idsAt(original)).toEqual(own);
		await instance.api('POST', '/generations', anImage);
		expect(await instance.items(original, 1)).toHaveLength(1);
		await unpublish(original);
	});

	test('in a cloned database under another WEBHOOK_URL', async () => {
		const original = await instance.ourTrigger({ events: EVENTS });
		await publish(original);
		const own = idsAt(original);
		await instance.down();
		const originals = databaseFiles().map((file) => [file, readFileSync(file)] as const);
		const elsewhere = 'https://staging.example.com/';
		await instance.up({ WEBHOOK_URL: elsewhere });
		await unpublish(original);
		expect(idsAt(original)).toEqual(own);
		await publish(original);
		const all = (await instance.webhooks()).map(({ url }) => String(url));
		expect(all.filter((url) => url.startsWith(elsewhere))).toHaveLength(1);
		expect(idsAt(original)).toEqual(own);
		await unpublish(original);
		expect((await instance.webhooks()).map(({ id }) => id)).toEqual(own);
		await instance.down();
		// Back at the original, which knows nothing of its clone.
		databaseFiles().forEach((file) => rmSync(file));
		originals.forEach(([file, bytes]) => writeFileSync(file, bytes));
		await instance.up();
		await instance.api('POST', '/generations', anImage);
		expect(await instance.items(original, 1)).toHaveLength(1);
		await unpublish(original);
	});
});

test('after a change of the API key the log says once what is wrong and what to do, and each refusal has its reason', async () => {
	const { credential, keys, changeKey } = await changeableCredential(instance, 'Changed');
	const workflow = await instance.ourTrigger({ events: EVENTS }, { mediaGenApi: credential });
	await publish(workflow);
	const [{ secret } = { secret: '' }] = instance.registered(instance.urlOf(workflow));
	const deliver = async (id: string, by = secret) => {
		const body = JSON.stringify({ id, type: EVENTS[0], data: { id: `gen_${id}` } });
		const headers = signedHeaders(by, body);
		return (await instance.call(instance.urlOf(workflow), { headers }, body)).status;
	};
	expect(await deliver('evt_forged', 'whsec_forged')).toBe(401);
	/** How often a text is in the log, which n8n writes a moment later. */
	const logged = async (text: string, times: number) => {
		const count = () => instance.log().split(text).length - 1;
		await until(() => count() >= times);
		return count();
	};
	expect(await logged('its signature was not made with the secret of this webhook', 1)).toBe(1);
	await changeKey();
	const statuses = [await deliver('evt_1'), await deliver('evt_2'), await deliver('evt_3')];
	expect(statuses).toEqual([401, 401, 401]);
	expect(await logged('there is no signing secret to check it with', 3)).toBe(3);
	const log = instance.log();
	const lines = log.split('\n').filter((line) => line.includes('refuses every event'));
	expect(lines).toEqual([
		expect.stringMatching(/cannot be decrypted with the API key.*Unpublish and publish/),
	]);
	expect(lines[0]).toContain(workflow.name);
	for (const canary of [secret, ...keys]) expect(log.includes(canary)).toBe(false);

	await unpublish(workflow);
	await publish(workflow);
	const [{ secret: newSecret } = { secret: '' }] = instance.registered(instance.urlOf(workflow));
	expect(await deliver('evt_4', newSecret)).toBe(200);
	expect(await instance.items(workflow, 1)).toMatchObject([{ eventId: 'evt_4' }]);
	await unpublish(workflow);
});
