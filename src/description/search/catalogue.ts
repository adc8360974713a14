import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';
import { ENDPOINTS, type GenerationMode } from '../../contract';
import { readPage } from './request';

/** A catalogue of more pages is not worth the requests of a picker. */
const MOST_PAGES = 10;

/**
 * The ID of the model that is chosen in the node; `undefined` where there is none yet or where it
 * is an expression.
 */
export function chosenModel(context: ILoadOptionsFunctions): string | undefined {
	const chosen = context.getCurrentNodeParameter('model', { extractValue: true });
	const id = typeof chosen === 'string' ? chosen.trim() : '';
	return id === '' || id.startsWith('=') ? undefined : id;
}

const MADE_BY: Record<string, GenerationMode> = {
	generateImage: 'image',
	generateVideo: 'video',
	generateAudio: 'audio',
};

/** What the chosen operation makes; `undefined` where it makes no media. */
export const chosenMode = (context: ILoadOptionsFunctions): GenerationMode | undefined =>
	MADE_BY[String(context.getCurrentNodeParameter('operation'))];

/** The entries of the catalogue, a page at a time, as long as that is worth it. */
export async function* cataloguePages(
	context: ILoadOptionsFunctions,
	query: IDataObject = {},
): AsyncGenerator<Array<Record<string, unknown>>> {
	let cursor: string | undefined;
	for (let page = 0; page < MOST_PAGES; page += 1) {
		const pageQuery = cursor === undefined ? query : { ...query, cursor };
		const { entries, next } = await readPage(context, ENDPOINTS.listModels, pageQuery);
		yield entries;
		if (next === undefined || next === cursor) return;
		cursor = next;
	}
}

/**
 * The entry of a model in the catalogue; `undefined` where it has none.
 *
 * @throws NodeApiError with what to do, where the catalogue cannot be read
 */
export async function findModel(
	context: ILoadOptionsFunctions,
	id: string,
): Promise<Record<string, unknown> | undefined> {
	const mode = chosenMode(context);
	for await (const entries of cataloguePages(context, mode && { mode })) {
		const model = entries.find((entry) => entry.id === id);
		if (model) return model;
	}
	return undefined;
}
