import { DELIVERIES } from '../../contract';
import { inBody, type Field } from '../operation';
import { choice } from '../rules';

/** Specification: CreateGeneration and CreateSpeechGeneration, `delivery`. */
export const delivery: Field = {
	ui: {
		displayName: 'Delivery',
		name: 'delivery',
		type: 'options',
		options: [
			{
				name: 'Public URL',
				value: 'public_url',
				description: 'Anyone who has the link can open it',
			},
			{
				name: 'Signed URL',
				value: 'signed_url',
				description: 'The link expires; getting the job again gives a fresh one',
			},
		],
		default: 'public_url',
		description: 'How the links to the outputs work',
	},
	mapping: inBody('delivery', choice(DELIVERIES)),
};
