import type { ILoadOptionsFunctions, INodeListSearchItems } from 'n8n-workflow';
import {
	ENDPOINTS,
	LISTED_PARAMETERS,
	SPEECH_MODELS,
	type GenerationMode,
	type Json,
	type ListedParameter,
} from '../../api';
import { nameFromId } from '../../base/texts';
import { isRecord, isResource, type Resource } from '../../base/types';
import { FIRST_MODEL, FIRST_MODEL_NAME } from '../../fields/locators';
import { generationOf, priceWords } from '../../transport/priceBook';
import { choicesOf, customVoiceName, labelOf, presetVoiceName } from './choices';
import {
	AGAIN,
	heldBy,
	keeping,
	listedEntry,
	searchOf,
	unlessTyped,
	type Search,
} from './listSearch';
import { connectOptional, eachPage, readListPage, type Query } from './request';

/* The searches for a model, and for what the chosen model takes: values and voices. */

const MODE_OF: Record<string, GenerationMode> = {
	generateImage: 'image',
	generateVideo: 'video',
	generateAudio: 'audio',
};

/** The mode of what the chosen operation makes; `undefined` if it makes no image, video or audio. */
const chosenMode = (context: ILoadOptionsFunctions): GenerationMode | undefined =>
	MODE_OF[String(context.getCurrentNodeParameter('operation'))];

/** The query for the models of a mode, or for all models if the mode is not known. */
const queryOf = (mode: GenerationMode | undefined): Query => (mode ? { mode } : {});

/**
 * Reads what an output of each model has cost when this workspace last used it. Nothing is said of prices if
 * the service names none at all.
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

export const catalogue = searchOf((context) => {
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

/** The choice of a new node, with the name of the model that it stands for now. */
async function readFirstModelChoice(context: ILoadOptionsFunctions): Promise<INodeListSearchItems> {
	const mode = chosenMode(context);
	const { entries } = await readListPage(context, ENDPOINTS.listModels, queryOf(mode));
	const first = entries.find(isResource);
	const name = first ? `${labelOf(first)}, the first of the workspace` : FIRST_MODEL_NAME;
	return { name, value: FIRST_MODEL };
}

/**
 * The models of the catalogue. Before them stands the choice of a new node, also if the catalogue cannot be
 * read. It is left out for audio, because there the model decides what kind of sound is made.
 */
export const searchModels: Search = async function (filter, cursor) {
	const isWhole = !filter && !cursor;
	if (!isWhole || chosenMode(this) === 'audio') return await catalogue.call(this, filter, cursor);
	try {
		const found = await catalogue.call(this);
		return { ...found, results: [await readFirstModelChoice(this), ...found.results] };
	} catch {
		const results: INodeListSearchItems[] = [{ name: FIRST_MODEL_NAME, value: FIRST_MODEL }];
		const held = heldBy(this, 'model');
		if (held && held.value !== FIRST_MODEL) results.push(held);
		return { results, paginationToken: AGAIN };
	}
};

/**
 * The two models of CreateSpeechGeneration. They can be chosen even if the catalogue cannot be read.
 */
export const searchSpeechModels: Search = async function (filter) {
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
 * The values that a model takes for a parameter, and the one that it takes by default. The specification
 * shows only the voices of an entry of the catalogue (Other response bodies). Besides them one shape is read:
 * `capabilities.<parameter>` is a list of texts or numbers, and `defaults.<parameter>` is one of them. For
 * all other models the user types the value.
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

/** A search for the values that the chosen model takes for a parameter. */
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
export const valueSearches = Object.fromEntries(
	LISTED_PARAMETERS.map((name) => [name, keeping(name, searchValues(name))]),
) as Record<ListedParameter, Search>;

/**
 * The preset voices of a model. The two speech models have those of the voice catalogue, which is one page;
 * any other model has those of its entry. Specification: GET /voices/catalog, PresetVoice.
 */
async function readPresetVoices(
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
	// The service looks for a text in IDs and names, the picker in languages too.
	return (await readListPage(context, ENDPOINTS.listPresetVoices, whole)).entries;
}

async function readCustomVoices(context: ILoadOptionsFunctions): Promise<Json[]> {
	const voices: Json[] = [];
	for await (const entries of eachPage(context, ENDPOINTS.listVoices)) voices.push(...entries);
	return voices;
}

/** The editor draws each entry that it gets, so of thousands of voices it gets more only on scrolling. */
const VOICES_AT_ONCE = 100;

/**
 * The voices of the chosen model: its preset voices, and the custom voices of the workspace if the model has
 * preset voices or is one of the two models of POST /speech. The specification does not say which of these
 * two takes custom voices (CreateSpeechGeneration), so both offer them.
 */
export const searchVoices: Search = async function (filter = '', cursor) {
	const id = chosenModel(this);
	if (id === undefined)
		return choicesOf([], {
			filter,
			empty: 'Choose a model to see its voices',
			offersTyped: 'ifNothingFits',
		});
	const isSpeech = SPEECH_MODELS.some((known) => known === id);
	const customs = async () => await readCustomVoices(this).catch(() => []);
	const early = isSpeech ? customs() : undefined;
	const read = async () => await readPresetVoices(this, id, isSpeech, filter.trim());
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
