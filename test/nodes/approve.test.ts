import type { IDataObject } from 'n8n-workflow';
import { MediaGenAgentRun } from '../../nodes/AgentRun/MediaGenAgentRun.node';
import { errorBody } from '../model/answers';
import { execute } from '../support/engine';
import { called } from '../support/nodeCall';
import { nodeRun } from '../support/nodeContext';

const PLANNED = {
	id: 'run_1',
	object: 'agent_run',
	status: 'plan_proposed',
	estimated_credits: 40,
};

const usual = { operation: 'approve', agentRunId: 'run_1', downloadOutputs: false };

/** Approves a plan that is estimated to cost 40 credits; the run answers so from then on. */
async function approve(given: IDataObject, { approved = 'completed', readStatus = 200 } = {}) {
	const { error, asked } = await called(MediaGenAgentRun, { ...usual, ...given }, ({ method }) =>
		method === 'POST'
			? { statusCode: 200, body: { ...PLANNED, status: approved } }
			: { statusCode: readStatus, body: PLANNED },
	);
	return { error, posts: asked.filter(({ method }) => method === 'POST').map(({ url }) => url) };
}

test('a budget below the estimate is refused before anything is sent, and the estimate is named', async () => {
	const { error, posts } = await approve({ maxCredits: 39 });
	expect(error?.message).toMatch(
		/^Budget in Credits is 39, but the plan is estimated to cost 40 credits/,
	);
	expect(error?.description).toMatch(
		/Enter at least 40.*Nothing was sent, so no credits were spent/,
	);
	expect(posts).toEqual([]);
});

const BELOW = { maxCredits: 1, options: { allowBudgetBelowEstimate: true } };

test.each([
	['as large as the estimate', { maxCredits: 40 }],
	['below it, where the user allows that', BELOW],
])('a budget %s is sent', async (_, given) => {
	const { error, posts } = await approve(given);
	expect(error).toBeUndefined();
	expect(posts).toEqual(['/agents/runs/run_1/approve']);
});

test.each([
	[418, 0],
	[403, 1],
	[404, 1],
])('where its estimate is answered with %i, %i approvals are sent', async (readStatus, sent) => {
	const { posts } = await approve({ maxCredits: 1 }, { readStatus });
	expect(posts).toHaveLength(sent);
});

test('a run that fails once it is approved is to be created anew: it cannot be approved again', async () => {
	const { error } = await approve({ maxCredits: 40 }, { approved: 'failed' });
	expect(error?.message).toMatch(/^The job failed/);
	expect(error?.description).toMatch(/It cannot be done again: create a new run/);
	expect(error?.description).not.toMatch(/creates a new job/);
});

test('with a key that is refused, plans are read five at a time and none once the first was refused', async () => {
	const asked: unknown[] = [];
	const run = nodeRun({
		items: Array.from({ length: 40 }, () => ({ json: {} })),
		request: async ({ method }) => {
			asked.push(method);
			await Promise.resolve();
			return { statusCode: 401, headers: {}, body: errorBody('No') };
		},
	});
	const parameters = { ...usual, maxCredits: 40 };
	const made = execute(new MediaGenAgentRun(), run, () => parameters);
	await expect(made).rejects.toThrow(/API key/);
	expect(asked).not.toContain('POST');
	expect(asked.length).toBeLessThanOrEqual(5);
});
