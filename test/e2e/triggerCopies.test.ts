/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { credentialData } from '../../lab/n8n/credential';
import { runN8n } from '../../lab/n8n/start';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { signedHeaders } from './support/signed';
import { TriggerStage } from './support/triggerStage';
import { until } from './support/until';

jest.setTimeout(600_000);

const EVENTS = ['generation.completed'];
const anImage = { mode: 'image', model: 'studio/image-1', prompt: 'A lighthouse' };

let stage: TriggerStage;

beforeAll(async () => {
	stage = await TriggerStage.start({ N8N_LOG_LEVEL: 'debug' });
});

afterAll(async () => await stage?.stop());

afterEach(async () => expect(await stage.webhooks()).toEqual([]));

const publish = async (workflow: SavedWorkflow) => await stage.rest.workflows.publish(workflow);
const unpublish = async ({ id }: SavedWorkflow) => await stage.rest.workflows.unpublish(id);
const idsAt = (workflow: SavedWorkflow) =>
	stage.registered(stage.urlOf(workflow)).map(({ id }) => id);

/** The database of n8n, with what sqlite keeps beside it. */
function databaseFiles(): string[] {
	const folder = path.join(stage.direct.userFolder, '.n8n');
	const names = readdirSync(folder).filter((name) => name.startsWith('database.sqlite'));
	return names.map((name) => path.join(folder, name));
}

/** Exports a workflow by n8n's command line and imports it under another id, static data and all. */
async function copy(workflow: SavedWorkflow, webhookId?: string): Promise<SavedWorkflow> {
	const { userFolder } = stage.direct;
	const file = path.join(userFolder, `${workflow.id}.json`);
	const exported = ['export:workflow', `--id=${workflow.id}`, `--output=${file}`];
	expect(await runN8n(userFolder, exported)).toMatchObject({ code: 0 });
	const [data] = JSON.parse(readFileSync(file, 'utf8')) as Array<
		SavedWorkflow & { staticData: object }
	>;
	// The test would say nothing if n8n stopped letting static data travel.
	expect(JSON.stringify(data?.staticData)).toContain(stage.urlOf(workflow));
	const nodes = data?.nodes.map((node) =>
		webhookId !== undefined && node.webhookId ? { ...node, webhookId } : node,
	);
	const id = `copy${workflow.id}`.slice(0, 16);
	const changed = { ...data, id, name: `Copy of ${data?.name}`, active: false, nodes };
	writeFileSync(file, JSON.stringify([changed]));
	const imported = ['import:workflow', `--input=${file}`];
	expect(await runN8n(userFolder, imported)).toMatchObject({ code: 0 });
	return await stage.rest.workflows.get(id);
}

describe('a copy of a published workflow leaves the webhook of the original alone', () => {
	test('with an address of its own it registers its own, and takes that along', async () => {
		const original = await stage.ourTrigger({ events: EVENTS });
		await publish(original);
		const own = idsAt(original);
		const twin = await copy(original, `twin-${original.id}`);
		await publish(twin);
		expect(idsAt(original)).toEqual(own);
		expect(idsAt(twin)).toHaveLength(1);
		await stage.api('POST', '/generations', anImage);
		expect(await stage.items(original, 1)).toHaveLength(1);
		expect(await stage.items(twin, 1)).toHaveLength(1);
		await unpublish(twin);
		expect(idsAt(original)).toEqual(own);
		expect(idsAt(twin)).toEqual([]);
		await unpublish(original);
	});

	test('with the same address, which n8n refuses to publish, it takes nothing down', async () => {
		const original = await stage.ourTrigger({ events: EVENTS });
		await publish(original);
		const own = idsAt(original);
		const twin = await copy(original);
		await expect(publish(twin)).rejects.toThrow();
		expect(idsAt(original)).toEqual(own);
		await stage.api('POST', '/generations', anImage);
		expect(await stage.items(original, 1)).toHaveLength(1);
		await unpublish(original);
	});

	test('in a cloned database under another WEBHOOK_URL', async () => {
		const original = await stage.ourTrigger({ events: EVENTS });
		await publish(original);
		const own = idsAt(original);
		await stage.down();
		const originals = databaseFiles().map((file) => [file, readFileSync(file)] as const);
		const elsewhere = 'https://staging.example.com/';
		await stage.up({ WEBHOOK_URL: elsewhere });
		await unpublish(original);
		expect(idsAt(original)).toEqual(own);
		await publish(original);
		const all = (await stage.webhooks()).map(({ url }) => String(url));
		expect(all.filter((url) => url.startsWith(elsewhere))).toHaveLength(1);
		expect(idsAt(original)).toEqual(own);
		await unpublish(original);
		expect((await stage.webhooks()).map(({ id }) => id)).toEqual(own);
		await stage.down();
		// Back at the original, which knows nothing of its clone.
		databaseFiles().forEach((file) => rmSync(file));
		originals.forEach(([file, bytes]) => writeFileSync(file, bytes));
		await stage.up();
		await stage.api('POST', '/generations', anImage);
		expect(await stage.items(original, 1)).toHaveLength(1);
		await unpublish(original);
	});
});

test('after a change of the API key the log says once what is wrong and what to do, and each refusal has its reason', async () => {
	const [{ key, workspace, scopes } = { key: '', workspace: '', scopes: [] }] = stage.sandbox.keys;
	const changedKey = `${key}_changed`;
	await fetch(`${stage.sandbox.adminUrl}/keys`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ key: changedKey, workspace, scopes }),
	});
	const data = credentialData({ apiKey: key, baseUrl: stage.sandbox.baseUrl, clockScale: 1_000 });
	const credential = await stage.rest.credentials.create('mediaGenApi', 'Changed', data);
	const workflow = await stage.ourTrigger({ events: EVENTS }, { mediaGenApi: credential });
	await publish(workflow);
	const [{ secret } = { secret: '' }] = stage.registered(stage.urlOf(workflow));
	const deliver = async (id: string, by = secret) => {
		const body = JSON.stringify({ id, type: EVENTS[0], data: { id: `gen_${id}` } });
		const headers = signedHeaders(by, body);
		return (await stage.call(stage.urlOf(workflow), { headers }, body)).status;
	};
	expect(await deliver('evt_forged', 'whsec_forged')).toBe(401);
	/** How often a text is in the log, which n8n writes a moment later. */
	const logged = async (text: string, times: number) => {
		const count = () => stage.log().split(text).length - 1;
		await until(() => count() >= times);
		return count();
	};
	expect(await logged('its signature was not made with the secret of this webhook', 1)).toBe(1);
	await stage.rest.credentials.update(credential, { ...data, apiKey: changedKey });
	// A running n8n believes credentials for half a minute.
	await stage.down();
	await stage.up();
	const statuses = [await deliver('evt_1'), await deliver('evt_2'), await deliver('evt_3')];
	expect(statuses).toEqual([401, 401, 401]);
	expect(await logged('there is no signing secret to check it with', 3)).toBe(3);
	const log = stage.log();
	const lines = log.split('\n').filter((line) => line.includes('refuses every event'));
	expect(lines).toEqual([
		expect.stringMatching(/cannot be decrypted with the API key.*Unpublish and publish/),
	]);
	expect(lines[0]).toContain(workflow.name);
	for (const canary of [secret, changedKey, key]) expect(log.includes(canary)).toBe(false);

	await unpublish(workflow);
	await publish(workflow);
	const [{ secret: anew } = { secret: '' }] = stage.registered(stage.urlOf(workflow));
	expect(await deliver('evt_4', anew)).toBe(200);
	expect(await stage.items(workflow, 1)).toMatchObject([{ eventId: 'evt_4' }]);
	await unpublish(workflow);
});
