import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { ENDPOINTS, MODEL_MODES } from '../../contract';
import { hasId, labelOf, matches, readPage } from './request';

/** The models of the mode that is chosen in the node; of all modes where it is an expression. */
export async function searchModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const chosen = this.getCurrentNodeParameter('mode');
	const mode = MODEL_MODES.find((known) => known === chosen);
	const query: IDataObject = mode ? { mode } : {};
	const { entries } = await readPage(this, ENDPOINTS.listModels, query);
	const results = entries.filter(hasId).map((model) => ({ name: labelOf(model), value: model.id }));
	return { results: results.filter(({ name, value }) => matches(filter, name, value)) };
}
