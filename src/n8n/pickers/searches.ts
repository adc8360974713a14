import { ENDPOINTS, LIMITS } from '../../api';
import { isRecord } from '../../base/types';
import type { SearchName } from '../../fields/locators';
import { customVoiceName, joined, labelOf } from './choices';
import { keeping, searchOf, type Listing, type Search } from './listSearch';
import { catalogue, searchModels, searchSpeechModels, searchVoices, valueSearches } from './models';

/*
 * What the pickers of the editor offer. n8n calls a search with the typed text, and with a cursor for each
 * further page.
 */

const personas: Listing = {
	endpoint: ENDPOINTS.listPersonas,
	nameOf: labelOf,
	empty: 'No personas yet: make one with the node MediaGen Persona',
};

/** The searches of all pickers, by the name by which fields refer to them. */
export const searches: Record<SearchName, Search> = {
	...valueSearches,
	/** An agent run has no name. Its plan may have one: the specification leaves open what is in a plan. */
	searchAgentRuns: keeping(
		'agentRunId',
		searchOf(() => ({
			endpoint: ENDPOINTS.listAgentRuns,
			nameOf: ({ id, status, plan }) => joined(isRecord(plan) ? plan.title : undefined, status, id),
			empty: 'No agent runs yet: make one with the operation Create',
		})),
	),
	/** Failed personas too, because they can be read and deleted. */
	searchAllPersonas: keeping(
		'personaId',
		searchOf(() => personas),
	),
	searchCustomVoices: keeping(
		'voiceId',
		searchOf(() => ({
			endpoint: ENDPOINTS.listVoices,
			nameOf: customVoiceName,
			empty: 'No custom voices yet: make one with the operation Clone or Design',
		})),
	),
	searchGenerations: keeping(
		'generationId',
		searchOf(() => ({
			endpoint: ENDPOINTS.listGenerations,
			nameOf: ({ id, mode, model, status }) => joined(mode, model, status, id),
			empty: 'No generations yet: make one with the node MediaGen',
			query: { limit: LIMITS.listLimit.max },
		})),
	),
	searchModels: keeping('model', searchModels, catalogue),
	/** The personas that can be used. */
	searchPersonas: keeping(
		'personaId',
		searchOf(() => ({
			...personas,
			isSelectable: ({ status }) => status !== 'failed',
		})),
	),
	searchSpeechModels,
	searchVoices: keeping('voice', searchVoices),
	searchWebhooks: keeping(
		'webhookId',
		searchOf(() => ({
			endpoint: ENDPOINTS.listWebhooks,
			nameOf: ({ url, description, id }) => joined(description, url, id),
			empty: 'No webhooks yet: make one with the operation Create',
		})),
	),
};
