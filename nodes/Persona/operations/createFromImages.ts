import { ENDPOINTS } from '../../../src/contract';
import { freeKeyOptions } from '../../../src/description/fields/keys';
import { mediaField } from '../../../src/description/fields/mediaLocator';
import type { Operation } from '../../../src/description/operation';
import { media } from '../../../src/description/rules';
import { nameField, sharedField } from './shared';

/**
 * The schema bounds the images at 1 to 5, the guide at 3 to 10 (specification: CreatePersona); the
 * service decides.
 */
const MAX_IMAGES = 10;

export const createFromImages: Operation = {
	value: 'createFromImages',
	name: 'Create From Images',
	action: 'Create a persona from images',
	description: 'Create a reusable visual identity from pictures of it',
	constants: { source: 'upload' },
	spec: {
		endpoint: ENDPOINTS.createPersona,
		output: 'resource',
		object: 'persona',
		creates: true,
	},
	fields: [
		nameField,
		mediaField({
			displayName: 'Reference Images',
			name: 'referenceImages',
			// Not `required` here, or n8n refuses a list that a workflow was saved with; the rule asks
			// for it.
			isMany: true,
			example: 'https://example.com/front.png',
			note: 'Use 3 to 5 pictures',
			description: 'Pictures of the same person, animal or thing',
			as: 'reference_images',
			rule: media({ required: true, max: MAX_IMAGES }),
		}),
		sharedField,
		freeKeyOptions,
	],
};
