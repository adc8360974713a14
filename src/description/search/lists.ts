import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { ENDPOINTS, LIMITS, type Endpoint } from '../../contract';
import { isRecord, isResource, type ApiRequest, type Resource } from '../../transport/base/types';
import { choicesOf, customVoiceName, joined, labelOf } from './choices';
import { readPage } from './request';

/** What the editor calls for a picker: with what was typed, and the cursor of a further page. */
export type Search = (
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
) => Promise<INodeListSearchResult>;

/** Where a list is read from, how its entries are named, and what is shown if there are none. */
interface Listing {
	endpoint: Endpoint;
	nameOf: (entry: Resource) => string;
	empty: string;
	isSelectable?: (entry: Resource) => boolean;
	query?: NonNullable<ApiRequest['query']>;
}

/**
 * A list of the service as the choices of a picker, a page at a time, filtered by what the user has
 * typed.
 */
export async function searchList(
	context: ILoadOptionsFunctions,
	{ endpoint, nameOf, empty, isSelectable = () => true, query = {} }: Listing,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	const pageQuery = cursor ? { ...query, cursor } : query;
	const { entries, next } = await readPage(context, endpoint, pageQuery);
	const selectable = entries.filter(isResource).filter(isSelectable);
	const choices = selectable.map((entry) => ({ name: nameOf(entry), value: entry.id }));
	return choicesOf(choices, { filter, cursor, next, empty });
}

const searchOf = (listing: Listing): Search =>
	async function (filter, cursor) {
		return await searchList(this, listing, filter, cursor);
	};

/**
 * A run has no name of its own; the plan has one if it is as free as the specification leaves it.
 */
export const searchAgentRuns = searchOf({
	endpoint: ENDPOINTS.listAgentRuns,
	nameOf: ({ id, status, plan }) => joined(isRecord(plan) ? plan.title : undefined, status, id),
	empty: 'No agent runs yet: make one with the operation Create',
});

export const searchGenerations = searchOf({
	endpoint: ENDPOINTS.listGenerations,
	nameOf: ({ id, mode, model, status }) => joined(mode, model, status, id),
	empty: 'No generations yet: make one with the node MediaGen',
	query: { limit: LIMITS.listLimit.max },
});

const personas: Listing = {
	endpoint: ENDPOINTS.listPersonas,
	nameOf: labelOf,
	empty: 'No personas yet: make one with the node MediaGen Persona',
};

/** Including failed ones: they can be read and deleted. */
export const searchAllPersonas = searchOf(personas);

/** Those that can be used. */
export const searchPersonas = searchOf({
	...personas,
	isSelectable: ({ status }) => status !== 'failed',
});

export const searchCustomVoices = searchOf({
	endpoint: ENDPOINTS.listVoices,
	nameOf: customVoiceName,
	empty: 'No custom voices yet: make one with the operation Clone or Design',
});

export const searchWebhooks = searchOf({
	endpoint: ENDPOINTS.listWebhooks,
	nameOf: ({ url, description, id }) => joined(description, url, id),
	empty: 'No webhooks yet: make one with the operation Create',
});
