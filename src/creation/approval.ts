import { fail, type Failed } from '../base/result';
import { flagOf } from '../base/values';
import { isRecord, type Resource } from '../base/types';
import { textOf } from '../api';
import { AGENT_STATUS, AGENT_STATUSES, jobState } from '../transport/jobState';
import type { Item } from './item';

/**
 * Why a run that was to be approved at once is none that was asked for: its plan waits for approval.
 * The run is kept, and the next try of the node goes on with it. Specification: States and transitions,
 * Agent run; Errors 3.
 */
export function notApproved({ request }: Item, run: Resource): Failed | undefined {
	const isAsked = isRecord(request.body) && flagOf(request.body.auto_approve) === true;
	if (!isAsked || run.object !== 'agent_run') return undefined;
	const reason = textOf(run.auto_approval_error);
	// One that was approved later goes on, whatever it still says of the first time.
	const hasGoneOn = jobState(run, AGENT_STATUSES.afterApproval) !== 'running';
	const isPlan = reason !== undefined || run.status === AGENT_STATUS.planned;
	if (hasGoneOn || !isPlan) return undefined;
	return fail({ kind: 'notApproved', reason: reason ?? 'the service gives no reason' }, run);
}
