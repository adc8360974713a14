import { ENDPOINTS, LIMITS } from '../../../src/contract';
import { agentRunLocator } from '../../../src/description/fields/locators';
import { maxCreditsOrStop } from '../../../src/description/fields/cost';
import { inBody, inPath, type Operation } from '../../../src/description/operation';
import {
	id,
	jsonObject,
	LEFT_OUT,
	located,
	number,
	type Rule,
} from '../../../src/description/rules';
import { AFTER_APPROVAL, waitFields } from './wait';

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
		...waitFields(AFTER_APPROVAL, [maxCreditsOrStop]),
	],
};
