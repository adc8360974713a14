import type { IDisplayOptions } from 'n8n-workflow';
import { optionList } from '../../../../src/description/fields/optionList';
import type { Field } from '../../../../src/description/operation';
import type { ResumeBy, WaitStyle } from '../../../../src/transport/item/settings';

/** Not offered in a tool: the AI agent waits for its response, so nothing can be parked. */
const NO_TOOL = { '@tool': [true] };

const WHEN_PARKED: IDisplayOptions = {
	show: { waitStyle: ['parked' satisfies WaitStyle] },
	hide: NO_TOOL,
};

const waitStyle: Field = {
	ui: {
		displayName: 'Wait Style',
		name: 'waitStyle',
		type: 'options',
		noDataExpression: true,
		displayOptions: { hide: NO_TOOL },
		default: 'inThisRun',
		description: 'Where the execution is while it waits',
		options: optionList<WaitStyle>({
			inThisRun: {
				name: 'In This Run',
				description: 'In memory: ends with the job, and is lost if n8n restarts meanwhile',
			},
			parked: {
				name: 'Parked',
				description:
					'In the database of n8n: survives restarts and needs no memory. It also ends after Check Again After: the field "finished" of each item then says whether its job has ended, and a loop can wait again.',
			},
		}),
	},
};

const resumeBy: Field = {
	ui: {
		displayName: 'Resume By',
		name: 'resumeBy',
		type: 'options',
		noDataExpression: true,
		displayOptions: WHEN_PARKED,
		default: 'timer',
		description: 'What ends the parking',
		options: optionList<ResumeBy>({
			eventsAndTimer: {
				name: 'Events and Timer',
				description:
					'The signed events of the service as soon as all jobs have ended, otherwise the timer. Needs a public https address of n8n and a key with the scope webhooks:write. One webhook is registered for the execution and removed afterwards.',
			},
			timer: {
				name: 'Timer Only',
				description: 'Only the time set in Check Again After',
			},
		}),
	},
};

const lookAgainAfter: Field = {
	ui: {
		displayName: 'Check Again After (Minutes)',
		name: 'lookAgainAfter',
		type: 'number',
		displayOptions: WHEN_PARKED,
		typeOptions: { minValue: 0.1 },
		default: 10,
		description:
			'The longest time to park. A wait of less than about a minute stays in memory. Shorter times cost more requests.',
	},
};

/** How a wait outlives a restart of n8n. */
export const parkFields: Field[] = [waitStyle, lookAgainAfter, resumeBy];
