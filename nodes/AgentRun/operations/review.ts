import { ENDPOINTS, REVIEW_DECISIONS, type ReviewDecision } from '../../../src/contract';
import { optionList } from '../../../src/description/fields/optionList';
import { agentRunLocator } from '../../../src/description/fields/locators';
import { inBody, inPath, type Operation } from '../../../src/description/operation';
import { choice, id, located } from '../../../src/description/rules';
import { AFTER_REVIEW, waitFields } from './wait';

export const review: Operation = {
	value: 'review',
	name: 'Review',
	action: 'Review an agent run',
	description: 'Decide what becomes of the finished assets, which completes the run',
	spec: {
		endpoint: ENDPOINTS.reviewAgentRun,
		output: 'job',
		object: 'agent_run',
		creates: true,
		terminalStatuses: AFTER_REVIEW,
	},
	fields: [
		{ ui: agentRunLocator, mapping: inPath('id', located(id())) },
		{
			ui: {
				displayName: 'Decision',
				name: 'decision',
				type: 'options',
				options: optionList<ReviewDecision>({
					assemble: {
						name: 'Assemble',
						description: 'Put the assets together into the final piece',
					},
					assets_only: { name: 'Assets Only', description: 'Keep the assets as they are' },
				}),
				default: 'assemble',
				description: 'What to do with the assets',
			},
			mapping: inBody('decision', choice(REVIEW_DECISIONS, { required: true })),
		},
		...waitFields(AFTER_REVIEW),
	],
};
