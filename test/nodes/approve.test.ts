import type { IDataObject, IHttpRequestOptions, NodeApiError } from 'n8n-workflow';
import { MediaGenAgentRun } from '../../nodes/AgentRun/MediaGenAgentRun.node';
import { execute } from '../support/engine';
import { nodeRun } from '../support/nodeContext';

const { description } = new MediaGenAgentRun();

/** Approves a plan that is estimated to cost 40 credits; the run answers so from then on. */
async function approve(
	given: IDataObject,
	approved: IDataObject = { status: 'completed' },
	readStatus = 200,
) {
	const asked: Array<[method: unknown, path: unknown]> = [];
	const run = { id: 'run_1', object: 'agent_run', status: 'plan_proposed', estimated_credits: 40 };
	const request = async ({ method, url }: IHttpRequestOptions) => {
		asked.push([method, url]);
		const body = method === 'POST' ? { ...run, ...approved } : run;
		return { statusCode: method === 'POST' ? 200 : readStatus, headers: {}, body };
	};
	const parameters = {
		operation: 'approve',
		agentRunId: 'run_1',
		downloadOutputs: false,
		...given,
	};
	const made = execute(description, nodeRun({ request }), () => parameters);
	const error = await made.then(
		() => undefined,
		(thrown: NodeApiError) => thrown,
	);
	return { error, posts: asked.filter(([method]) => method === 'POST') };
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

test.each([
	['as large as the estimate', { maxCredits: 40 }],
	[
		'below it, where the user allows that',
		{ maxCredits: 1, options: { allowBudgetBelowEstimate: true } },
	],
])('a budget %s is sent', async (_, given) => {
	const { error, posts } = await approve(given);
	expect(error).toBeUndefined();
	expect(posts).toEqual([['POST', '/agents/runs/run_1/approve']]);
});

test.each([
	[418, 0],
	[403, 1],
	[404, 1],
])('where its estimate is answered with %i, %i approvals are sent', async (status, sent) => {
	const { posts } = await approve({ maxCredits: 1 }, undefined, status);
	expect(posts).toHaveLength(sent);
});

test('a run that fails once it is approved is to be created anew: it cannot be approved again', async () => {
	const { error } = await approve({ maxCredits: 40 }, { status: 'failed' });
	expect(error?.message).toMatch(/^The job failed/);
	expect(error?.description).toMatch(/It cannot be done again: create a new run/);
	expect(error?.description).not.toMatch(/creates a new job/);
});

test('with a key that is refused, plans are read five at a time and none once the first was refused', async () => {
	let reads = 0;
	let posts = 0;
	const request = async ({ method }: IHttpRequestOptions) => {
		if (method === 'GET') reads += 1;
		else posts += 1;
		await Promise.resolve();
		return {
			statusCode: 401,
			headers: {},
			body: { error: { type: 'unauthorized', message: 'No' } },
		};
	};
	const items = Array.from({ length: 40 }, () => ({ json: {} }));
	const parameters = { operation: 'approve', agentRunId: 'run_1', maxCredits: 40 };
	const made = execute(description, nodeRun({ request, items }), () => parameters);
	await expect(made).rejects.toThrow(/API key/);
	expect(posts).toBe(0);
	expect(reads).toBeLessThanOrEqual(5);
});
