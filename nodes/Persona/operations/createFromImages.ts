import { ENDPOINTS } from '../../../src/contract';
import { keyOptions } from '../../../src/description/fields/keys';
import { inBody, type Operation } from '../../../src/description/operation';
import { media } from '../../../src/description/rules';
import { nameField, sharedField } from './shared';

/** The schema bounds the images at 1 to 5, the guide at 3 to 10 (specification: CreatePersona); the service decides. */
const MOST_IMAGES = 10;

export const createFromImages: Operation = {
	value: 'createFromImages',
	name: 'Create From Images',
	action: 'Create a persona from images',
	description: 'Make a reusable visual identity from pictures of it',
	constants: { source: 'upload' },
	spec: { endpoint: ENDPOINTS.createPersona, output: 'resource', object: 'persona' },
	fields: [
		nameField,
		{
			ui: {
				displayName: 'Reference Images',
				name: 'referenceImages',
				type: 'string',
				typeOptions: { rows: 3 },
				required: true,
				default: '',
				placeholder: 'e.g. https://example.com/front.png or binary:data',
				hint: 'Use 3 to 5 pictures: URLs, one a line, or binary: and the name of a binary field to upload',
				description: 'Pictures of the same person, animal or thing',
			},
			mapping: inBody('reference_images', media({ required: true, max: MOST_IMAGES })),
		},
		sharedField,
		keyOptions,
	],
};
