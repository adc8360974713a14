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

	it('asks again for whatever is refused, with what was wrong, and goes on from there', async () => {
		const form = await FormPages.submit(`${n8nUrl}/form/mediagen-example-brief`, ' ');
		await form.shows('That did not work: Brief is empty');
		await form.next('A film about a lighthouse');
		await form.shows('Estimated:');
		const page = await form.page();
		expect(page).toMatch(/1\. image: Key visual: A film about a lighthouse \(\d+ credits\)/);
		expect(page).not.toMatch(/("|&quot;)steps/);
		const estimate = Number(/Estimated: (\d+) credits/.exec(page)?.[1]);
		expect(page).toMatch(new RegExp(`value=.${estimate}.`));
		await form.next('Yes', '1');
		await form.shows(
			`That did not work: Budget in Credits is 1, but the plan is estimated to cost ${estimate}`,
		);
		await form.next('Yes', '0.5');
		await form.shows('That did not work: Budget in Credits must be a whole number');
		await form.next('Yes', '1000000000');
		await form.shows('That did not work: Not enough credits');
		await form.next('Yes', String(estimate));
		await form.shows('Spent so far');
		await form.next('assemble');
		await form.shows('Your production is ready');
		await form.close();
		expect((await ended()).status).toBe('success');
		expect(await bodiesOf('createAgentRun')).toHaveLength(1);
	});

	it('asks for another brief when the production has failed', async () => {
		const form = await FormPages.submit(`${n8nUrl}/form/mediagen-example-brief`, 'A film [fail]');
		await form.shows('Estimated:');
		await form.next('Yes', '1000');
		await form.shows('That did not work: The job failed');
		await form.next('A film about a lighthouse');
		await form.shows('Estimated:');
		await form.next('No', '1');
		await form.shows('Nothing was produced');
		await form.close();
		expect((await ended()).status).toBe('success');
	});
});
