import { ENDPOINTS, LIMITS } from '../../src/api';
import {
	keyOptions,
	paidKeyOptions,
	previewOptions,
	previewOfExisting,
} from '../../src/fields/commonFields';
import { ofItemBefore, mediaField, thisPersona, toDelete } from '../../src/fields/locators';
import {
	deleteOperation,
	type Field,
	getManyOperation,
	getOperation,
	inBody,
	type Operation,
	options,
	updateFields,
} from '../../src/fields/operation';
import { flag, media, name, prose } from '../../src/fields/rules';
import { waitForCompletion, waitTimeout, waitUnlessOption } from '../../src/fields/settings';

const nameField: Field = {
	displayName: 'Name',
	name: 'name',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. Mara, the captain',
	description: `The name of the persona, at most ${LIMITS.personaName.max} characters`,
	mapping: inBody('name', name({ ...LIMITS.personaName, required: true })),
};

const sharedField: Field = {
	displayName: 'Shared',
	name: 'shared',
	type: 'boolean',
	default: true,
	description: 'Whether everyone in the workspace may use the persona',
	mapping: inBody('shared', flag()),
};

/**
 * The most pictures. The specification says two things (CreatePersona): its schema allows 1 to 5, its guide 3
 * to 10.
 */
const MAX_IMAGES = 10;

const createFromImages: Operation = {
	value: 'createFromImages',
	name: 'Create From Images',
	action: 'Create a persona from images',
	description:
		'Make a reusable visual identity from pictures. Costs nothing; by default retries never make two.',
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
			// Not `required` here, because n8n would refuse a list that a workflow was saved with. The rule
			// below asks for it.
			isMany: true,
			example: 'https://example.com/front.png',
			note: 'Use 3 to 5 pictures',
			description: 'Pictures of the same person, animal or thing',
			as: 'reference_images',
			rule: media({ required: true, max: MAX_IMAGES }),
		}),
		sharedField,
		options([...keyOptions, ...previewOptions]),
	],
};

const createFromDescription: Operation = {
	value: 'createFromDescription',
	name: 'Create From Description',
	action: 'Create a persona from a description',
	description:
		'Make a reusable visual identity. Its first portrait costs credits; by default retries never pay twice.',
	constants: { source: 'describe' },
	spec: {
		endpoint: ENDPOINTS.createPersona,
		output: 'job',
		object: 'persona',
		creates: true,
		charges: true,
	},
	fields: [
		nameField,
		{
			displayName: 'Description',
			name: 'description',
			type: 'string',
			typeOptions: { rows: 4 },
			required: true,
			default: '',
			placeholder: 'e.g. A captain in her fifties, silver braid, weathered blue coat',
			description: `What the persona looks like, at most ${LIMITS.personaDescription.max} characters`,
			mapping: inBody('description', prose({ ...LIMITS.personaDescription, required: true })),
		},
		sharedField,
		waitUnlessOption,
		options([
			...paidKeyOptions,
			...previewOptions,
			{
				...waitForCompletion,
				description:
					'Whether to wait until the persona is ready to be used. Without this option, the node waits. When off, it outputs the persona while it is still pending.',
			},
			waitTimeout,
		]),
	],
};

const get = getOperation('a persona', ENDPOINTS.getPersona, [
	...ofItemBefore(thisPersona),
	...previewOfExisting,
]);

const getAll = getManyOperation('personas', ENDPOINTS.listPersonas);

const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update a persona',
	description: 'Change the name of a persona, or who may use it. Costs nothing.',
	spec: { endpoint: ENDPOINTS.updatePersona, output: 'resource' },
	fields: [...ofItemBefore(thisPersona), updateFields([nameField, sharedField])],
};

const deletePersona = deleteOperation('a persona', ENDPOINTS.deletePersona, [
	toDelete(thisPersona),
]);

export const operations: Operation[] = [
	createFromDescription,
	createFromImages,
	deletePersona,
	get,
	getAll,
	update,
];
