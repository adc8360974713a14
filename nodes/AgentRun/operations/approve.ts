import { ENDPOINTS, LIMITS } from '../../../src/contract';
import { agentRunLocator } from '../../../src/description/fields/locators';
import { maxCreditsOrStop } from '../../../src/description/fields/cost';
import { inBody, inPath, type Field, type Operation } from '../../../src/description/operation';
import {
	id,
	jsonObject,
	LEFT_OUT,
	located,
	number,
	type Rule,
} from '../../../src/description/rules';
import { fail, type Failed } from '../../../src/transport/base/result';
import { isRecord } from '../../../src/transport/base/types';
import { requestResource } from '../../../src/transport/http/client';
import type { Item } from '../../../src/transport/run/item';
import { AFTER_APPROVAL, waitFields } from './wait';

/**
 * A budget below the estimate of the run would be spent, and the run fail after it. Refused before
 * anything is sent.
 */
async function budgetProblem(item: Item): Promise<Failed | undefined> {
	const { host, workspace, request, settings } = item;
	if (settings.allowBudgetBelowEstimate) return undefined;
	const path = request.path.replace(/\/approve$/, '');
	const run = await requestResource(workspace.client, host.channel, { method: 'GET', path });
	// Whether it can be approved at all, the service says.
	if (!run.ok) return undefined;
	const { estimated_credits: estimate } = run.value;
	const budget = isRecord(request.body) ? Number(request.body.max_credits) : NaN;
	if (typeof estimate !== 'number' || !(budget < estimate)) return undefined;
	return fail({
		kind: 'input',
		field: 'Max Credits',
		problem: `is ${budget}, but the plan is estimated to cost ${estimate} credits, so the run would fail when they are spent`,
		hint: `Enter at least ${estimate}, edit the plan, or turn on Allow Budget Below Estimate`,
	});
}

const allowBudgetBelowEstimate: Field = {
	ui: {
		displayName: 'Allow Budget Below Estimate',
		name: 'allowBudgetBelowEstimate',
		type: 'boolean',
		default: false,
		description: 'Whether to approve the plan although Max Credits is below its estimate',
	},
};

const anyPlan = jsonObject();

/** An empty plan changes nothing: the plan stays as it was proposed. */
const editedPlan: Rule = (value, context) => {
	const ruled = anyPlan(value, context);
	const isBlank = 'value' in ruled && Object.keys(ruled.value ?? {}).length === 0;
	return isBlank ? LEFT_OUT : ruled;
};

export const approve: Operation = {
	value: 'approve',
	name: 'Approve',
	action: 'Approve an agent run',
	description: 'Approve the proposed plan with a budget, so that it is carried out',
	spec: {
		endpoint: ENDPOINTS.approveAgentRun,
		output: 'job',
		object: 'agent_run',
		creates: true,
		charges: true,
		terminalStatuses: AFTER_APPROVAL,
		check: budgetProblem,
	},
	fields: [
		{ ui: agentRunLocator, mapping: inPath('id', located(id())) },
		{
			ui: {
				displayName: 'Max Credits',
				name: 'maxCredits',
				type: 'number',
				typeOptions: { minValue: 1 },
				required: true,
				default: 100,
				description:
					'The budget: the most credits that the production may use, at least 1. They are reserved when the plan is approved.',
			},
			mapping: inBody(
				'max_credits',
				number({ ...LIMITS.agentMaxCredits, integer: true, required: true }),
			),
		},
		{
			ui: {
				displayName: 'Edited Plan',
				name: 'plan',
				type: 'json',
				typeOptions: { rows: 5 },
				// n8n marks an empty one in red.
				default: '{}',
				hint: 'To change the plan, enter the whole plan, such as {{ $json.plan }} with your changes. Left as it is, the plan is approved as it was proposed.',
				description: 'The plan of the run, with your changes',
			},
			mapping: inBody('plan', editedPlan),
		},
		...waitFields(AFTER_APPROVAL, [allowBudgetBelowEstimate, maxCreditsOrStop]),
	],
};
