import { DELIVERIES, type Delivery } from '../../contract';
import { inBody, type Field } from '../operation';
import { choice } from '../rules';
import { optionList } from './optionList';

/** Specification: CreateGeneration and CreateSpeechGeneration, `delivery`. */
export const delivery: Field = {
	ui: {
		displayName: 'Delivery',
		name: 'delivery',
		type: 'options',
		options: optionList<Delivery>({
			public_url: {
				name: 'Public URL',
				description: 'Anyone who has the link can open it',
			},
			signed_url: {
				name: 'Signed URL',
				description: 'The link expires; reading the job again gives a new one',
			},
		}),
		default: 'public_url' satisfies Delivery,
		description: 'How the links to the outputs work',
	},
	mapping: inBody('delivery', choice(DELIVERIES)),
};
