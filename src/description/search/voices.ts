import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { ENDPOINTS, SPEECH_MODELS } from '../../contract';
import { choicesOf } from './choices';
import { searchList, type Listing } from './listed';
import { customVoiceName, presetVoiceName } from './names';
import { hasId, readPage } from './request';

const customVoices: Listing = {
	endpoint: ENDPOINTS.listVoices,
	nameOf: customVoiceName,
	empty: 'No custom voices yet: make one with the operation Clone or Design',
};

/** The custom voices of the workspace. */
export async function searchCustomVoices(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	return await searchList(this, customVoices, { filter, cursor });
}

/**
 * What a block of speech can be spoken with: the preset voices of the model that is chosen in the node, and the custom
 * voices. Which model takes custom voices is not shown (specification: CreateSpeechGeneration), so both offer them.
 */
export async function searchSpeechVoices(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	const chosen = this.getCurrentNodeParameter('model', { extractValue: true });
	const model = SPEECH_MODELS.find((known) => known === chosen);
	const custom = await readPage(this, ENDPOINTS.listVoices, cursor ? { cursor } : {});
	// The catalogue comes whole, so only custom voices are on further pages.
	const presets = cursor
		? { entries: [] }
		: await readPage(this, ENDPOINTS.listPresetVoices, model ? { model } : {});
	const named = [
		...custom.entries.filter(hasId).map((voice) => ({ voice, name: customVoiceName(voice) })),
		...presets.entries.filter(hasId).map((voice) => ({ voice, name: presetVoiceName(voice) })),
	];
	return choicesOf(
		named.map(({ voice, name }) => ({ name, value: voice.id })),
		{
			filter,
			cursor,
			next: custom.next,
			empty: 'No voices: leave it empty, and the service chooses',
		},
	);
}
