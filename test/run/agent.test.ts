import { notApproved, runOfRow } from '../../src/run/agent';
import type { Item } from '../../src/run/item';
import type { Json } from '../../src/base/types';

const itemOf = (body: Json) =>
	({ request: { method: 'POST', path: '/agents/runs', body } }) as Item;

const plan = (more: Json = {}) => ({
	id: 'run_1',
	object: 'agent_run',
	status: 'plan_proposed',
	...more,
});

const REASON = 'the budget is too small';

test.each<[what: string, body: Json, run: Json, reason: string | undefined]>([
	['not asked for', {}, {}, undefined],
	['refused with a reason', { auto_approve: true }, { auto_approval_error: REASON }, REASON],
	['refused without one', { auto_approve: true }, {}, 'the service gives no reason'],
	[
		'refused, under a status of another name',
		{ auto_approve: true },
		{ auto_approval_error: REASON, status: 'proposed' },
		REASON,
	],
	['applied', { auto_approve: true }, { status: 'queued', auto_approval_error: '' }, undefined],
	[
		'approved later',
		{ auto_approve: true },
		{ auto_approval_error: REASON, status: 'awaiting_review' },
		undefined,
	],
])('an automatic approval that was %s', (_what, body, more, reason) => {
	const run = plan(more);
	const failed = notApproved(itemOf(body), run);
	expect(failed?.failure).toEqual(reason && { kind: 'notApproved', reason });
	if (!failed) return;
	expect(failed.job).toBe(run);
	expect(runOfRow(failed)).toMatchObject({ id: 'run_1' });
});
