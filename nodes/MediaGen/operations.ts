import { ENDPOINTS, type GenerationMode, LIMITS } from '../../src/api';
import {
	creationFields,
	creditOptions,
	delivery,
	existingOutputs,
} from '../../src/fields/commonFields';
import {
	audioModelField,
	modelField,
	ofItemBefore,
	personaField,
	thisGeneration,
} from '../../src/fields/locators';
import {
	asSetting,
	collection,
	type Field,
	getManyOperation,
	inBody,
	listFields,
	type Operation,
} from '../../src/fields/operation';
import { dateTime, prose } from '../../src/fields/rules';
import { input, parameters } from './fields';

/**
 * A number with commas, such as `10,000`. No locale is used, because its rules would take a fifth of the time
 * to load all nodes.
 */
const grouped = (number: number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

const AT_MOST = `at most ${grouped(LIMITS.promptLength.max)} characters`;

/** What differs between the three operations of POST /generations. */
interface Generate extends Pick<Operation, 'value' | 'name' | 'action' | 'description'> {
	mode: GenerationMode;
	model: Field;
	prompt: { placeholder: string; description: string };
	options: Field[];
}

/** Specification: CreateGeneration. */
const generate = ({ mode, model, prompt, options, ...names }: Generate): Operation => ({
	...names,
	constants: { mode },
	spec: {
		endpoint: ENDPOINTS.createGeneration,
		output: 'job',
		object: 'generation',
		creates: true,
		charges: true,
		takesSlot: 'media',
	},
	fields: [
		model,
		{
			displayName: 'Prompt',
			name: 'prompt',
			type: 'string',
			typeOptions: { rows: 4 },
			required: true,
			default: '',
			...prompt,
			mapping: inBody('prompt', prose({ required: true, max: LIMITS.promptLength.max })),
		},
		parameters(mode),
		input(mode),
		...creationFields([...options, ...creditOptions]),
	],
});

const generateImage = generate({
	mode: 'image',
	value: 'generateImage',
	name: 'Generate Image',
	action: 'Generate an image',
	description:
		"Make images from a prompt. Costs the model's price; by default retries never pay twice.",
	model: { ...modelField, description: 'The model that makes the image' },
	prompt: {
		placeholder: 'e.g. A lighthouse on a cliff at dawn, oil painting',
		description: `What the image shows, ${AT_MOST}`,
	},
	options: [delivery, personaField],
});

const generateVideo = generate({
	mode: 'video',
	value: 'generateVideo',
	name: 'Generate Video',
	action: 'Generate a video',
	description:
		"Make a video from a prompt or images. Costs the model's price; by default retries never pay twice.",
	model: { ...modelField, description: 'The model that makes the video' },
	prompt: {
		placeholder: 'e.g. The camera circles a lighthouse while waves break on the rocks',
		description: `What happens in the video, ${AT_MOST}`,
	},
	options: [delivery, personaField],
});

const generateAudio = generate({
	mode: 'audio',
	value: 'generateAudio',
	name: 'Generate Audio',
	action: 'Generate audio',
	description:
		"Make music, sounds or speech. Costs the model's price; by default retries never pay twice.",
	model: { ...audioModelField, description: 'The model that makes the music, sound or speech' },
	prompt: {
		placeholder: 'e.g. Calm piano over the sound of waves',
		description: `What to hear, ${AT_MOST}; for speech, the text to speak`,
	},
	options: [delivery],
});

const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get the status and files of a generation',
	description:
		'Read a generation with fresh links, and download its files if you like. Costs nothing.',
	spec: { endpoint: ENDPOINTS.getGeneration, output: 'job', object: 'generation' },
	fields: [...ofItemBefore(thisGeneration), ...existingOutputs],
};

const filters = collection({ displayName: 'Filters', name: 'filters', placeholder: 'Add filter' }, [
	{
		displayName: 'Newer Than',
		name: 'newerThan',
		type: 'dateTime',
		default: '',
		placeholder: 'e.g. 2026-01-31T12:00:00Z',
		description: 'Only those made after this time',
		mapping: asSetting('newerThan', dateTime()),
	},
]);

const getAll: Operation = {
	...getManyOperation('generations', ENDPOINTS.listGenerations, [], { takesLimit: true }),
	description: 'List the generations of the workspace, newest first. Costs nothing.',
	fields: [...listFields, filters],
};

export const operations: Operation[] = [generateImage, generateVideo, generateAudio, get, getAll];
