import {
	AGENT_PRIORITIES,
	DIRECTION_STRATEGIES,
	ENDPOINTS,
	LIMITS,
	type AgentPriority,
	type DirectionStrategy,
} from '../../../src/contract';
import { mediaField } from '../../../src/description/fields/mediaLocator';
import { optionList } from '../../../src/description/fields/optionList';
import { additionalFields } from '../../../src/description/fields/options';
import { maxCreditsOrStop } from '../../../src/description/fields/cost';
import { inBody, type Field, type Operation } from '../../../src/description/operation';
import { choice, flag, media, number, text } from '../../../src/description/rules';
import { AFTER_CREATION, waitFields } from './wait';

const directionStrategy: Field = {
	ui: {
		displayName: 'Direction Strategy',
		name: 'directionStrategy',
		type: 'options',
		options: optionList<DirectionStrategy>({
			best: { name: 'Best', description: 'Follow the most promising direction' },
			multiple: { name: 'Multiple', description: 'Follow several directions' },
		}),
		default: 'best',
		description: 'How many creative directions the plan follows',
	},
	mapping: inBody('direction_strategy', choice(DIRECTION_STRATEGIES)),
};

const maxCredits: Field = {
	ui: {
		displayName: 'Max Credits',
		name: 'maxCredits',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 100,
		description: 'The most credits that the production may use',
	},
	mapping: inBody('max_credits', number({ ...LIMITS.agentMaxCredits, integer: true })),
};

const priority: Field = {
	ui: {
		displayName: 'Priority',
		name: 'priority',
		type: 'options',
		options: optionList<AgentPriority>({
			balanced: { name: 'Balanced' },
			cost: { name: 'Cost' },
			quality: { name: 'Quality' },
			speed: { name: 'Speed' },
		}),
		default: 'balanced',
		description: 'What matters most in the choice of models',
	},
	mapping: inBody('priority', choice(AGENT_PRIORITIES)),
};

const sourceImages = mediaField({
	displayName: 'Source Images',
	name: 'sourceImages',
	isMany: true,
	note: 'At most 12',
	description: 'Pictures that the production starts from',
	as: 'source_images',
	rule: media(LIMITS.agentSourceImages),
});

export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create an agent run',
	description: 'Plan a production from a brief, and carry it out if it is approved at once',
	spec: {
		endpoint: ENDPOINTS.createAgentRun,
		output: 'job',
		object: 'agent_run',
		creates: true,
		charges: true,
		terminalStatuses: AFTER_CREATION,
	},
	fields: [
		{
			ui: {
				displayName: 'Brief',
				name: 'brief',
				type: 'string',
				typeOptions: { rows: 4 },
				required: true,
				default: '',
				placeholder: 'e.g. A 20-second spot for a bakery that opens at dawn',
				description: 'What to produce, in your own words',
			},
			mapping: inBody('brief', text({ required: true })),
		},
		{
			ui: {
				displayName: 'Auto Approve',
				name: 'autoApprove',
				type: 'boolean',
				default: false,
				description:
					'Whether to approve the plan at once, so that it is carried out and paid for without asking. Set Max Credits as well.',
			},
			mapping: inBody('auto_approve', flag()),
		},
		additionalFields([directionStrategy, maxCredits, priority, sourceImages]),
		...waitFields(AFTER_CREATION, [maxCreditsOrStop]),
	],
};
