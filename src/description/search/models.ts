import type { ILoadOptionsFunctions, INodeListSearchItems } from 'n8n-workflow';
import {
	ENDPOINTS,
	SPEECH_MODELS,
	type GenerationMode,
	type GenerationParameters,
} from '../../contract';
import { isRecord, isResource } from '../../transport/base/types';
import {
	choicesOf,
	customVoiceName,
	labelOf,
	matches,
	modelName,
	nameFromId,
	presetVoiceName,
} from './choices';
import { searchList, type Search } from './lists';
import { readPage, readPages, type Entry } from './request';

const MADE_BY: Record<string, GenerationMode> = {
	generateImage: 'image',
	generateVideo: 'video',
	generateAudio: 'audio',
};

/** What the chosen operation makes; `undefined` where it makes no media of a mode. */
const chosenMode = (context: ILoadOptionsFunctions): GenerationMode | undefined =>
	MADE_BY[String(context.getCurrentNodeParameter('operation'))];

export const searchModels: Search = async function (filter, cursor) {
	const mode = chosenMode(this);
	const models = {
		endpoint: ENDPOINTS.listModels,
		nameOf: (model: Entry) => modelName(model, mode),
		empty: `The workspace has no ${mode ? `${mode} ` : ''}models: enter an ID`,
		query: mode && { mode },
	};
	return await searchList(this, models, filter, cursor);
};

/**
 * The two models that the specification lists (CreateSpeechGeneration), called as the catalogue
 * calls them. They can be chosen also when the catalogue cannot be read.
 */
export const searchSpeechModels: Search = async function (filter) {
	const page = await readPage(this, ENDPOINTS.listModels, { mode: 'audio' }).catch(() => undefined);
	const choices = SPEECH_MODELS.map((id) => {
		const entry = page?.entries.find((model) => model.id === id);
		return { name: modelName({ name: nameFromId(id), ...entry }, 'speech'), value: id };
	});
	return choicesOf(choices, { filter, empty: '' });
};

/**
 * The ID of the model that is chosen in the node; `undefined` where there is none yet or where it
 * is an expression.
 */
function chosenModel(context: ILoadOptionsFunctions): string | undefined {
	const chosen = context.getCurrentNodeParameter('model', { extractValue: true });
	const id = typeof chosen === 'string' ? chosen.trim() : '';
	return id === '' || id.startsWith('=') ? undefined : id;
}

async function findModel(context: ILoadOptionsFunctions, id: string): Promise<Entry | undefined> {
	const mode = chosenMode(context);
	for await (const entries of readPages(context, ENDPOINTS.listModels, mode && { mode })) {
		const model = entries.find((entry) => entry.id === id);
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
function valuesOf(model: Entry | undefined, parameter: string) {
	const { capabilities, defaults } = model ?? {};
	const listed = isRecord(capabilities) ? capabilities[parameter] : undefined;
	const isValue = (one: unknown) =>
		typeof one === 'number' || (typeof one === 'string' && one.trim() !== '');
	const values = Array.isArray(listed) ? listed.filter(isValue).map(String) : [];
	const standard = isRecord(defaults) ? defaults[parameter] : undefined;
	return { values: [...new Set(values)], standard: isValue(standard) ? String(standard) : '' };
}

const searchValues = (parameter: keyof GenerationParameters): Search =>
	async function (filter) {
		const typed = (filter ?? '').trim();
		const id = chosenModel(this);
		// The reason is shown, unless a value is already being typed.
		const unlessTyped = (error: Error) => {
			if (typed === '') throw error;
			return undefined;
		};
		const model = id === undefined ? undefined : await findModel(this, id).catch(unlessTyped);
		const { values, standard } = valuesOf(model, parameter);
		const listed = values.map((value) => ({
			name: value === standard ? `${value} (default)` : value,
			value,
		}));
		const results = listed.filter(({ name, value }) => matches(filter, name, value));
		// What was typed can always be chosen: the catalogue may be older than the model.
		if (typed !== '' && !values.includes(typed)) {
			results.push({ name: values.length > 0 ? `${typed} (not listed)` : typed, value: typed });
		}
		if (results.length > 0) return { results };
		const empty =
			id === undefined
				? 'Choose a model to see its values, or type one'
				: `The catalogue lists no values for ${model ? labelOf(model) : id}: type one`;
		return { results: [{ name: empty, value: '' }] };
	};

/**
 * The searches of all parameters whose values the catalogue may list, by the name that fields refer
 * to.
 */
export const modelValueSearches = {
	searchAspectRatios: searchValues('aspect_ratio'),
	searchDurations: searchValues('duration'),
	searchLanguages: searchValues('language_boost'),
	searchQualities: searchValues('quality'),
	searchResolutions: searchValues('resolution'),
	searchSizes: searchValues('size'),
	searchSpeeds: searchValues('speed'),
};

export type ModelValueSearch = keyof typeof modelValueSearches;

function listedVoice(name: string, id: string, sample: unknown): INodeListSearchItems {
	const isLink = typeof sample === 'string' && /^https?:\/\//.test(sample);
	return isLink ? { name, value: id, url: sample } : { name, value: id };
}

/**
 * The preset voices of a model: of the two speech models those of the voice catalogue, of any other
 * those of its entry. Specification: GET /voices/catalog, which comes whole; PresetVoice.
 */
async function presetVoices(
	context: ILoadOptionsFunctions,
	model: string,
	filter: string,
): Promise<Entry[]> {
	if (!SPEECH_MODELS.some((known) => known === model)) {
		const capabilities = (await findModel(context, model))?.capabilities;
		const voices = isRecord(capabilities) ? capabilities.voices : undefined;
		return Array.isArray(voices) ? voices.filter(isRecord) : [];
	}
	const whole = { model };
	const search = filter === '' ? whole : { model, search: filter };
	const { entries } = await readPage(context, ENDPOINTS.listPresetVoices, whole, search);
	if (entries.length > 0 || filter === '') return entries;
	// The service finds IDs and names, the picker languages too.
	return (await readPage(context, ENDPOINTS.listPresetVoices, whole)).entries;
}

async function customVoices(context: ILoadOptionsFunctions): Promise<Entry[]> {
	const voices: Entry[] = [];
	for await (const entries of readPages(context, ENDPOINTS.listVoices)) voices.push(...entries);
	return voices;
}

/** The editor draws every entry it is given: more of a catalogue of thousands come on scrolling. */
const VOICES_AT_ONCE = 100;

/**
 * What the chosen model can speak with: its preset voices, and the custom voices if it has any or
 * is one of the two models of POST /speech. Which of those two takes custom voices is not shown
 * (CreateSpeechGeneration), so both offer them.
 */
export const searchVoices: Search = async function (filter, cursor) {
	const id = chosenModel(this);
	if (id === undefined) return choicesOf([], { empty: 'Choose a model to see its voices' });
	const isSpeech = SPEECH_MODELS.some((known) => known === id);
	const customs = async () => await customVoices(this).catch(() => []);
	const early = isSpeech ? customs() : undefined;
	const presets = await presetVoices(this, id, (filter ?? '').trim());
	const preset = presets
		.filter(isResource)
		.map((voice) => listedVoice(presetVoiceName(voice), voice.id, voice.sample_url));
	const speaks = isSpeech || preset.length > 0;
	const own = (speaks ? await (early ?? customs()) : [])
		.filter(isResource)
		.map((voice) => listedVoice(customVoiceName(voice), voice.id, voice.preview_url));
	const from = Number(cursor ?? 0);
	const empty = 'The catalogue lists no voices for this model: leave it empty, or enter an ID';
	const { results } = choicesOf([...own, ...preset], { filter, empty });
	const until = from + VOICES_AT_ONCE;
	return {
		results: results.slice(from, until),
		paginationToken: until < results.length ? String(until) : undefined,
	};
};
