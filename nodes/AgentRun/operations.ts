import {
	AGENT_PRIORITIES,
	DIRECTION_STRATEGIES,
	ENDPOINTS,
	LIMITS,
	REVIEW_DECISIONS,
	type ReviewDecision,
} from '../../src/api';
import { creationFields, existingRunOutputs } from '../../src/fields/commonFields';
import {
	additionalFields,
	asSetting,
	type Field,
	getManyOperation,
	inBody,
	type Operation,
	optionList,
} from '../../src/fields/operation';
import { ofItemBefore, thisAgentRun, mediaField } from '../../src/fields/locators';
import { choice, flag, jsonObject, media, number, prose } from '../../src/fields/rules';
import {
	maxCreditsOrStop,
	maxCreditsPerDay,
	statusFields,
	waitForCompletion,
} from '../../src/fields/settings';
import { isRecord, type Json } from '../../src/base/types';
import { flagOf } from '../../src/base/values';
import { AGENT_STATUSES, type TerminalStatuses } from '../../src/transport/jobState';
import { checkBudget } from '../../src/creation/approval';

/**
 * The fields with which each of the three steps waits for the run.
 * @param paid options of a step that reserves credits
 */
const waitFields = (terminalStatuses: TerminalStatuses, paid: Field[] = []): Field[] =>
	creationFields([...paid, ...statusFields(terminalStatuses)], {
		...waitForCompletion,
		description:
			'Whether to wait until the run has ended or needs you: its plan is to be approved (status plan_proposed) or its assets are to be reviewed (awaiting_review). Without this option, the node waits. When off, it outputs the run right after the request.',
	});

/** Every step gives the agent run, and must not be carried out twice. */
const STEP = { output: 'job', object: 'agent_run', creates: true } as const;

const directionStrategy: Field = {
	displayName: 'Direction Strategy',
	name: 'directionStrategy',
	type: 'options',
	options: optionList<(typeof DIRECTION_STRATEGIES)[number]>({
		best: { name: 'Best', description: 'Follow the most promising direction' },
		multiple: { name: 'Multiple', description: 'Follow several directions' },
	}),
	default: 'best',
	description: 'How many creative directions the plan follows',
	mapping: inBody('direction_strategy', choice(DIRECTION_STRATEGIES)),
};

const budget: Field = {
	displayName: 'Budget in Credits',
	name: 'maxCredits',
	type: 'number',
	typeOptions: { minValue: LIMITS.agentMaxCredits.min },
	default: 100,
	description: 'The most credits that the production may use',
	mapping: {
		...inBody('max_credits', number({ ...LIMITS.agentMaxCredits, integer: true })),
		guardsMoney: true,
		guardsWith: 'autoApprove',
	},
};

const priority: Field = {
	displayName: 'Priority',
	name: 'priority',
	type: 'options',
	options: optionList<(typeof AGENT_PRIORITIES)[number]>({
		balanced: { name: 'Balanced' },
		cost: { name: 'Cost' },
		quality: { name: 'Quality' },
		speed: { name: 'Speed' },
	}),
	default: 'balanced',
	description: 'What matters most in the choice of models',
	mapping: inBody('priority', choice(AGENT_PRIORITIES)),
};

const sourceImages = mediaField({
	displayName: 'Source Images',
	name: 'sourceImages',
	isMany: true,
	note: `At most ${LIMITS.agentSourceImages.max}`,
	description: 'Pictures that the production starts from',
	as: 'source_images',
	rule: media(LIMITS.agentSourceImages),
});

const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create an agent run',
	description:
		'Plan a production. Planning costs 1 credit, carrying it out costs more; by default retries never pay twice.',
	spec: {
		...STEP,
		endpoint: ENDPOINTS.createAgentRun,
		charges: true,
		// A run takes a slot only once its plan is carried out, which waits for approval otherwise.
		takesSlot: (body) => (isRecord(body) && flagOf(body.auto_approve) ? 'agent' : undefined),
		terminalStatuses: AGENT_STATUSES.any,
	},
	fields: [
		{
			displayName: 'Brief',
			name: 'brief',
			type: 'string',
			typeOptions: { rows: 4 },
			required: true,
			default: '',
			placeholder: 'e.g. A 20-second spot for a bakery that opens at dawn',
			description: 'What to produce, in your own words',
			mapping: inBody('brief', prose({ required: true })),
		},
		{
			displayName: 'Auto Approve',
			name: 'autoApprove',
			type: 'boolean',
			default: false,
			description:
				'Whether to approve the plan at once, so that it is carried out and paid for without asking. Set Budget in Credits as well. If the plan cannot be approved, the node fails, and Approve can go on from there.',
			mapping: inBody('auto_approve', flag()),
		},
		additionalFields([budget, directionStrategy, priority, sourceImages]),
		...waitFields(AGENT_STATUSES.any, [maxCreditsOrStop, maxCreditsPerDay]),
	],
};

const allowBudgetBelowEstimate: Field = {
	displayName: 'Allow Budget Below Estimate',
	name: 'allowBudgetBelowEstimate',
	type: 'boolean',
	default: true,
	description: 'Whether to approve the plan although the budget is below its estimate',
	mapping: asSetting('allowBudgetBelowEstimate', flag()),
};

const approve: Operation = {
	value: 'approve',
	name: 'Approve',
	action: 'Approve an agent run',
	description:
		'Have a proposed plan carried out. Reserves the budget; by default retries never approve twice.',
	spec: {
		...STEP,
		endpoint: ENDPOINTS.approveAgentRun,
		charges: true,
		takesSlot: 'agent',
		terminalStatuses: AGENT_STATUSES.afterApproval,
		check: checkBudget,
	},
	fields: [
		...ofItemBefore(thisAgentRun),
		{
			displayName: 'Budget in Credits',
			name: 'maxCredits',
			type: 'number',
			typeOptions: { minValue: LIMITS.agentMaxCredits.min },
			required: true,
			default: 100,
			description: `The most credits that the production may use, at least ${LIMITS.agentMaxCredits.min}. They are reserved when the plan is approved.`,
			mapping: {
				...inBody(
					'max_credits',
					number({ ...LIMITS.agentMaxCredits, integer: true, required: true }),
				),
				guardsMoney: true,
			},
		},
		{
			displayName: 'Edited Plan',
			name: 'plan',
			type: 'json',
			typeOptions: { rows: 5 },
			// n8n marks an empty field of JSON in red.
			default: '{}',
			hint: 'To change the plan, enter the whole plan, such as {{ $json.plan }} with your changes. Leave this field as it is to approve the plan as it was proposed.',
			description: 'The plan of the run, with your changes',
			// An empty plan is left out of the request: the plan stays as it was proposed.
			mapping: inBody('plan', jsonObject()),
		},
		...waitFields(AGENT_STATUSES.afterApproval, [
			allowBudgetBelowEstimate,
			maxCreditsOrStop,
			maxCreditsPerDay,
		]),
	],
};

const review: Operation = {
	value: 'review',
	name: 'Review',
	action: 'Review an agent run',
	description:
		'Decide what becomes of the assets. Costs nothing further; by default retries never decide twice.',
	spec: {
		...STEP,
		endpoint: ENDPOINTS.reviewAgentRun,
		terminalStatuses: AGENT_STATUSES.afterReview,
	},
	fields: [
		...ofItemBefore(thisAgentRun),
		{
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
			mapping: inBody('decision', choice(REVIEW_DECISIONS, { required: true })),
		},
		...waitFields(AGENT_STATUSES.afterReview),
	],
};

const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get the status, plan and files of an agent run',
	description:
		'Read an agent run with its plan, and download its files if you like. Costs nothing.',
	spec: { endpoint: ENDPOINTS.getAgentRun, output: 'job', object: 'agent_run' },
	fields: [...ofItemBefore(thisAgentRun), ...existingRunOutputs],
};

/** An entry of a list without the lists and objects in it. */
export function plainFields(entry: Json): Json {
	const plain = Object.entries(entry).filter(
		([, value]) => typeof value !== 'object' || value === null,
	);
	return Object.fromEntries(plain);
}

const getAll = getManyOperation('agent runs', ENDPOINTS.listAgentRuns, [], {
	simplify: plainFields,
});

export const operations: Operation[] = [approve, create, get, getAll, review];
