import { ENDPOINTS } from '../../../../src/contract';
import { inBody, type Field } from '../../../../src/description/operation';
import { text, type Rule } from '../../../../src/description/rules';
import type { OperationSpec } from '../../../../src/transport/run/item';

/**
 * Both ways of creating a voice. It may take long. Specification: Operation details,
 * Idempotency-Key.
 */
export const CREATION: OperationSpec = {
	endpoint: ENDPOINTS.createVoice,
	output: 'resource',
	object: 'voice',
	creates: true,
	charges: true,
	responseTimeoutMs: 300_000,
};

/** @param max most characters, where the specification shows a limit */
export const nameField = ({ max }: { max?: number } = {}): Field => ({
	ui: {
		displayName: 'Name',
		name: 'name',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. Narrator',
		description: `The name of the voice${max === undefined ? '' : `, at most ${max} characters`}`,
	},
	mapping: inBody('name', text({ required: true, max })),
});

export const previewText = (rule: Rule, limit?: string): Field => ({
	ui: {
		displayName: 'Preview Text',
		name: 'previewText',
		type: 'string',
		typeOptions: { rows: 2 },
		default: '',
		placeholder: 'e.g. This is how I sound.',
		description: `What the voice says in its preview${limit === undefined ? '' : `, ${limit}`}`,
	},
	mapping: inBody('preview_text', rule),
});
