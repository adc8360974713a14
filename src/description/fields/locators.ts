import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';
import { oneValueInBody, type Field } from '../operation';
import type { Rule } from '../rules';
import { SPEECH_MODELS } from '../../contract';
import { nameFromId } from '../search/choices';
import type { ModelValueSearch } from '../search/models';

const LIST_AND_ID = { type: 'resourceLocator', default: { mode: 'list', value: '' } } as const;

function listMode(search: string): INodePropertyMode {
	return {
		displayName: 'From List',
		name: 'list',
		type: 'list',
		typeOptions: { searchListMethod: search, searchable: true },
	};
}

function idMode(placeholder: string): INodePropertyMode {
	return { displayName: 'By ID', name: 'id', type: 'string', placeholder };
}

/** The models of the mode that the operation makes. */
export const modelLocator: INodeProperties = {
	...LIST_AND_ID,
	displayName: 'Model',
	name: 'model',
	required: true,
	description: 'The model that generates the media',
	modes: [listMode('searchModels'), idMode('e.g. studio/image-1')],
	typeOptions: { loadOptionsDependsOn: ['operation'] },
};

export const generationLocator: INodeProperties = {
	...LIST_AND_ID,
	displayName: 'Generation',
	name: 'generationId',
	required: true,
	description: 'The generation to get',
	modes: [listMode('searchGenerations'), idMode('e.g. gen_8f3a1c')],
};

export const personaLocator: INodeProperties = {
	...LIST_AND_ID,
	displayName: 'Persona',
	name: 'personaId',
	description: 'A visual identity that the images or videos keep',
	modes: [listMode('searchPersonas'), idMode('e.g. 3b241101-e2bb-4255-8caf-4136c566a962')],
};

/** A persona to work on. */
export const personaIdLocator: INodeProperties = {
	...personaLocator,
	required: true,
	description: 'The persona to work on',
	modes: [listMode('searchAllPersonas'), idMode('e.g. 3b241101-e2bb-4255-8caf-4136c566a962')],
};

export const speechModelLocator: INodeProperties = {
	...LIST_AND_ID,
	displayName: 'Model',
	name: 'model',
	required: true,
	description: 'The model that speaks',
	default: {
		mode: 'list',
		value: SPEECH_MODELS[0],
		cachedResultName: nameFromId(SPEECH_MODELS[0]),
	},
	modes: [listMode('searchSpeechModels'), idMode('e.g. service/speech-lite')],
};

/** Within a block of speech. */
export const blockVoiceLocator: INodeProperties = {
	...LIST_AND_ID,
	displayName: 'Voice of This Block',
	name: 'voice',
	description:
		'A preset voice of the chosen model, or a custom one for the model that clones voices. Left empty, it is the one given for the whole speech.',
	modes: [listMode('searchVoices'), idMode('e.g. aria')],
	// The whole locator reads as `[object Object]` in the editor, whichever model is chosen.
	typeOptions: { loadOptionsDependsOn: ['model.value'] },
};

/** Within the parameters of a generation. */
export const modelVoiceLocator: INodeProperties = {
	...blockVoiceLocator,
	displayName: 'Voice',
	description:
		'A preset voice of the chosen model, or a custom one for the model that clones voices',
	modes: [listMode('searchVoices'), idMode('e.g. aria')],
};

/**
 * A value that the catalogue may list for the chosen model. Both were tried in the editor of n8n
 * 2.41. A dropdown with `allowArbitraryValues` takes no text that is not listed ("No matching
 * data"), cannot be left to an AI, and asks the service whenever the node is opened. A locator
 * takes what is typed, can be left to an AI, asks when its list is opened, and shows and sends the
 * plain text that workflows had before.
 */
export const modelValueLocator = (
	ui: Pick<INodeProperties, 'displayName' | 'name' | 'description' | 'placeholder'>,
	search: ModelValueSearch,
): INodeProperties => ({
	...LIST_AND_ID,
	...ui,
	modes: [
		listMode(search),
		{ displayName: 'By Value', name: 'value', type: 'string', placeholder: ui.placeholder },
	],
});

export const voiceLocator: INodeProperties = {
	...LIST_AND_ID,
	displayName: 'Voice',
	name: 'voiceId',
	required: true,
	description: 'The custom voice to work on',
	modes: [listMode('searchCustomVoices'), idMode('e.g. voice_8f3a1c')],
};

export const agentRunLocator: INodeProperties = {
	...LIST_AND_ID,
	displayName: 'Agent Run',
	name: 'agentRunId',
	required: true,
	description: 'The agent run to work on',
	modes: [listMode('searchAgentRuns'), idMode('e.g. run_8f3a1c')],
};

export const webhookLocator: INodeProperties = {
	...LIST_AND_ID,
	displayName: 'Webhook',
	name: 'webhookId',
	required: true,
	description: 'The webhook to work on',
	modes: [listMode('searchWebhooks'), idMode('e.g. wh_8f3a1c')],
};

interface MediaField extends Pick<
	INodeProperties,
	'displayName' | 'name' | 'description' | 'required'
> {
	/** Name in the body; dots lead into objects of it. */
	as: string;
	rule: Rule;
	/** Whether it takes more than one. */
	isMany?: boolean;
	/** Such as `https://example.com/picture.png`. */
	example?: string;
	/** What else to know of it, such as how many it takes. */
	note?: string;
}

/**
 * Media from a binary field of the item, which is then uploaded, or by URL. Plain text works too:
 * one URL a line, an array by expression, `binary:<field>`. The hook reads it, because n8n's routing keeps only the value of a locator and
 * not the mode.
 */
export function mediaField({ as, rule, isMany, example, note, ...ui }: MediaField): Field {
	const more = note === undefined ? '' : `. ${note}`;
	const url = example ?? 'https://example.com/picture.png';
	return {
		ui: {
			...ui,
			type: 'resourceLocator',
			default: { mode: 'binary', value: 'data' },
			modes: [
				{
					displayName: 'Binary Field',
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
		},
		mapping: oneValueInBody(as, rule),
	};
}
