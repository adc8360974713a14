import type { INodeParameters } from 'n8n-workflow';
import { byId, make } from './support/fixtures';
import { listed, rest, runOurs, sandbox } from './support/harness';
import { download, sniff } from './support/media';

const node = 'mediaGenAgentRun';

const creation = (given: Record<string, unknown> = {}) =>
	({ operation: 'create', brief: 'A spot for a bakery', ...given }) as INodeParameters;

const asked = async () => (await sandbox.requests()).filter(({ path }) => path.startsWith('/v1/'));

const approval = (id: string, given: Record<string, unknown> = {}) =>
	({ operation: 'approve', agentRunId: byId(id), maxCredits: 1_000, ...given }) as INodeParameters;

beforeEach(async () => await sandbox.reset());

it('a production runs from brief to plan, over the review gate, to the assembled piece', async () => {
	const planned = await runOurs({ node, parameters: creation() });
	expect(planned.error).toBeUndefined();
	const run = planned.items[0]?.json as {
		id: string;
		status: string;
		plan: Record<string, unknown>;
	};
	expect(run).toMatchObject({ object: 'agent_run', status: 'plan_proposed' });
	const plan = { ...run.plan, title: 'Edited' };
	const approved = await runOurs({
		node,
		items: [{ json: { plan } }],
		parameters: approval(run.id, { plan: '={{ $json.plan }}' }),
	});
	expect(approved.error).toBeUndefined();
	expect(approved.items[0]?.json).toMatchObject({
		id: run.id,
		status: 'awaiting_review',
		plan: { title: 'Edited' },
	});
	const assets = Object.values(approved.items[0]?.binary ?? {});
	expect(assets.map(({ mimeType }) => mimeType)).toEqual([
		'image/png',
		'video/mp4',
		'audio/wav',
		'audio/wav',
	]);
	expect(sniff(await download(rest, assets[1]))).toBe('video/mp4');
	const reviewed = await runOurs({
		node,
		parameters: {
			operation: 'review',
			agentRunId: byId(run.id),
			decision: 'assemble',
			options: { splitOutputs: true },
		},
	});
	expect(reviewed.items).toHaveLength(5);
	expect(reviewed.items[4]?.json).toMatchObject({ status: 'completed', output: { kind: 'video' } });
});

describe('a plan whose automatic approval could not be applied', () => {
	const parameters = creation({ autoApprove: true, additionalFields: { maxCredits: 1 } });

	it('is an error that names the run, and the next try pays for no other plan', async () => {
		const run = await runOurs({ node, parameters });
		expect(run.error?.message).toMatch(
			/^The plan could not be approved automatically: Budget in Credits: The plan needs .* \(job run_\w+\)$/,
		);
		const retried = await rest.executions
			.retry(run.executionId)
			.then(rest.executions.get.bind(rest.executions));
		expect(retried.status).toBe('error');
		expect((await asked()).filter(({ method }) => method === 'POST')).toHaveLength(1);
	});

	it('is a row with On Error: Continue, from which Approve goes on', async () => {
		const items = [{ json: { id: 'row_1', client: 'A bakery' } }];
		const run = await runOurs({ node, parameters, items, onError: 'continueRegularOutput' });
		const [{ json: row = {} } = {}] = run.items;
		expect(row).toMatchObject({
			id: expect.stringMatching(/^run_/) as string,
			client: 'A bakery',
			status: 'failed',
			error: expect.stringContaining('could not be approved automatically') as string,
			estimated_credits: expect.any(Number) as number,
			plan: { steps: expect.any(Array) as unknown[] },
			details: { status: 'plan_proposed' },
		});
		const approved = await runOurs({
			node,
			items: [{ json: row }],
			parameters: {
				operation: 'approve',
				agentRunId: byId('={{ $json.id }}'),
				maxCredits: '={{ $json.estimated_credits }}',
				downloadOutputs: false,
			},
		});
		expect(approved.items[0]?.json).toMatchObject({ id: row.id, status: 'awaiting_review' });
	});
});

it('the list in the editor shows runs by title and status', async () => {
	const id = await make.agentRun();
	expect(await listed(node, 'searchAgentRuns', 'plan_prop')).toMatchObject([
		{ value: id, name: expect.stringContaining('A spot for a bakery') as string },
	]);
});
