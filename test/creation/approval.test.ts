import { MediaGenAgentRun } from '../../nodes/AgentRun/MediaGenAgentRun.node';
import type { Json } from '../../src/base/types';
import { byId, ended, setUp } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

const RUN = { id: 'run_1', object: 'agent_run' };
const REASON = { auto_approval_error: 'the budget is too small' };

/** The words of services for the status of a run; the specification has none (AgentRun). */
const WORDS = ['plan_proposed', 'drafted', 'awaiting_review', 'queued', 'completed', 'failed', ''];

/** One run of an agent at a service that answers its creation so, and shows it so when it is read. */
function setUpRun(status: number, made: Json, given: Json = {}) {
	const service: { shown: Json } = { shown: { ...RUN, ...made } };
	const t = setUp({
		node: new MediaGenAgentRun(),
		given: {
			operation: 'create',
			brief: 'A spot',
			autoApprove: true,
			additionalFields: { maxCredits: 50 },
			options: { waitForCompletion: false, downloadOutputs: false },
			...given,
		},
		answers: ({ method }) => ({
			status: method === 'POST' ? status : 200,
			headers: {},
			body: method === 'POST' ? { ...RUN, ...made } : service.shown,
		}),
	});
	return { ...t, service };
}

const NOT_APPROVED = /^The plan could not be approved automatically: (.*) \(job run_1\)$/;

const reasonIn = (error: Error | undefined) => NOT_APPROVED.exec(error?.message ?? '')?.[1];

const EVERY_WORD = WORDS.map((status) => ({ status }));

describe.each(EVERY_WORD)('whatever word stands in the answer, such as "$status"', (word) => {
	test.each([
		['201 says that its plan waits', 201, word, 'the service gives no reason'],
		['201 with a reason', 201, { ...word, ...REASON }, REASON.auto_approval_error],
		['202 with a reason', 202, { ...word, ...REASON }, REASON.auto_approval_error],
	])(
		'a run was not approved at once if %s; each try says so until its status has changed',
		async (_, status, made, reason) => {
			const { run, posts, service } = setUpRun(status, made);
			expect(reasonIn((await ended(run())).error)).toBe(reason);
			expect(reasonIn((await ended(run())).error)).toBe(reason);
			// A person has approved it. It may still state why it was not approved at first.
			service.shown = { ...service.shown, status: 'rendering' };
			const { items, error } = await ended(run());
			expect(error?.message).toBeUndefined();
			expect(items).toMatchObject([{ json: { id: 'run_1', status: 'rendering' } }]);
			expect(posts()).toHaveLength(1);
			service.shown = { ...service.shown, status: 'failed' };
			if (word.status !== 'failed') expect((await ended(run())).error?.message).toMatch(/failed/);
		},
	);

	test.each([
		['202 says that it was', 202, word, {}],
		['202 says that it was, with an empty reason', 202, { ...word, auto_approval_error: '' }, {}],
		['nobody has asked for that', 201, word, { autoApprove: false }],
	])('it is no error if %s', async (_, status, made, given) => {
		const { run, posts } = setUpRun(status, made, given);
		// A run may fail after that.
		expect(reasonIn((await ended(run())).error)).toBeUndefined();
		expect(posts()).toHaveLength(1);
	});
});

test('a row of a run that was not approved has the run, so that the next node can approve it', async () => {
	const { run } = setUpRun(201, { status: 'drafted', plan: { steps: [] } });
	const [row] = await run({ continueOnFail: true });
	expect(row?.json).toMatchObject({ id: 'run_1', status: 'failed', plan: { steps: [] } });
});

test('an approval by hand is waited for, though the run still states why it was not approved at first', async () => {
	const approve = { operation: 'approve', agentRunId: byId('run_1'), maxCredits: 50 };
	const options = { allowBudgetBelowEstimate: true, downloadOutputs: false };
	const made = { status: 'queued', ...REASON };
	const { run, service } = setUpRun(202, made, { ...approve, options });
	service.shown = { ...service.shown, status: 'completed' };
	expect(await run()).toMatchObject([{ json: { status: 'completed' } }]);
});
