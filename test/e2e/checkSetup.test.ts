import type { IDataObject } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { saveCredential } from '../../lab/n8n/credential';
import { nodeName } from '../../lab/n8n/nodeWorkflow';
import { runNode } from '../../lab/n8n/runNode';
import type { Rest, SavedCredential } from '../../lab/n8n/rest';
import { ModelServer } from '../../lab/model/server';
import type { SetupRow } from '../../nodes/Workspace/setup/finding';
import { agentWorkflow, triggerName } from './support/agentWorkflow';
import { baseUrl, credentials, keys, rest, sandbox } from './support/harness';
import { holdAgainstSchemas } from './support/outputSchemas';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';
import { travel } from './support/ways';

/* Check Setup in a real n8n: one with all in order, and what several broken ones are told. */

jest.setTimeout(240_000);

const CHECK = { operation: 'checkSetup' };
const TYPE = 'n8n-nodes-mediagen.mediaGenWorkspace';

/** What the run of a credential says: its rows, by their checks, and the sentence above them. */
async function check(n8n: Rest, credential: SavedCredential) {
	const run = await runNode(n8n, { type: TYPE, parameters: CHECK, credential });
	expect(run.error?.message).toBeUndefined();
	const rows = run.items.map(({ json }) => json as unknown as SetupRow);
	expect(rows).toHaveLength(12);
	const [receipt] = run.execution.data.resultData.runData[nodeName]?.at(-1)?.hints ?? [];
	const wrong = rows.filter(({ ok }) => ok === false).map((row) => row.check);
	const open = rows.filter(({ ok }) => ok === null).map((row) => row.check);
	const row = (name: string) => rows.find((one) => one.check === name);
	return { row, rows, receipt: receipt?.message, wrong, open };
}

/** What is wrong with the address of an n8n that is started without one. */
const WITHOUT_ADDRESS = 'Address for Events';

const PICTURE = { mode: 'image', model: 'studio/image-1', prompt: 'A lighthouse' };

it('all is fine: an n8n with a public address and a published trigger whose events arrive; a webhook that n8n had no time to delete is named', async () => {
	const instance = await TriggerInstance.start();
	try {
		instance.rest.executions.onRead = holdAgainstSchemas;
		const workflow = await instance.ourTrigger({ events: ['generation.completed'] });
		await instance.rest.workflows.publish(workflow);
		await instance.api('POST', '/generations', PICTURE);
		await until(async () => await Promise.resolve(instance.got.length > 0), 60_000);
		const { receipt, rows, row } = await check(instance.rest, instance.credential);
		expect(rows.filter(({ ok }) => ok !== true)).toEqual([]);
		expect(receipt).toBe('<b>12 of 12 fine.</b>');
		expect(row('Webhooks')?.says).toBe('1 webhook. No event was given up in the last 24 hours.');
		expect(row(WITHOUT_ADDRESS)?.says).toContain('https://localhost:');
		expect(row('Models and Prices')?.says).toContain(
			'Studio Image 1 (2 credits a picture last time)',
		);
		expect(row('Files')?.says).toContain('on disk');

		const [{ id } = { id: '' }] = instance.registered(instance.urlOf(workflow));
		await instance.rest.workflows.unpublish(workflow.id);
		await instance.down();
		await instance.up();
		await instance.api('POST', '/generations', PICTURE);
		const deliveries = async () =>
			(await instance.api('GET', `/webhooks/${id}/deliveries`)).data as IDataObject[];
		const isRefused = async () =>
			(await deliveries()).some(({ response_status: status }) => status === 404);
		await until(isRefused, 60_000);
		const after = await check(instance.rest, instance.credential);
		expect(after.row('Webhooks')).toMatchObject({
			ok: false,
			says: expect.stringContaining(`${id} has an address where nobody listens`) as string,
			todo: expect.stringContaining('MediaGen Webhook: Delete') as string,
		});
		// The next publishing of the workflow uses or replaces it.
		await instance.rest.workflows.publish(workflow);
		expect(await instance.webhooks()).toHaveLength(1);
		await until(async () => await Promise.resolve(instance.got.length > 1), 60_000);
	} finally {
		await instance.stop();
	}
});

describe('a broken setup', () => {
	beforeEach(async () => await sandbox.reset());

	it('n8n without a public address, a key that only reads', async () => {
		const { wrong, open, receipt, row } = await check(rest, credentials.readOnly);
		expect([wrong, open]).toEqual([['Write Scopes', WITHOUT_ADDRESS], []]);
		expect(receipt).toMatch(/^<b>10 of 12 fine; first to do: Give the key files:write, /);
		expect(row(WITHOUT_ADDRESS)?.todo).toMatch(/^Use the MediaGen Polling Trigger/);
		const asked = (await sandbox.requests()).map(({ method, status }) => `${method} ${status}`);
		expect(asked.filter((one) => one === 'POST 403')).toHaveLength(6);
		expect(asked.length).toBeLessThanOrEqual(20);
		expect(await sandbox.jobs()).toEqual([]);
	});

	it('a wrong key: one request, and what to do', async () => {
		const { wrong, open, receipt } = await check(rest, credentials.wrongKey);
		expect(wrong).toEqual(['Key and Base URL', WITHOUT_ADDRESS]);
		expect(open).toHaveLength(8);
		expect(receipt).toMatch(/8 unknown; first to do: Open the credential, enter a valid key/);
		expect(await sandbox.requests()).toHaveLength(1);
	});

	it('a key without any scope, and a workspace without API access: both are told', async () => {
		const apiKey = await sandbox.addKey(keys.full.workspace, []);
		const noScope = await saveCredential(rest, randomUUID(), { apiKey, baseUrl });
		for (const credential of [noScope, credentials.notEntitled]) {
			const { wrong, row, receipt } = await check(rest, credential);
			expect(wrong).toEqual(['Read Scopes', 'Write Scopes', WITHOUT_ADDRESS]);
			expect(row('Key and Base URL')?.ok).toBe(true);
			expect(row('API Access')).toMatchObject({ ok: null });
			expect(receipt).toMatch(/first to do: Check in the app .* subscription/);
		}
	});

	it('a service that cannot be reached: n8n is still looked at', async () => {
		const nowhere = { apiKey: keys.full.key, baseUrl: 'http://localhost:9/v1' };
		const credential = await saveCredential(rest, randomUUID(), nowhere);
		const { row, wrong } = await check(rest, credential);
		expect(wrong).toEqual(['Key and Base URL', WITHOUT_ADDRESS]);
		expect(row('Key and Base URL')?.says).toMatch(/cannot be reached/);
		expect(row('Files')?.ok).toBe(true);
	});
});

it('in a sub-workflow it says the same', async () => {
	const plan = { node: 'mediaGenWorkspace', parameters: CHECK, credential: credentials.full };
	const journey = await travel({ ...plan, way: 'nested', rows: [{ p: 'one' }] });
	const { items } = await journey.ended(await journey.begin());
	expect(items.map(({ json }) => json.ok)).toEqual([
		...Array<boolean>(9).fill(true),
		false,
		true,
		true,
	]);
});

it.each(['Agent 2.2', 'Agent 3.1'] as const)(
	'as a tool of %s it answers with its rows',
	async (caller) => {
		const server = await ModelServer.start();
		try {
			const model = await rest.credentials.create('openAiApi', 'Scripted model', {
				apiKey: 'none',
				url: server.baseUrl,
			});
			const setup = { node: 'mediaGenWorkspace', parameters: CHECK };
			const workflow = agentWorkflow({
				caller,
				scripts: [{ rounds: [[{ about: 'setup', args: {} }]] }],
				parameters: {},
				model,
				mediaGen: credentials.full,
				others: { Setup: setup },
			});
			const { id } = await rest.workflows.create(workflow);
			await rest.executions.wait(await rest.workflows.run(id, triggerName));
			const [call] = server.takeCalls();
			expect(call?.answer).toContain('Write Scopes');
			expect(call?.answer).toContain('Address for Events');
		} finally {
			await server.close();
		}
	},
);
