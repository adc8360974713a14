import type { Field } from '../operation';

export const maxCredits: Field = {
	ui: {
		displayName: 'Max Credits per Execution',
		name: 'maxCredits',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'The most credits that one execution may reserve with all of its MediaGen nodes; 0 means no limit. An item whose price would exceed it is not sent: see When Credits Run Out.',
	},
};

/** For operations without *When Credits Run Out*. */
export const maxCreditsOrStop: Field = {
	ui: {
		...maxCredits.ui,
		description:
			'The most credits that one execution may reserve with all of its MediaGen nodes; 0 means no limit. An item whose price would exceed it is not sent, and the execution stops.',
	},
};

export const dryRun: Field = {
	ui: {
		displayName: 'Dry Run',
		name: 'dryRun',
		type: 'boolean',
		default: false,
		description:
			'Whether to output what would be sent, checked and with its price if that is known, instead of sending it. Nothing is created, uploaded or paid for.',
	},
};
