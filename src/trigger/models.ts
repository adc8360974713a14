import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { ENDPOINTS } from '../contract';
import { labelOf, readPage } from '../description/search/request';
import { isResource } from '../transport/base/types';

/** The models of all modes, for the filters of the triggers. */
export async function getModels(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const { entries } = await readPage(this, ENDPOINTS.listModels, {});
	return entries.filter(isResource).map((model) => ({ name: labelOf(model), value: model.id }));
}
