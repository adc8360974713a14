import { fail, ok, type Failed, type Result } from '../base/result';
import { flagOf, inOrder } from '../base/values';
import { isRecord, type Json, type Resource } from '../base/types';
import { textOf } from '../api';
import { requestResource } from '../transport/client';
import { AGENT_STATUS, AGENT_STATUSES, jobState } from '../transport/jobState';
import { creditsOf, roundedUp } from '../transport/priceBook';
import { refusalOf } from '../transport/statuses';
import type { Item } from './item';
import { toleranceOf } from './limit';

/**
 * Why a run that was to be approved at once is none that was asked for: its plan waits for approval.
 * The run is kept, and the next try of the node goes on with it. Specification: States and transitions,
 * Agent run; Errors 3.
 */
export function notApproved({ request }: Item, run: Resource): Failed | undefined {
	const isAsked = isRecord(request.body) && flagOf(request.body.auto_approve) === true;
	if (!isAsked) return undefined;
	const reason = textOf(run.auto_approval_error);
	// One that was approved later goes on, whatever it still says of the first time.
	const hasGoneOn = jobState(run, AGENT_STATUSES.afterApproval) !== 'running';
	const isPlan = reason !== undefined || run.status === AGENT_STATUS.planned;
	if (hasGoneOn || !isPlan) return undefined;
	return fail({ kind: 'notApproved', reason: reason ?? 'the service gives no reason' }, run);
}

/** The steps of a plan, whose structure the specification does not show: `steps`, or its only list. */
function stepsIn(plan: Json): unknown[] {
	if (Array.isArray(plan.steps)) return plan.steps;
	const [list, ...others] = Object.values(plan).filter(Array.isArray);
	return list === undefined || others.length > 0 ? [] : (list as unknown[]);
}

/** What the steps of a plan say that they cost; `undefined` unless each of them says so. */
function estimateOf(plan: Json): number | undefined {
	const steps = stepsIn(plan).map((step) => (isRecord(step) ? creditsOf(step) : undefined));
	if (steps.length === 0 || steps.includes(undefined)) return undefined;
	return steps.reduce<number>((sum, credits = 0) => sum + credits, 0);
}

/** Why it is not known what an approval will cost. */
const notKnown = (why: string) =>
	ok({ unknown: `Whether Budget in Credits is enough was not checked: ${why}` });

type Estimate = { credits: number } | { unknown: string };

/**
 * What the plan of an approval is estimated to cost. An edited one is judged by its own steps: the run knows
 * the estimate of the plan that it has proposed.
 */
async function estimateFor(item: Item): Promise<Result<Estimate>> {
	const { host, workspace, request, settings } = item;
	const { plan } = isRecord(request.body) ? request.body : {};
	const edited = isRecord(plan) ? plan : undefined;
	const ofSteps = edited && estimateOf(edited);
	if (ofSteps !== undefined) return ok({ credits: ofSteps });
	if (settings.dryRun) return notKnown('a dry run does not read the run');
	const path = request.path.replace(/\/approve$/, '');
	const run = await requestResource(workspace.client, host.channel, { method: 'GET', path });
	if (!run.ok) {
		// A key may be allowed to approve what it cannot read, and whether there is such a run, the service
		// says.
		const refusal = refusalOf(run);
		if (refusal !== 'forbidden' && refusal !== 'notFound') return run;
		return notKnown('the run could not be read');
	}
	const { estimated_credits: credits, plan: proposed } = run.value;
	if (edited && inOrder(edited) !== inOrder(proposed))
		return notKnown('not every step of the edited plan states what it costs');
	if (typeof credits !== 'number') return notKnown('the run states no estimate');
	return ok({ credits });
}

/**
 * A budget below the estimate would be spent and the run fail: refused before it is sent.
 * @returns what is said of an approval that was not checked
 */
export async function checkBudget(item: Item): Promise<Result<string | undefined>> {
	const { request, settings } = item;
	if (settings.allowBudgetBelowEstimate) return ok(undefined);
	const estimated = await estimateFor(item);
	if (!estimated.ok) return estimated;
	if ('unknown' in estimated.value) return ok(estimated.value.unknown);
	const { credits } = estimated.value;
	const budget = isRecord(request.body) ? Number(request.body.max_credits) : NaN;
	if (!(budget < credits - toleranceOf(credits))) return ok(undefined);
	const estimate = roundedUp(credits);
	return fail({
		kind: 'input',
		field: 'Budget in Credits',
		problem: `is ${budget}, but the plan is estimated to cost ${estimate} credits, so the run would fail when they are spent`,
		hint: `Enter at least ${Math.ceil(estimate)}, edit the plan, or turn on Allow Budget Below Estimate`,
	});
}
