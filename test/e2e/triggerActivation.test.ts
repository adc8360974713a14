import { credentialData } from '../../lab/n8n/credential';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { runNode } from '../../lab/n8n/runNode';
import { createParameters } from './support/media';
import { signedHeaders } from './support/signed';
import { TriggerStage } from './support/triggerStage';
import { until } from './support/until';

jest.setTimeout(240_000);

const CREATED = ['generation.completed'];
const anImage = { mode: 'image', model: 'studio/image-1', prompt: 'A lighthouse' };

let stage: TriggerStage;

beforeAll(async () => {
	stage = await TriggerStage.start();
});

afterAll(async () => await stage.stop());

afterEach(async () => {
	stage.faults([]);
	stage.sandbox.service.settings.webhookSecretField = 'secret';
	expect(await stage.webhooks()).toEqual([]);
});

const publish = async (workflow: SavedWorkflow) => await stage.rest.workflows.publish(workflow);
const unpublish = async ({ id }: SavedWorkflow) => await stage.rest.workflows.unpublish(id);

describe('activation', () => {
	it('finds the secret under any name that says so, and leaves nothing behind where there is none', async () => {
		stage.sandbox.service.settings.webhookSecretField = 'hmac_Secret_key';
		const found = await stage.ourTrigger({ events: CREATED });
		await publish(found);
		await stage.api('POST', '/generations', anImage);
		expect(await stage.items(found, 1)).toHaveLength(1);
		await unpublish(found);

		stage.sandbox.service.settings.webhookSecretField = 'token';
		const failed = publish(await stage.ourTrigger({ events: CREATED }));
		await expect(failed).rejects.toThrow('without a signing secret');
	});

	it('leaves one webhook when answers to its registration are lost', async () => {
		stage.faults([{ kind: 'lost_after', operations: ['createWebhook'], times: 2 }]);
		const workflow = await stage.ourTrigger({ events: CREATED });
		await publish(workflow);
		expect(stage.registered(stage.urlOf(workflow))).toHaveLength(1);
		await stage.api('POST', '/generations', anImage);
		expect(await stage.items(workflow, 1)).toHaveLength(1);
		await unpublish(workflow);
	});

	it('names the scope that the key lacks, and sends nothing', async () => {
		const [, readOnly] = stage.sandbox.keys;
		const { key: apiKey = '', scopes } = readOnly ?? {};
		const declared = credentialData({ apiKey, baseUrl: stage.sandbox.baseUrl, scopes });
		const saved = await stage.rest.credentials.create('mediaGenApi', 'Read only', declared);
		const workflow = await stage.ourTrigger({ events: CREATED }, { mediaGenApi: saved });
		await expect(publish(workflow)).rejects.toThrow('webhooks:write');
	});

	it('after another key refuses what it cannot verify, and registers anew', async () => {
		const keys = `${stage.sandbox.adminUrl}/keys`;
		const { key, workspace, scopes } = stage.sandbox.keys[0] ?? {
			key: '',
			workspace: '',
			scopes: [],
		};
		const body = JSON.stringify({ key: `${key}_new`, workspace, scopes });
		await fetch(keys, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
		const data = credentialData({ apiKey: key, baseUrl: stage.sandbox.baseUrl, clockScale: 1_000 });
		const saved = await stage.rest.credentials.create('mediaGenApi', 'Rotated', data);
		const workflow = await stage.ourTrigger({ events: CREATED }, { mediaGenApi: saved });
		await publish(workflow);
		const [old] = stage.registered(stage.urlOf(workflow));
		await stage.rest.credentials.update(saved, { ...data, apiKey: `${key}_new` });
		// A running n8n believes credentials for half a minute.
		await stage.down();
		await stage.up();
		const event = JSON.stringify({ id: 'evt_rotated', type: 'generation.completed' });
		const headers = signedHeaders(old?.secret ?? '', event);
		expect((await stage.call(stage.urlOf(workflow), { headers }, event)).status).toBe(401);
		await unpublish(workflow);
		await publish(workflow);
		expect(stage.registered(stage.urlOf(workflow))).toHaveLength(1);
		await stage.api('POST', '/generations', anImage);
		expect(await stage.items(workflow, 1)).toHaveLength(1);
		await unpublish(workflow);
	});

	it('cleans up at its own address when an earlier webhook was left there', async () => {
		const workflow = await stage.ourTrigger({ events: CREATED });
		const url = stage.urlOf(workflow);
		await stage.api('POST', '/webhooks', { url, events: CREATED });
		await publish(workflow);
		expect(stage.registered(url)).toHaveLength(1);
		await unpublish(workflow);
	});

	it('bears that its webhook was deleted at the service', async () => {
		const workflow = await stage.ourTrigger({ events: CREATED });
		await publish(workflow);
		const [{ id } = { id: '' }] = stage.registered(stage.urlOf(workflow));
		await stage.api('DELETE', `/webhooks/${id}`);
		await unpublish(workflow);
		await publish(workflow);
		await stage.api('POST', '/generations', anImage);
		expect(await stage.items(workflow, 1)).toHaveLength(1);
		await unpublish(workflow);
	});
});

describe('a webhook made by hand', () => {
	it('starts the workflow with the secret of a credential, and is left alone', async () => {
		const secret = await stage.rest.credentials.create('mediaGenWebhookSecretApi', 'Secret', {
			signingSecret: 'whsec_by_hand',
		});
		const workflow = await stage.ourTrigger(
			{ events: CREATED, registration: 'manual' },
			{ mediaGenApi: stage.credential, mediaGenWebhookSecretApi: secret },
		);
		await publish(workflow);
		const deliver = async (event: object) => {
			const body = JSON.stringify(event);
			const headers = signedHeaders('whsec_by_hand', body);
			return (await stage.call(stage.urlOf(workflow), { headers }, body)).status;
		};
		expect(await deliver({ id: 'evt_hand', type: 'generation.completed', data: { id: 'g' } })).toBe(
			200,
		);
		// A kind that was not chosen here is taken and starts nothing; one that nobody knows does.
		expect(await deliver({ id: 'evt_other', type: 'voice.created', data: { id: 'v' } })).toBe(200);
		expect(await deliver({ id: 'evt_new', type: 'generation.archived', data: { id: 'g' } })).toBe(
			200,
		);
		const kinds = (await stage.items(workflow, 2)).map(({ event }) => event).sort();
		expect(kinds).toEqual(['generation.archived', 'generation.completed']);
		await unpublish(workflow);
	});
});

describe('a verified event', () => {
	it('ends the wait of a node in the same process, though every look fails', async () => {
		const workflow = await stage.ourTrigger({ events: CREATED });
		await publish(workflow);
		const operations = ['getGeneration', 'listGenerations', 'getJob'];
		stage.faults([{ kind: 'status_before', operations, status: 503 }]);
		const started = Date.now();
		const run = await runNode(stage.rest, {
			type: 'n8n-nodes-mediagen.mediaGenGeneration',
			credential: stage.credential,
			parameters: createParameters({ waitForCompletion: true }),
			timeoutMs: 30_000,
		});
		expect(run.items[0]?.json).toMatchObject({ status: 'completed' });
		expect(Date.now() - started).toBeLessThan(10_000);
		await until(() => stage.of(workflow).length === 1);
		await unpublish(workflow);
	});
});

describe('an n8n without https', () => {
	it('says how to set WEBHOOK_URL and names the polling trigger', async () => {
		await stage.down();
		await stage.up({ WEBHOOK_URL: 'http://n8n.example:5678/' });
		const workflow = await stage.ourTrigger({ events: CREATED });
		const failed = publish(workflow);
		await expect(failed).rejects.toThrow(
			/https addresses only.*http:\/\/n8n\.example:5678.*WEBHOOK_URL=https.*MediaGen Polling Trigger/,
		);
	});
});
