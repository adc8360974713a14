import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { ENDPOINTS, SPEECH_MODELS } from '../../contract';
import { searchList } from './listed';
import { labelOf, matches, readPage } from './request';

/** The custom voices of the workspace. */
export async function searchCustomVoices(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	return await searchList(this, ENDPOINTS.listVoices, labelOf, { filter, cursor });
}

/** The two models that the specification lists (CreateSpeechGeneration). */
export async function searchSpeechModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const results = SPEECH_MODELS.map((model) => ({ name: model, value: model }));
	return { results: results.filter(({ name }) => matches(filter, name)) };
}

function describe({ language_name, language_code, gender }: Record<string, unknown>): string {
	const parts = [language_name ?? language_code, gender];
	const known = parts.filter((part) => typeof part === 'string' && part !== '');
	return known.length > 0 ? ` (${known.join(', ')})` : '';
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
		...custom.entries.map((voice) => ({ voice, name: `${labelOf(voice)} · custom voice` })),
		...presets.entries.map((voice) => ({ voice, name: `${labelOf(voice)}${describe(voice)}` })),
	];
	const results = named.map(({ voice, name }) => ({ name, value: String(voice.id ?? '') }));
	return {
		results: results.filter(({ name, value }) => value && matches(filter, name, value)),
		paginationToken: custom.next,
	};
}
