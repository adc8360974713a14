import { ENDPOINTS, LIMITS } from '../../../src/contract';
import { agentRunLocator } from '../../../src/description/fields/locators';
import { inBody, inPath, type Operation } from '../../../src/description/operation';
import { id, jsonObject, located, number } from '../../../src/description/rules';
import { AFTER_APPROVAL, waitFields } from './wait';

export const approve: Operation = {
	value: 'approve',
	name: 'Approve',
	action: 'Approve an agent run',
	description: 'Approve the proposed plan with a budget, so that it is carried out',
	plan: {
		endpoint: ENDPOINTS.approveAgentRun,
		output: 'job',
		object: 'agent_run',
		endings: AFTER_APPROVAL,
	},
	fields: [
		{ ui: agentRunLocator, sent: inPath('id', located(id())) },
		{
			ui: {
				displayName: 'Max Credits',
				name: 'maxCredits',
				type: 'number',
				typeOptions: { minValue: 1 },
				required: true,
				default: 0,
				placeholder: 'e.g. 100',
				description:
					'The budget: the most credits that the production may use, at least 1. They are reserved when the plan is approved.',
			},
			sent: inBody(
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
				default: '',
				placeholder: 'e.g. {{ $json.plan }}',
				description:
					'The plan of the run, with your changes. Leave it empty to approve the plan as it was proposed.',
			},
			sent: inBody('plan', jsonObject()),
		},
		...waitFields(AFTER_APPROVAL),
	],
};
