import type { INode } from 'n8n-workflow';
import { withCredential } from '../../lab/demo/examples';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { itemsIn, saveExample } from './support/examples';
import { credentials, keys, n8nUrl, rest, sandbox } from './support/harness';
import { until } from './support/until';

const PATH = 'mediagen-example-13';
const PROMPTS = ['A hill', '[fail] A lake'];

const nodeOf = (name: string, type: string, typeVersion: number, parameters: object): INode => ({
	id: name,
	name,
	type,
	typeVersion,
	position: [0, 0],
	parameters: parameters as INode['parameters'],
});

const leadsTo = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });

/** Two pictures, of which one fails; n8n starts error workflows only for what nobody runs by hand. */
async function saveFailing(errorWorkflow: string): Promise<SavedWorkflow> {
	const prompts = { id: 'p', name: 'prompt', type: 'array', value: JSON.stringify(PROMPTS) };
	const workflow = {
		name: 'Two Pictures',
		nodes: [
			{ ...nodeOf('Call', 'n8n-nodes-base.webhook', 2, { path: PATH }), webhookId: PATH },
			nodeOf('Prompts', 'n8n-nodes-base.set', 3.4, { assignments: { assignments: [prompts] } }),
			nodeOf('Rows', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'prompt' }),
			nodeOf('Generate', 'n8n-nodes-mediagen.mediaGen', 1, {
				operation: 'generateImage',
				model: { __rl: true, mode: 'list', value: 'studio/image-1' },
				prompt: '={{ $json.prompt }}',
			}),
		],
		connections: {
			Call: leadsTo('Prompts'),
			Prompts: leadsTo('Rows'),
			Rows: leadsTo('Generate'),
		},
		settings: { errorWorkflow },
	};
	return await rest.workflows.create(withCredential(workflow, credentials.full));
}

it('13: one message with the reason, whether to try it again, the jobs, the credits and the link', async () => {
	await sandbox.reset();
	const messenger = await saveExample('13');
	await rest.workflows.publish(messenger);
	const failing = await saveFailing(messenger.id);
	await rest.workflows.publish(failing);
	try {
		await fetch(`${n8nUrl}/webhook/${PATH}`);
		await until(async () => (await rest.executions.list(messenger.id)).length > 0);
		const [started] = await rest.executions.list(messenger.id);
		const messages = itemsIn(await rest.executions.wait(started?.id ?? ''))('Send Message');
		const [failed] = await rest.executions.list(failing.id);
		const { lines, balance } = await sandbox.ledger(keys.full.workspace);
		const jobs = lines
			.filter(({ movement }) => movement === 'reserve')
			.map(({ resource }) => resource);
		expect(messages).toHaveLength(1);
		expect(messages[0]?.json).toMatchObject({
			jobs: expect.arrayContaining(jobs) as string[],
			credits: 'not known',
			try_again: 'never',
			credits_left: String(balance.available),
			execution: expect.stringMatching(
				`/workflow/${failing.id}/executions/${failed?.id}$`,
			) as string,
		});
		const text = String(messages[0]?.json.text);
		expect(text).toMatch(/^Two Pictures failed at "Generate": The job failed: /);
		for (const id of jobs) expect(text).toContain(id);
		expect(text).toContain('As it is the item can never work: change it before you try again.');
		expect(await rest.executions.list(messenger.id)).toHaveLength(1);
	} finally {
		await rest.workflows.unpublish(failing.id);
		await rest.workflows.unpublish(messenger.id);
	}
});
