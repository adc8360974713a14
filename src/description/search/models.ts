import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { ENDPOINTS, SPEECH_MODELS } from '../../contract';
import { chosenMode } from './catalogue';
import { choicesOf } from './choices';
import { searchList } from './searchList';
import { modelName, nameFromId } from './names';
import { readPage, type Page } from './request';

/**
 * The models of what the operation makes, a page at a time.
 */
export async function searchModels(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	const mode = chosenMode(this);
	const models = {
		endpoint: ENDPOINTS.listModels,
		nameOf: (model: Record<string, unknown>) => modelName(model, mode),
		empty: `The workspace has no ${mode ? `${mode} ` : ''}models: enter an ID`,
		query: mode && { mode },
	};
	return await searchList(this, models, { filter, cursor });
}

/**
 * The two models that the specification lists (CreateSpeechGeneration), called as the catalogue
 * calls them. They can be chosen also when the catalogue cannot be read.
 */
export async function searchSpeechModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const emptyPage = (): Page => ({ entries: [] });
	const { entries } = await readPage(this, ENDPOINTS.listModels, { mode: 'audio' }).catch(
		emptyPage,
	);
	const choices = SPEECH_MODELS.map((id) => {
		const entry = entries.find((model) => model.id === id);
		return { name: modelName({ name: nameFromId(id), ...entry }, 'speech'), value: id };
	});
	return choicesOf(choices, { filter, empty: '' });
}
