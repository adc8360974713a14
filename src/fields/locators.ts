import { nameFromId } from '../base/texts';
import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';
import { SPEECH_MODELS, type ListedParameter } from '../api';
import { FIRST_MODEL, FIRST_MODEL_NAME } from '../creation/firstModel';
import { inBody, inPath, type Field } from './operation';
import { choice, id, located, name, type Rule } from './rules';

/** The lists that the editor may ask for, by the name of their search (`src/n8n/pickers`). */
export type SearchName =
	| ListedParameter
	| 'searchAgentRuns'
	| 'searchAllPersonas'
	| 'searchCustomVoices'
	| 'searchGenerations'
	| 'searchModels'
	| 'searchPersonas'
	| 'searchSpeechModels'
	| 'searchVoices'
	| 'searchWebhooks';

const listMode = (search: SearchName): INodePropertyMode => ({
	displayName: 'From List',
	name: 'list',
	type: 'list',
	typeOptions: { searchListMethod: search, searchable: true },
});

/** With the mark that n8n adds at the top level of a node only, not in a collection. */
const NOTHING_CHOSEN = { __rl: true, mode: 'list', value: '' };

interface Named extends Pick<INodeProperties, 'displayName' | 'name' | 'description'> {
	/** Such as `gen_8f3a1c`. */
	example: string;
	search: SearchName;
}

/** Chosen from a list or entered as an ID. */
const locator = ({ example, search, ...ui }: Named): INodeProperties => ({
	...ui,
	type: 'resourceLocator',
	default: NOTHING_CHOSEN,
	modes: [
		listMode(search),
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: `e.g. ${example}` },
	],
});

const PERSONA = '3b241101-e2bb-4255-8caf-4136c566a962';

export const modelField: Field = {
	...locator({
		displayName: 'Model',
		name: 'model',
		search: 'searchModels',
		example: 'studio/image-1',
	}),
	required: true,
	default: {
		__rl: true,
		mode: 'list',
		value: FIRST_MODEL,
		cachedResultName: FIRST_MODEL_NAME,
	},
	// No `loadOptionsDependsOn: ['operation']`: the list follows the operation anyway, and n8n would
	// empty the field in silence.
	mapping: inBody('model', located(name({ required: true }))),
};

/** The first model of the workspace may make music for credits of a text that was to be spoken. */
const chosen = (rule: Rule): Rule => {
	const hint = 'Choose a model: it decides whether the sound is music, an effect or speech';
	return (value, context) =>
		value === FIRST_MODEL ? { problem: 'is not chosen', hint } : rule(value, context);
};

/** Where the model decides what kind of sound is made: nothing is preset. */
export const audioModelField: Field = {
	...locator({
		displayName: 'Model',
		name: 'model',
		search: 'searchModels',
		example: 'studio/music-1',
	}),
	required: true,
	mapping: inBody('model', located(chosen(name({ required: true })))),
};

export const speechModelField: Field = {
	...locator({
		displayName: 'Model',
		name: 'model',
		description: 'The model that speaks',
		search: 'searchSpeechModels',
		example: SPEECH_MODELS[0],
	}),
	required: true,
	default: {
		__rl: true,
		mode: 'list',
		value: SPEECH_MODELS[0],
		cachedResultName: nameFromId(SPEECH_MODELS[0]),
	},
	mapping: inBody('model', located(choice(SPEECH_MODELS, { required: true }))),
};

const VOICE =
	'A preset voice of the chosen model, or a custom one for the model that clones voices';

/** Within the parameters of a generation. */
export const modelVoiceLocator: INodeProperties = {
	...locator({
		displayName: 'Voice',
		name: 'voice',
		description: VOICE,
		search: 'searchVoices',
		example: 'aria',
	}),
	// The whole locator reads as `[object Object]` in the editor, whichever model is chosen.
	typeOptions: { loadOptionsDependsOn: ['model.value'] },
};

/** Within a block of speech. */
export const blockVoiceLocator: INodeProperties = {
	...modelVoiceLocator,
	displayName: 'Voice of This Block',
	description: `${VOICE}. Left empty, it is the one given for the whole speech.`,
};

/** A persona to be used. */
export const personaField: Field = {
	...locator({
		displayName: 'Persona',
		name: 'personaId',
		description: 'A visual identity that the images or videos keep',
		search: 'searchPersonas',
		example: PERSONA,
	}),
	// Any text: `Persona.id`, which the list offers, is no UUID by the specification.
	mapping: inBody('persona_id', located(name())),
};

/** Made or listed and then worked on in one flow: as a rule the item before has its ID. */
const worksOn = (ui: Named): Field => ({
	...locator(ui),
	required: true,
	default: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
	mapping: inPath('id', located(id())),
});

/**
 * The ID of what the item before has made. A tool of an AI agent has no item before it: there the field
 * opens on nothing, to be filled in by the model or by hand.
 */
export function ofItemBefore(field: Field): Field[] {
	const nothing = field.type === 'resourceLocator' ? { ...NOTHING_CHOSEN, mode: 'id' } : '';
	return [
		{ ...field, displayOptions: { show: { '@tool': [false] } } },
		{ ...field, default: nothing, displayOptions: { show: { '@tool': [true] } } },
	];
}

/** What cannot be undone opens on nothing. */
export const toDelete = (field: Field): Field => ({ ...field, default: NOTHING_CHOSEN });

export const thisPersona = worksOn({
	displayName: 'Persona',
	name: 'personaId',
	description: 'The persona to work on',
	search: 'searchAllPersonas',
	example: PERSONA,
});

export const thisGeneration = worksOn({
	displayName: 'Generation',
	name: 'generationId',
	description: 'The generation to get',
	search: 'searchGenerations',
	example: 'gen_8f3a1c',
});

export const thisVoice = worksOn({
	displayName: 'Voice',
	name: 'voiceId',
	description: 'The custom voice to work on',
	search: 'searchCustomVoices',
	example: 'voice_8f3a1c',
});

export const thisAgentRun = worksOn({
	displayName: 'Agent Run',
	name: 'agentRunId',
	description: 'The agent run to work on',
	search: 'searchAgentRuns',
	example: 'run_8f3a1c',
});

export const thisWebhook = worksOn({
	displayName: 'Webhook',
	name: 'webhookId',
	description: 'The webhook to work on',
	search: 'searchWebhooks',
	example: 'wh_8f3a1c',
});

/**
 * A value that the catalogue may list for the chosen model. No dropdown with
 * `allowArbitraryValues`: in n8n 2.41 that takes no text that is not listed, cannot be left to an
 * AI, and asks the service whenever the node is opened.
 */
export const catalogueValue = (search: SearchName, placeholder: string) =>
	({
		type: 'resourceLocator',
		default: NOTHING_CHOSEN,
		placeholder,
		modes: [
			listMode(search),
			{ displayName: 'By Value', name: 'value', type: 'string', placeholder },
		],
	}) satisfies Partial<INodeProperties>;

interface MediaField extends Pick<
	INodeProperties,
	'displayName' | 'name' | 'description' | 'required'
> {
	/** Name in the body; dots lead into objects of it. */
	as: string;
	rule: Rule;
	isMany?: boolean;
	/** Such as `https://example.com/picture.png`. */
	example?: string;
	/** What else to know of it, such as how many it takes. */
	note?: string;
}

/**
 * Media from a binary field of the item, which is then uploaded, or by URL. Plain text works too:
 * one URL a line, an array by expression, `binary:<field>`.
 */
export function mediaField({ as, rule, isMany, example, note, ...ui }: MediaField): Field {
	const more = note === undefined ? '' : `. ${note}`;
	const url = example ?? 'https://example.com/picture.png';
	return {
		...ui,
		type: 'resourceLocator',
		default: { __rl: true, mode: 'binary', value: 'data' },
		modes: [
			{
				// n8n shows no more than nine letters of it.
				displayName: 'Binary',
				name: 'binary',
				type: 'string',
				placeholder: 'e.g. data',
				hint: `The name of the input binary field to upload${isMany ? ', or several with commas between them' : ''}${more}`,
			},
			{
				displayName: 'By URL',
				name: 'url',
				type: 'string',
				placeholder: `e.g. ${url}`,
				hint: `${isMany ? 'One or more https URLs separated by spaces, or an array by expression' : 'An https URL'}${more}`,
			},
		],
		mapping: inBody(as, rule),
	};
}
