import { credentialData } from '../../lab/n8n/credential';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { runNode } from '../../lab/n8n/runNode';
import { changeableCredential } from './support/keyChange';
import { createParameters } from './support/media';
import { signedHeaders } from './support/signed';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

jest.setTimeout(240_000);

const CREATED = ['generation.completed'];
const anImage = { mode: 'image', model: 'studio/image-1', prompt: 'A lighthouse' };

let instance: TriggerInstance;

beforeAll(async () => {
	instance = await TriggerInstance.start();
});

afterAll(async () => await instance.stop());

afterEach(async () => {
	instance.faults([]);
	expect(await instance.webhooks()).toEqual([]);
});

const publish = async (workflow: SavedWorkflow) => await instance.rest.workflows.publish(workflow);
const unpublish = async ({ id }: SavedWorkflow) => await instance.rest.workflows.unpublish(id);

describe('activation', () => {
	it('leaves one webhook when answers to its registration are lost', async () => {
		instance.faults([{ kind: 'lost_after', operations: ['createWebhook'], times: 2 }]);
		const workflow = await instance.ourTrigger({ events: CREATED });
		await publish(workflow);
		expect(instance.registered(instance.urlOf(workflow))).toHaveLength(1);
		await instance.api('POST', '/generations', anImage);
		expect(await instance.items(workflow, 1)).toHaveLength(1);
		await unpublish(workflow);
	});

	it('names the scope that the key lacks, and sends nothing', async () => {
		const [, readOnly] = instance.sandbox.keys;
		const { key: apiKey = '', scopes } = readOnly ?? {};
		const declared = credentialData({ apiKey, baseUrl: instance.sandbox.baseUrl, scopes });
		const saved = await instance.rest.credentials.create('mediaGenApi', 'Read only', declared);
		const workflow = await instance.ourTrigger({ events: CREATED }, { mediaGenApi: saved });
		await expect(publish(workflow)).rejects.toThrow('webhooks:write');
	});

	it('after a change of the key refuses what it cannot verify, and registers again', async () => {
		const { credential, changeKey } = await changeableCredential(instance, 'Rotated');
		const workflow = await instance.ourTrigger({ events: CREATED }, { mediaGenApi: credential });
		await publish(workflow);
		const [old] = instance.registered(instance.urlOf(workflow));
		await changeKey();
		const event = JSON.stringify({ id: 'evt_rotated', type: 'generation.completed' });
		const headers = signedHeaders(old?.secret ?? '', event);
		expect((await instance.call(instance.urlOf(workflow), { headers }, event)).status).toBe(401);
		await unpublish(workflow);
		await publish(workflow);
		expect(instance.registered(instance.urlOf(workflow))).toHaveLength(1);
		await instance.api('POST', '/generations', anImage);
		expect(await instance.items(workflow, 1)).toHaveLength(1);
		await unpublish(workflow);
	});

	it('cleans up at its own address when an earlier webhook was left there', async () => {
		const workflow = await instance.ourTrigger({ events: CREATED });
		const url = instance.urlOf(workflow);
		await instance.api('POST', '/webhooks', { url, events: CREATED });
		await publish(workflow);
		expect(instance.registered(url)).toHaveLength(1);
		await unpublish(workflow);
	});

	it('bears that its webhook was deleted at the service', async () => {
		const workflow = await instance.ourTrigger({ events: CREATED });
		await publish(workflow);
		const [{ id } = { id: '' }] = instance.registered(instance.urlOf(workflow));
		await instance.api('DELETE', `/webhooks/${id}`);
		await unpublish(workflow);
		await publish(workflow);
		await instance.api('POST', '/generations', anImage);
		expect(await instance.items(workflow, 1)).toHaveLength(1);
		await unpublish(workflow);
	});
});

describe('a webhook made by hand', () => {
	it('starts the workflow with the secret of a credential, and is left alone', async () => {
		const secret = await instance.rest.credentials.create('mediaGenWebhookSecretApi', 'Secret', {
			signingSecret: 'whsec_by_hand',
		});
		const workflow = await instance.ourTrigger(
			{ events: CREATED, registration: 'manual' },
			{ mediaGenApi: instance.credential, mediaGenWebhookSecretApi: secret },
		);
		await publish(workflow);
		const deliver = async (event: object) => {
			const body = JSON.stringify(event);
			const headers = signedHeaders('whsec_by_hand', body);
			return (await instance.call(instance.urlOf(workflow), { headers }, body)).status;
		};
		expect(await deliver({ id: 'evt_hand', type: 'generation.completed', data: { id: 'g' } })).toBe(
			200,
		);
		// A kind that was not chosen here is taken and starts nothing; one that nobody knows does.
		expect(await deliver({ id: 'evt_other', type: 'voice.created', data: { id: 'v' } })).toBe(200);
		expect(await deliver({ id: 'evt_new', type: 'generation.archived', data: { id: 'g' } })).toBe(
			200,
		);
		const kinds = (await instance.items(workflow, 2)).map(({ event }) => event).sort();
		expect(kinds).toEqual(['generation.archived', 'generation.completed']);
		await unpublish(workflow);
	});
});

describe('a verified event', () => {
	it('ends the wait of a node in the same process, even if every poll fails', async () => {
		const workflow = await instance.ourTrigger({ events: CREATED });
		await publish(workflow);
		const operations = ['getGeneration', 'listGenerations', 'getJob'];
		instance.faults([{ kind: 'status_before', operations, status: 503 }]);
		const started = Date.now();
		const run = await runNode(instance.rest, {
			type: 'n8n-nodes-mediagen.mediaGen',
			credential: instance.credential,
			parameters: createParameters({ waitForCompletion: true }),
			timeoutMs: 30_000,
		});
		expect(run.items[0]?.json).toMatchObject({ status: 'completed' });
		expect(Date.now() - started).toBeLessThan(10_000);
		await until(() => instance.of(workflow).length === 1);
		await unpublish(workflow);
	});
});

describe('an n8n without https', () => {
	it('says how to set WEBHOOK_URL and names the polling trigger', async () => {
		await instance.down();
		await instance.up({ WEBHOOK_URL: 'http://n8n.example:5678/' });
		const workflow = await instance.ourTrigger({ events: CREATED });
		const failed = publish(workflow);
		await expect(failed).rejects.toThrow(
			/MediaGen Polling Trigger.*WEBHOOK_URL=https.*https addresses only.*http:\/\/n8n\.example:5678/,
		);
	});
});
