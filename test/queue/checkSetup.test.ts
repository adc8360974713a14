import { randomUUID } from 'node:crypto';
import type { INode } from 'n8n-workflow';
import { connectedTo, nodeAt } from '../../lab/n8n/canvas';
import type { SetupRow } from '../../nodes/Workspace/setup/finding';
import { until } from '../e2e/support/until';
import { instance } from './support/sharedInstance';

/* What Check Setup says on a worker, which has neither the webhooks of n8n nor a disk that others see. */

const { queue, rest } = instance;

const named = (
	name: string,
	place: number,
	type: string,
	parameters: INode['parameters'],
): INode => ({
	...nodeAt(name, place),
	type,
	typeVersion: 1,
	parameters,
});

test('Check Setup says what is true of all processes, whether the editor or a webhook process starts it', async () => {
	await instance.sandbox.reset();
	const trigger = await instance.ourTrigger({ events: ['generation.completed'] });
	await rest.workflows.publish(trigger);
	const body = { mode: 'image', model: 'studio/image-1', prompt: 'A lighthouse' };
	await instance.api('POST', '/generations', body);
	await until(() => instance.of(trigger).length > 0, 60_000);

	const path = `check-${randomUUID()}`;
	const { id: credential, name } = instance.credential;
	const checked = await rest.workflows.create({
		name: 'Check',
		nodes: [
			named('Start', 0, 'n8n-nodes-base.manualTrigger', {}),
			{
				...named('Call', 1, 'n8n-nodes-base.webhook', { path, httpMethod: 'POST' }),
				webhookId: path,
			},
			{
				...named('Setup', 2, 'n8n-nodes-mediagen.mediaGenWorkspace', { operation: 'checkSetup' }),
				credentials: { mediaGenApi: { id: credential, name } },
			},
		],
		connections: { Start: connectedTo('Setup'), Call: connectedTo('Setup') },
	});
	await rest.workflows.publish(checked);
	try {
		const byHand = await rest.workflows.run(checked.id, 'Start');
		expect((await instance.call(`${instance.front.url}webhook/${path}`)).status).toBe(200);
		const isListed = async () => (await rest.executions.list(checked.id)).length === 2;
		await until(isListed, 60_000);
		const byWebhook = (await rest.executions.list(checked.id)).find(({ id }) => id !== byHand);
		for (const id of [byHand, String(byWebhook?.id)]) {
			const { data } = await rest.executions.wait(id, { timeoutMs: 90_000 });
			expect(queue.workerOf(id)?.name).toMatch(/^worker-/);
			const items = data.resultData.runData.Setup?.at(-1)?.data?.main?.[0] ?? [];
			const rows = items.map(({ json }) => json as unknown as SetupRow);
			const says = Object.fromEntries(rows.map((row) => [row.check, row.says]));
			expect(rows.filter(({ ok }) => ok !== true)).toEqual([]);
			// As the trigger has told it to the service.
			const { origin } = new URL(instance.urlOf(trigger));
			expect(says['Address for Events']).toContain(origin);
			expect(says.Webhooks).toMatch(/^\d+ webhooks?\. .*No event was given up/);
			// Where its other files are, too.
			expect(says.Files).toContain('in the database');
		}
	} finally {
		await rest.workflows.unpublish(trigger.id);
		await rest.workflows.unpublish(checked.id);
	}
});
