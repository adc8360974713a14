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
	plan: { title: 'A spot', scenes: [{ prompt: 'dawn' }, { prompt: 'dusk' }] },
	estimated_credits: 40,
};

const usual = { operation: 'approve', agentRunId: 'run_1', downloadOutputs: false };

/** Approves a plan that is estimated to cost 40 credits; the run answers so from then on. */
async function approve(given: IDataObject, { approved = 'completed', readStatus = 200 } = {}) {
	const parameters = { ...usual, ...given };
	let run = PLANNED;
	const { error, asked, item } = await called(MediaGenAgentRun, parameters, ({ method }) => {
		if (method === 'POST') run = { ...PLANNED, status: approved };
		else if (readStatus !== 200) return { statusCode: readStatus, body: errorBody('No') };
		return { statusCode: 200, body: run };
	});
	const urlsOf = (wanted: string) =>
		asked.filter(({ method }) => method === wanted).map(({ url }) => url);
	return { error, posts: urlsOf('POST'), reads: urlsOf('GET'), warning: item?.json.warning };
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
	const { posts, warning } = await approve({ maxCredits: 1 }, { readStatus });
	expect(posts).toHaveLength(sent);
	if (sent > 0) expect(warning).toMatch(/was not checked: the run could not be read$/);
});

const stepsOf = (...credits: unknown[]) =>
	credits.map((estimated_credits, index) => ({ id: `s${index}`, estimated_credits }));

const NOT_EVERY_STEP =
	'Whether Budget in Credits is enough was not checked: not every step of the edited plan states what it costs';

describe('an edited plan is judged by its own steps, whatever the run is estimated to cost', () => {
	test.each<[string, object, budget: number, estimate: number]>([
		['cheaper', { steps: stepsOf(7, 10) }, 16, 17],
		['dearer', { steps: stepsOf(40, 20) }, 59, 60],
		['with steps under another name', { scenes: stepsOf(7, 10), title: 'A spot' }, 16, 17],
		['whose steps call it otherwise', { steps: [{ credits: 17, max_credits: 3 }] }, 16, 17],
		['unchanged, whose steps state nothing', PLANNED.plan, 39, 40],
	])('%s', async (_name, plan, tooLittle, estimate) => {
		const given = { plan: JSON.stringify(plan) };
		const refused = await approve({ ...given, maxCredits: tooLittle });
		expect(refused.posts).toEqual([]);
		expect(refused.error?.message).toMatch(
			`Budget in Credits is ${tooLittle}, but the plan is estimated to cost ${estimate} credits`,
		);
		const { posts, warning } = await approve({ ...given, maxCredits: estimate });
		expect([posts.length, warning]).toEqual([1, undefined]);
	});

	test.each<[string, object]>([
		['one of its steps states none', { steps: stepsOf(7, undefined) }],
		['one states a text', { steps: stepsOf(7, '90') }],
		['it has no steps', { steps: [] }],
		['its structure is not known', { scenes: stepsOf(1), music: stepsOf(1) }],
	])('where %s, it says that it does not know, and does not refuse', async (_name, plan) => {
		const given = { plan: JSON.stringify(plan), maxCredits: 1 };
		const { posts, warning } = await approve(given);
		expect([posts.length, warning]).toEqual([1, NOT_EVERY_STEP]);
		const options = { allowBudgetBelowEstimate: true };
		const wanted = await approve({ ...given, options });
		expect([wanted.posts.length, wanted.warning, wanted.reads]).toEqual([1, undefined, []]);
	});

	test('also in a dry run, which reads no run', async () => {
		const options = { dryRun: true };
		const plan = JSON.stringify({ steps: stepsOf(7, 10) });
		const refused = await approve({ plan, maxCredits: 16, options });
		expect(refused.error?.message).toMatch('is estimated to cost 17 credits');
		const fits = await approve({ plan, maxCredits: 17, options });
		expect([fits.error, fits.warning]).toEqual([undefined, undefined]);
		const unread = await approve({ maxCredits: 1, options });
		expect(unread.warning).toMatch(/was not checked: a dry run does not read the run$/);
		const asked = [refused, fits, unread].flatMap(({ posts, reads }) => [...posts, ...reads]);
		expect(asked.filter((url) => url.startsWith('/agents'))).toEqual([]);
	});

	test('without a read that it does not need', async () => {
		const { reads } = await approve({ plan: JSON.stringify({ steps: stepsOf(1) }), maxCredits: 1 });
		expect(reads).toEqual([]);
	});
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
