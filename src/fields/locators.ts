import { nameFromId } from '../base/texts';
import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';
import { ENDPOINTS, SPEECH_MODELS, type ListedParameter } from '../api';
import { isRecord, type ApiRequest } from '../base/types';
import { inBody, inPath, type Field } from './operation';
import { choice, id, located, name, type Rule } from './rules';

/** The lists that the editor can ask for, by the name of their search (`src/n8n/pickers`). */
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

/** Adds the mark `__rl`, which n8n itself adds only at the top level of a node and not in a collection. */
const NOTHING_CHOSEN = { __rl: true, mode: 'list', value: '' };

interface Named extends Pick<INodeProperties, 'displayName' | 'name' | 'description'> {
	/** An example of an ID, such as `gen_8f3a1c`. */
	example: string;
	search: SearchName;
}

/** A field whose value is chosen from a list or entered as an ID. */
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

/** What the field Model holds until somebody chooses one, and how that is shown. */
export const FIRST_MODEL = 'first';
export const FIRST_MODEL_NAME = 'First Model of the Workspace';

/** Whether nobody has chosen the model of a request. */
export const asksForFirstModel = ({ path, body }: ApiRequest): boolean =>
	path === ENDPOINTS.createGeneration.path && isRecord(body) && body.model === FIRST_MODEL;

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
	// There is no `loadOptionsDependsOn: ['operation']`. The list follows the operation anyway, and n8n would
	// silently empty the field.
	mapping: inBody('model', located(name({ required: true }))),
};

/**
 * A rule that refuses the preset *First Model of the Workspace*: that might be a model for music, which would
 * charge for a text that was to be spoken.
 */
const chosen = (rule: Rule): Rule => {
	const hint = 'Choose a model: it decides whether the sound is music, an effect or speech';
	return (value, context) =>
		value === FIRST_MODEL ? { problem: 'is not chosen', hint } : rule(value, context);
};

/** Nothing is preset, because the model decides which kind of sound is made. */
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

const VOICE = 'A preset voice of the model, or a custom one for the model that clones voices';

/** A voice in the parameters of a generation. */
export const modelVoiceLocator: INodeProperties = {
	...locator({
		displayName: 'Voice',
		name: 'voice',
		description: VOICE,
		search: 'searchVoices',
		example: 'aria',
	}),
	// The whole locator would be shown as `[object Object]`, whichever model is chosen.
	typeOptions: { loadOptionsDependsOn: ['model.value'] },
};

/** A voice of a block of speech. */
export const blockVoiceLocator: INodeProperties = {
	...modelVoiceLocator,
	displayName: 'Voice of This Block',
	description: `${VOICE}. If empty, the block has the voice of the whole speech.`,
};

/** A persona that a request uses. */
export const personaField: Field = {
	...locator({
		displayName: 'Persona',
		name: 'personaId',
		description: 'A visual identity that the images or videos keep',
		search: 'searchPersonas',
		example: PERSONA,
	}),
	// Any text is accepted, because the specification does not say that `Persona.id`, which the list shows,
	// is a UUID.
	mapping: inBody('persona_id', located(name())),
};

/**
 * An ID that is preset: most flows make or list something and then work on it, so the previous item has the
 * ID.
 */
const worksOn = (ui: Named): Field => ({
	...locator(ui),
	required: true,
	default: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
	mapping: inPath('id', located(id())),
});

/**
 * The ID of what the previous item has made. A tool of an AI agent has no previous item, so its field is
 * empty at first, and the agent or a person fills it in.
 */
export function ofItemBefore(field: Field): Field[] {
	const nothing = field.type === 'resourceLocator' ? { ...NOTHING_CHOSEN, mode: 'id' } : '';
	return [
		{ ...field, displayOptions: { show: { '@tool': [false] } } },
		{ ...field, default: nothing, displayOptions: { show: { '@tool': [true] } } },
	];
}

/** The ID for an operation that cannot be undone. It is empty at first. */
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
 * A value that the catalogue may list for the chosen model. It is no dropdown with `allowArbitraryValues`: in
 * n8n 2.41 such a dropdown accepts no text that is not listed, cannot be left to an AI, and asks the service
 * whenever the node is opened.
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
	/** The name in the body. Dots lead into objects. */
	as: string;
	rule: Rule;
	isMany?: boolean;
	/** An example of an address, such as `https://example.com/picture.png`. */
	example?: string;
	/** A further hint, such as how many media the field takes. */
	note?: string;
}

/**
 * Media by URL, or from a binary field of the item, whose file is then uploaded. Plain text works too: one
 * URL per line, an array by expression, or `binary:<field>`.
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
				// n8n shows at most nine letters of the name of a mode.
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
