import { notApproved } from '../../src/creation/approval';
import { agentRunOfRow } from '../../src/n8n/output/failedRows';
import type { Item } from '../../src/creation/item';
import type { Json } from '../../src/base/types';

const itemOf = (body: Json) =>
	({ request: { method: 'POST', path: '/agents/runs', body } }) as Item;

const AUTO = { auto_approve: true };
const auto_approval_error = 'the budget is too small';

test.each<[what: string, body: Json, run: Json, reason: string | undefined]>([
	['not asked for', {}, {}, undefined],
	['refused with a reason', AUTO, { auto_approval_error }, auto_approval_error],
	['refused without one', AUTO, {}, 'the service gives no reason'],
	[
		'refused, under a status of another name',
		AUTO,
		{ auto_approval_error, status: 'proposed' },
		auto_approval_error,
	],
	['applied', AUTO, { status: 'queued', auto_approval_error: '' }, undefined],
	['approved later', AUTO, { auto_approval_error, status: 'awaiting_review' }, undefined],
])('an automatic approval that was %s', (_what, body, more, reason) => {
	const run = { id: 'run_1', object: 'agent_run', status: 'plan_proposed', ...more };
	const failed = notApproved(itemOf(body), run);
	expect(failed?.failure).toEqual(reason && { kind: 'notApproved', reason });
	if (!failed) return;
	expect(failed.job).toBe(run);
	expect(agentRunOfRow(failed)).toMatchObject({ id: 'run_1' });
});
