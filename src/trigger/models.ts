import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { cataloguePages } from '../description/search/catalogue';
import { labelOf } from '../description/search/request';
import { isResource, type Resource } from '../transport/base/types';

/** The models of all modes, for the filters of the triggers. */
export async function getModels(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const models: Resource[] = [];
	for await (const entries of cataloguePages(this)) models.push(...entries.filter(isResource));
	return models.map((model) => ({ name: labelOf(model), value: model.id }));
}
