import { FormPages } from '../../lab/n8n/form';
import type { Execution, SavedWorkflow } from '../../lab/n8n/rest';
import { bodiesOf, itemsIn, saveExample } from './support/examples';
import { n8nUrl, rest, sandbox } from './support/harness';
import { startUnattended } from './support/unattended';

beforeEach(async () => await sandbox.reset());

describe('6: a production by form', () => {
	let workflow: SavedWorkflow;

	beforeEach(async () => {
		workflow = await saveExample('6');
		await rest.workflows.publish(workflow);
	});

	afterEach(async () => await rest.workflows.unpublish(workflow.id));

	const order = async () =>
		await FormPages.submit(`${n8nUrl}/form/mediagen-example-brief`, 'A film about a lighthouse');

	async function ended(): Promise<Execution> {
		const [execution] = await rest.executions.list(workflow.id);
		return await rest.executions.wait(execution?.id ?? '');
	}

	it('is planned, approved with a budget, reviewed and put together, as npm start does it', async () => {
		const { lines, files } = await startUnattended(workflow);
		expect(lines.join('\n')).toMatch(
			/The form gets: [^]*with a budget of 200 credits[^]*put together/,
		);
		const items = itemsIn(await ended());
		expect(items('Finish the Production')[0]?.json).toMatchObject({
			object: 'agent_run',
			status: 'completed',
		});
		expect(Object.keys(items('Finish the Production')[0]?.binary ?? {})).not.toHaveLength(0);
		expect(files).toHaveLength(Object.keys(items('Finish the Production')[0]?.binary ?? {}).length);
		expect(await bodiesOf('approveAgentRun')).toMatchObject([{ max_credits: 200 }]);
		expect(await bodiesOf('reviewAgentRun')).toMatchObject([{ decision: 'assemble' }]);
	});

	it('costs only the plan if it is not approved', async () => {
		const form = await order();
		await form.shows('Estimated:');
		await form.next('No', '1');
		await form.shows('Nothing was produced');
		await form.close();
		await ended();
		expect(await bodiesOf('approveAgentRun')).toEqual([]);
	});
});
