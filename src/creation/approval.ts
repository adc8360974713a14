import { textOf } from '../api';
import { fail, ok, type Failed, type Result } from '../base/result';
import { roundedUp } from '../base/texts';
import { isRecord, type Json, type Resource } from '../base/types';
import { flagOf, canonicalJson } from '../base/values';
import { requestResource } from '../transport/client';
import { creditsOf } from '../transport/priceBook';
import { refusalOf } from '../transport/statuses';
import { toleranceOf } from './credits/creditLimits';
import type { Item } from './item';

/**
 * The failure of an agent run that is still a plan, if it was to be approved at once. The run is kept, and
 * the next try of the node goes on with it. Specification: States and transitions, Agent run; Errors 3.
 * @param plan that nobody has approved, as its answer says and not its status (`impliedByStatus`)
 */
export function notApproved({ request }: Item, plan: Resource): Failed | undefined {
	const isAsked = isRecord(request.body) && flagOf(request.body.auto_approve) === true;
	if (!isAsked) return undefined;
	const reason = textOf(plan.auto_approval_error) ?? 'the service gives no reason';
	return fail({ kind: 'notApproved', reason }, plan);
}

/**
 * The steps of a plan. The specification does not show its structure, so they are `steps`, or its only list.
 */
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

/** What is said of an approval that is sent though nobody knows what it will cost. */
const notKnown = (why: string) =>
	ok({ unknown: `Whether Budget in Credits is enough was not checked: ${why}` });

type Estimate = { credits: number } | { unknown: string };

/**
 * What the plan of an approval is estimated to cost. The estimate of the run is that of the plan which the
 * service has proposed. So a plan that the user has edited is judged by the sum of its own steps.
 */
async function estimateFor(item: Item): Promise<Result<Estimate>> {
	const { host, workspace, request, settings } = item;
	const { plan } = isRecord(request.body) ? request.body : {};
	const edited = isRecord(plan) ? plan : undefined;
	const ofSteps = edited && estimateOf(edited);
	if (ofSteps !== undefined) return ok({ credits: ofSteps });
	if (settings.dryRun) return notKnown('a dry run does not read the run');
	const path = request.path.replace(/\/approve$/, '');
	const agentRun = await requestResource(workspace.client, host.channel, { method: 'GET', path });
	if (!agentRun.ok) {
		// The approval is sent all the same: a key may be allowed to approve what it cannot read, and if
		// there is no such run, the service will say so.
		const refusal = refusalOf(agentRun);
		if (refusal !== 'forbidden' && refusal !== 'notFound') return agentRun;
		return notKnown('the run could not be read');
	}
	const { estimated_credits: credits, plan: proposed } = agentRun.value;
	if (edited && canonicalJson(edited) !== canonicalJson(proposed))
		return notKnown('not every step of the edited plan states what it costs');
	if (typeof credits !== 'number') return notKnown('the run states no estimate');
	return ok({ credits });
}

/**
 * Refuses a budget below the estimate: it would be spent, and then the run would fail.
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
