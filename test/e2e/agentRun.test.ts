import type { INodeParameters } from 'n8n-workflow';
import { byId, call, make, until } from './support/fixtures';
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

it('an edited plan is sent with every key, whatever it is called', async () => {
	const id = await make.agentRun();
	const text =
		'{"title":"Edited","constructor":{"name":"a"},"prototype":[1],"steps":{"constructor":2}}';
	await runOurs({ node, parameters: approval(id, { plan: text }) });
	const approve = (await asked()).find(({ path }) => path.endsWith('/approve'));
	expect(JSON.stringify((approve?.body as { plan: unknown }).plan)).toBe(text);
});

it('a plan that is approved at once is waited for until the review gate', async () => {
	const additionalFields = { maxCredits: 1_000 };
	const run = await runOurs({
		node,
		parameters: creation({ autoApprove: true, additionalFields, downloadOutputs: false }),
	});
	expect(run.items[0]?.json).toMatchObject({ status: 'awaiting_review' });
	expect((await asked()).find(({ method }) => method === 'POST')?.status).toBe(202);
});

describe('a plan whose automatic approval could not be applied', () => {
	const parameters = creation({ autoApprove: true, additionalFields: { maxCredits: 1 } });

	it('is an error that names the run, and the next try pays for no other plan', async () => {
		const run = await runOurs({ node, parameters });
		expect(run.error?.message).toMatch(
			/^The plan could not be approved automatically: Max Credits: The plan needs .* \(job run_\w+\)$/,
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

it.each([
	['mediaGenJob', (id: string) => ({ operation: 'get', jobId: id })],
	['mediaGenAgentRun', (id: string) => ({ operation: 'get', agentRunId: byId(id) })],
])(
	'Get of %s says finished of a run that waits for a person, by the same statuses as Wait',
	async (name, of) => {
		const id = await make.agentRun();
		const finished = async (options = {}) =>
			(await runOurs({ node: name, parameters: { ...of(id), options } as INodeParameters }))
				.items[0]?.json.finished;
		expect(await finished()).toBe(true);
		expect(await finished({ waitStatuses: 'completed' })).toBe(false);
		await call('POST', `/agents/runs/${id}/approve`, { max_credits: 1_000 });
		await until(`/agents/runs/${id}`, 'awaiting_review');
		expect(await finished()).toBe(true);
	},
);

it('statuses that a service names otherwise can be entered', async () => {
	await sandbox.settings({ agentStatusNames: { awaiting_review: 'in_review', failed: 'broken' } });
	const options = { waitStatuses: 'in_review, completed', failureStatuses: 'broken' };
	const waited = await runOurs({
		node,
		parameters: approval(await make.agentRun(), { downloadOutputs: false, options }),
	});
	expect(waited.items[0]?.json).toMatchObject({ status: 'in_review' });
	const { id } = await call<{ id: string }>('POST', '/agents/runs', { brief: 'A spot [fail]' });
	const failed = await runOurs({ node, parameters: approval(id, { options }) });
	expect(failed.error?.message).toMatch(new RegExp(`^The job failed: .*\\(job ${id}\\)$`));
});

it('Get Many leaves out plans and outputs with Simplify, and gives all without', async () => {
	const id = await make.agentRun();
	const simple = await runOurs({ node, parameters: { operation: 'getAll' } });
	expect(simple.items.map(({ json }) => json.id)).toEqual([id]);
	expect(Object.keys(simple.items[0]?.json ?? {})).not.toContain('plan');
	const raw = await runOurs({ node, parameters: { operation: 'getAll', simplify: false } });
	expect(raw.items[0]?.json).toMatchObject({ id, plan: { steps: expect.any(Array) as unknown[] } });
});

it('Get gives the files of a run that has them', async () => {
	const id = await make.agentRun();
	await call('POST', `/agents/runs/${id}/approve`, { max_credits: 1_000 });
	await until(`/agents/runs/${id}`, 'awaiting_review');
	const run = await runOurs({
		node,
		parameters: { operation: 'get', agentRunId: byId(id), downloadOutputs: true },
	});
	expect(Object.keys(run.items[0]?.binary ?? {})).toHaveLength(4);
});

it('the list in the editor shows runs by title and status', async () => {
	const id = await make.agentRun();
	expect(await listed(node, 'searchAgentRuns', 'plan_prop')).toMatchObject([
		{ value: id, name: expect.stringContaining('A spot for a bakery') as string },
	]);
});

it.each<[string, INodeParameters, RegExp]>([
	['an empty brief', creation({ brief: '={{ " " }}' }), /^Brief is empty/],
	[
		'13 source images',
		creation({ additionalFields: { sourceImages: Array(13).fill('https://example.com/a.png') } }),
		/^Source Images takes at most 12 items, got 13/,
	],
	[
		'a budget of 0',
		approval('run_1', { maxCredits: 0 }),
		/^Max Credits must be a whole number of at least 1, got 0/,
	],
	['no budget', approval('run_1', { maxCredits: '={{ null }}' }), /^Budget in Credits is empty/],
	[
		'a plan that is a list',
		approval('run_1', { plan: '[1]' }),
		/^Edited Plan must be a JSON object/,
	],
	[
		'a plan that is not JSON',
		approval('run_1', { plan: '{oops' }),
		/^Edited Plan must be a JSON object/,
	],
	[
		'an unknown decision',
		{ operation: 'review', agentRunId: byId('run_1'), decision: '={{ "maybe" }}' },
		/^Decision must be one of assemble, assets_only, got "maybe"/,
	],
	[
		'an id with a slash',
		{ operation: 'get', agentRunId: byId('a/b') },
		/^Agent Run is not a valid ID/,
	],
])('%s is refused before anything is sent', async (_, parameters, message) => {
	const run = await runOurs({ node, parameters });
	expect(run.error?.message).toMatch(message);
	expect(await asked()).toEqual([]);
});
