import { nameFromId } from '../../base/texts';
import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import {
	ENDPOINTS,
	LIMITS,
	LISTED_PARAMETERS,
	SPEECH_MODELS,
	type Endpoint,
	type GenerationMode,
	type ListedParameter,
	type Json,
	textOf,
} from '../../api';
import { isRecord, isResource, type Resource } from '../../base/types';
import { FIRST_MODEL, FIRST_MODEL_NAME } from '../../creation/firstModel';
import { downloadable, expiryOf } from '../../creation/outputs';
import type { SearchName } from '../../fields/locators';
import { generationOf, priceWords } from '../../transport/priceBook';
import {
	choicesOf,
	type OffersTyped,
	customVoiceName,
	joined,
	labelOf,
	presetVoiceName,
} from './choices';
import { connectOptional, eachPage, readListPage, type Query } from './request';

/** What the editor calls for a picker: with what was typed, and the cursor of a further page. */
type Search = (
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
	query?: Query;
	offersTyped?: OffersTyped;
	/** Reads, at the same time as the list, what is said of an entry after its name. Never fails. */
	readNotes?: (list: Promise<Json[]>) => Promise<(entry: Resource) => string>;
}

/** An entry, with n8n's button that opens its link if it has one. */
function listedEntry(name: string, id: string, link: unknown): INodeListSearchItems {
	const isLink = typeof link === 'string' && /^https?:\/\//.test(link);
	return isLink ? { name, value: id, url: link } : { name, value: id };
}

/**
 * Where an entry can be looked at or heard: its first file or its preview, as the service has no pages. Not a
 * link that expires: n8n saves the one of the chosen entry with the workflow.
 */
const lastingLink = (entry: Resource): unknown =>
	downloadable(entry).find((file) => expiryOf(file) === Infinity)?.url;

/**
 * What the field of a picker holds.
 * @param field its name, in a collection or not
 */
function heldBy(context: ILoadOptionsFunctions, field: string): INodeListSearchItems | undefined {
	// The name in a collection stands beside others of the same collection.
	const holders = [field, `&${field}`].map((name) => context.getCurrentNodeParameter(name));
	for (const holder of holders.filter(isRecord)) {
		const { value, cachedResultName, cachedResultUrl } = holder;
		const id = textOf(value);
		if (id === undefined) continue;
		return listedEntry(textOf(cachedResultName) ?? id, id, cachedResultUrl);
	}
	return undefined;
}

/**
 * The cursor of a list that could not be read: the editor asks for that page once somebody opens the list.
 */
const AGAIN = 'again';

/**
 * A search that never empties its field: n8n does that when another credential is chosen and the list
 * does not have what the field holds, also if the list could not be read. Then what it holds is all there
 * is at first. Who opens the list has it read again, as the credential may have been corrected since.
 * @param again what is read then
 */
const keeping = (field: string, search: Search, again = search): Search =>
	async function (filter, cursor) {
		const held = heldBy(this, field);
		if (cursor === AGAIN) {
			// As a line that chooses nothing: a picker has no other place for words.
			const failed = ({ message }: Error): INodeListSearchResult => {
				return { results: [{ name: message, value: '' }] };
			};
			const found = await again.call(this, filter).catch(failed);
			const others = found.results.filter(({ value }) => value !== held?.value);
			return { ...found, results: others };
		}
		const found = search.call(this, filter, cursor);
		if (held === undefined || filter || cursor) return await found;
		return await found.catch(() => ({ results: [held], paginationToken: AGAIN }));
	};

/** What was read; where that fails, the reason is shown unless something is being typed. */
async function unlessTyped<T>(read: () => Promise<T>, instead: T, typed = ''): Promise<T> {
	if (typed.trim() === '') return await read();
	return await read().catch(() => instead);
}

/** A list of the service as the choices of a picker, a page at a time. */
const searchOf = (listingOf: (context: ILoadOptionsFunctions) => Listing): Search =>
	async function (filter, cursor) {
		const listing = listingOf(this);
		const { endpoint, nameOf, empty, isSelectable = () => true, query, offersTyped } = listing;
		const pageQuery = cursor ? { ...query, cursor } : query;
		const read = async () => await readListPage(this, endpoint, pageQuery);
		const typed = offersTyped ? filter : '';
		const instead = { entries: [], next: undefined };
		const reading = unlessTyped(read, instead, typed);
		const listed = reading.then(({ entries }) => entries).catch(() => []);
		const notes = listing.readNotes?.(listed);
		const { entries, next } = await reading;
		const noteOf = (await notes) ?? (() => '');
		const choices = entries
			.filter(isResource)
			.filter(isSelectable)
			.map((entry) => listedEntry(nameOf(entry) + noteOf(entry), entry.id, lastingLink(entry)));
		return choicesOf(choices, { filter, cursor, next, empty, offersTyped });
	};

const personas: Listing = {
	endpoint: ENDPOINTS.listPersonas,
	nameOf: labelOf,
	empty: 'No personas yet: make one with the node MediaGen Persona',
};

const MODE_OF: Record<string, GenerationMode> = {
	generateImage: 'image',
	generateVideo: 'video',
	generateAudio: 'audio',
};

/** What the chosen operation makes; `undefined` where it makes no media of a mode. */
const chosenMode = (context: ILoadOptionsFunctions): GenerationMode | undefined =>
	MODE_OF[String(context.getCurrentNodeParameter('operation'))];

/** Of models that make this; of all where that is not known. */
const queryOf = (mode: GenerationMode | undefined): Query => (mode ? { mode } : {});

/**
 * What an output of a model has cost when this workspace last used it; nothing where the service names no
 * prices at all.
 */
async function readPrices(
	context: ILoadOptionsFunctions,
	mode: GenerationMode,
	list: Promise<Json[]>,
): Promise<(model: Resource) => string> {
	const connected = await connectOptional(context).catch(() => undefined);
	if (!connected) return () => '';
	const { prices } = connected.workspace;
	const { channel } = connected.host;
	await prices.ask(channel, []);
	const wanted = (await list).map(({ id }) => generationOf({ mode, model: id }));
	await prices.ask(channel, wanted);
	return ({ id }) => {
		const words = priceWords(prices, mode, id) ?? (prices.isEmpty ? '' : 'price unknown');
		return words === '' ? '' : ` – ${words}`;
	};
}

const catalogue = searchOf((context) => {
	const mode = chosenMode(context);
	return {
		endpoint: ENDPOINTS.listModels,
		nameOf: labelOf,
		empty: `The workspace has no ${mode ? `${mode} ` : ''}models: enter an ID`,
		query: queryOf(mode),
		offersTyped: 'ifNothingFits',
		readNotes: mode ? async (list) => await readPrices(context, mode, list) : undefined,
	};
});

/** What a new node makes, by name: the list that was just read is not asked for again. */
async function firstModelEntry(context: ILoadOptionsFunctions): Promise<INodeListSearchItems> {
	const mode = chosenMode(context);
	const { entries } = await readListPage(context, ENDPOINTS.listModels, queryOf(mode));
	const first = entries.find(isResource);
	const name = first ? `${labelOf(first)}, the first of the workspace` : FIRST_MODEL_NAME;
	return { name, value: FIRST_MODEL };
}

/**
 * The catalogue, and before it what a new node holds, also where the catalogue cannot be read. Not where
 * the model decides what kind of sound is made: there nothing is preset.
 */
const searchModels: Search = async function (filter, cursor) {
	const isWhole = !filter && !cursor;
	if (!isWhole || chosenMode(this) === 'audio') return await catalogue.call(this, filter, cursor);
	try {
		const found = await catalogue.call(this);
		return { ...found, results: [await firstModelEntry(this), ...found.results] };
	} catch {
		const results: INodeListSearchItems[] = [{ name: FIRST_MODEL_NAME, value: FIRST_MODEL }];
		const held = heldBy(this, 'model');
		if (held && held.value !== FIRST_MODEL) results.push(held);
		return { results, paginationToken: AGAIN };
	}
};

/** Both models of CreateSpeechGeneration; they can be chosen without the catalogue as well. */
const searchSpeechModels: Search = async function (filter) {
	const page = await readListPage(this, ENDPOINTS.listModels, { mode: 'audio' }).catch(
		() => undefined,
	);
	const choices = SPEECH_MODELS.map((id) => {
		const entry = page?.entries.find((model) => model.id === id);
		return { name: labelOf({ name: nameFromId(id), ...entry }), value: id };
	});
	return choicesOf(choices, { filter, empty: '' });
};

/** The ID of the chosen model; `undefined` for none and for an expression. */
function chosenModel(context: ILoadOptionsFunctions): string | undefined {
	const chosen = context.getCurrentNodeParameter('model', { extractValue: true });
	const id = typeof chosen === 'string' ? chosen.trim() : '';
	return id === '' || id.startsWith('=') ? undefined : id;
}

async function findModel(context: ILoadOptionsFunctions, id: string): Promise<Json | undefined> {
	const mode = chosenMode(context);
	for await (const entries of eachPage(context, ENDPOINTS.listModels, queryOf(mode))) {
		const model = id === FIRST_MODEL ? entries[0] : entries.find((entry) => entry.id === id);
		if (model) return model;
	}
	return undefined;
}

/**
 * The values that a model takes for a parameter, and the one that it takes by default. The
 * specification shows nothing of an entry but the voices of speech models (Other response bodies).
 * This is the one shape that is read besides: `capabilities.<parameter>` is a list of texts or
 * numbers, and `defaults.<parameter>` one of them. Of any other entry the values are typed.
 */
function valuesOf(model: Json | undefined, parameter: ListedParameter) {
	const { capabilities, defaults } = model ?? {};
	const listed = isRecord(capabilities) ? capabilities[parameter] : undefined;
	const isValue = (one: unknown) =>
		typeof one === 'number' || (typeof one === 'string' && one.trim() !== '');
	const values = Array.isArray(listed) ? listed.filter(isValue).map(String) : [];
	const standard = isRecord(defaults) ? defaults[parameter] : undefined;
	return { values: [...new Set(values)], standard: isValue(standard) ? String(standard) : '' };
}

/** The values of one parameter, for whichever model is chosen. */
const searchValues = (parameter: ListedParameter): Search =>
	async function (filter) {
		const id = chosenModel(this);
		const find = async () => (id === undefined ? undefined : await findModel(this, id));
		const model = await unlessTyped(find, undefined, filter);
		const { values, standard } = valuesOf(model, parameter);
		const choices = values.map((value) => ({
			name: value === standard ? `${value} (default)` : value,
			value,
		}));
		const empty =
			id === undefined
				? 'Choose a model to see its values, or type one'
				: `The catalogue lists no values for ${model ? labelOf(model) : id}: type one`;
		return choicesOf(choices, { filter, empty, offersTyped: 'beside' });
	};

/** The searches of all parameters by their name in the API. */
const valueSearches = Object.fromEntries(
	LISTED_PARAMETERS.map((name) => [name, keeping(name, searchValues(name))]),
) as Record<ListedParameter, Search>;

/**
 * The preset voices of a model: of the two speech models those of the voice catalogue, of any other
 * those of its entry. Specification: GET /voices/catalog, which comes whole; PresetVoice.
 */
async function presetVoices(
	context: ILoadOptionsFunctions,
	model: string,
	isSpeech: boolean,
	search: string,
): Promise<Json[]> {
	if (!isSpeech) {
		const capabilities = (await findModel(context, model))?.capabilities;
		const voices = isRecord(capabilities) ? capabilities.voices : undefined;
		return Array.isArray(voices) ? voices.filter(isRecord) : [];
	}
	const whole = { model };
	const narrowed = search === '' ? whole : { model, search };
	const { entries } = await readListPage(context, ENDPOINTS.listPresetVoices, whole, { narrowed });
	if (entries.length > 0 || search === '') return entries;
	// The service finds IDs and names, the picker languages too.
	return (await readListPage(context, ENDPOINTS.listPresetVoices, whole)).entries;
}

async function customVoices(context: ILoadOptionsFunctions): Promise<Json[]> {
	const voices: Json[] = [];
	for await (const entries of eachPage(context, ENDPOINTS.listVoices)) voices.push(...entries);
	return voices;
}

/** The editor draws every entry it is given: more of a catalogue of thousands come on scrolling. */
const VOICES_AT_ONCE = 100;

/**
 * What the chosen model can speak with: its preset voices, and the custom voices if it has any or
 * is one of the two models of POST /speech. Which of those two takes custom voices is not shown
 * (CreateSpeechGeneration), so both offer them.
 */
const searchVoices: Search = async function (filter = '', cursor) {
	const id = chosenModel(this);
	if (id === undefined)
		return choicesOf([], {
			filter,
			empty: 'Choose a model to see its voices',
			offersTyped: 'ifNothingFits',
		});
	const isSpeech = SPEECH_MODELS.some((known) => known === id);
	const customs = async () => await customVoices(this).catch(() => []);
	const early = isSpeech ? customs() : undefined;
	const read = async () => await presetVoices(this, id, isSpeech, filter.trim());
	const preset = (await unlessTyped(read, [], filter))
		.filter(isResource)
		.map((voice) => listedEntry(presetVoiceName(voice), voice.id, voice.sample_url));
	const own = (preset.length > 0 || isSpeech ? await (early ?? customs()) : [])
		.filter(isResource)
		.map((voice) => listedEntry(customVoiceName(voice), voice.id, voice.preview_url));
	const empty = 'The catalogue lists no voices for this model: leave it empty, or enter an ID';
	const { results } = choicesOf([...own, ...preset], {
		filter,
		empty,
		offersTyped: 'ifNothingFits',
	});
	const from = Number(cursor ?? 0);
	const until = from + VOICES_AT_ONCE;
	return {
		results: results.slice(from, until),
		paginationToken: until < results.length ? String(until) : undefined,
	};
};

/** The searches of all pickers, by the name that fields refer to. */
export const searches: Record<SearchName, Search> = {
	...valueSearches,
	/** A run has no name; its plan has one if it is as free as the specification leaves it. */
	searchAgentRuns: keeping(
		'agentRunId',
		searchOf(() => ({
			endpoint: ENDPOINTS.listAgentRuns,
			nameOf: ({ id, status, plan }) => joined(isRecord(plan) ? plan.title : undefined, status, id),
			empty: 'No agent runs yet: make one with the operation Create',
		})),
	),
	/** Including failed ones: they can be read and deleted. */
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
	/** Those that can be used. */
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
