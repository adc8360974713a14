import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { ENDPOINTS, SPEECH_MODELS } from '../../contract';
import { isRecord, isResource } from '../../transport/base/types';
import { modelValues } from './capabilities';
import { chosenModel, findModel } from './catalogue';
import { choicesOf } from './choices';
import { searchList, type Listing } from './searchList';
import { customVoiceName, presetVoiceName } from './names';
import { labelOf, readPage, type Page } from './request';

const NO_PAGE: Page = { entries: [] };

const customVoices: Listing = {
	endpoint: ENDPOINTS.listVoices,
	nameOf: customVoiceName,
	empty: 'No custom voices yet: make one with the operation Clone or Design',
};

/** The custom voices of the workspace. */
export async function searchCustomVoices(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	return await searchList(this, customVoices, { filter, cursor });
}

type Voice = Record<string, unknown>;

/** A voice as the picker shows it, with a link to hear it. */
function listed(name: string, id: string, sample: unknown): INodeListSearchItems {
	const isLink = typeof sample === 'string' && /^https?:\/\//.test(sample);
	return isLink ? { name, value: id, url: sample } : { name, value: id };
}

const preset = (voice: Voice & { id: string }) =>
	listed(presetVoiceName(voice), voice.id, voice.sample_url);

const custom = (voice: Voice & { id: string }) =>
	listed(customVoiceName(voice), voice.id, voice.preview_url);

const EMPTY = 'No voices: leave it empty, and the service chooses';

/**
 * What a block of speech can be spoken with: the preset voices of the model that is chosen in the
 * node, and the custom voices. Which model takes custom voices is not shown (specification:
 * CreateSpeechGeneration), so both offer them.
 */
export async function searchSpeechVoices(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	const chosen = chosenModel(this);
	const model = SPEECH_MODELS.find((known) => known === chosen);
	const customs = await readPage(this, ENDPOINTS.listVoices, cursor ? { cursor } : {});
	// The catalogue comes whole, so only custom voices are on further pages.
	const presets = cursor
		? { entries: [] }
		: await readPage(this, ENDPOINTS.listPresetVoices, model ? { model } : {});
	const all = [
		...customs.entries.filter(isResource).map(custom),
		...presets.entries.filter(isResource).map(preset),
	];
	return choicesOf(all, { filter, cursor, next: customs.next, empty: EMPTY });
}

/**
 * Voices that an entry of the catalogue lists, be they objects (specification: PresetVoice) or only
 * their IDs.
 */
function voicesOf(model: Voice | undefined): INodeListSearchItems[] {
	const { capabilities } = model ?? {};
	const voices = isRecord(capabilities) ? capabilities.voices : undefined;
	const known = (Array.isArray(voices) ? (voices as unknown[]) : []).filter(isRecord);
	const named = known.filter(isResource).map(preset);
	if (named.length > 0) return named;
	return modelValues(model, 'voice').values.map(({ value, label }) => ({
		name: label ?? value,
		value,
	}));
}

/**
 * What the chosen model of Generation can speak with: its preset voices, and the custom voices if
 * it has any or is one of the two models of POST /speech. Any other ID can be entered, because the
 * catalogue may not list what a model takes.
 */
export async function searchModelVoices(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	const id = chosenModel(this);
	if (id === undefined) return choicesOf([], { empty: 'Choose a model to see its voices' });
	const model = await findModel(this, id);
	const isSpeech = SPEECH_MODELS.some((known) => known === id);
	let presets = voicesOf(model);
	if (presets.length === 0 && isSpeech) {
		const { entries } = await readPage(this, ENDPOINTS.listPresetVoices, { model: id });
		presets = entries.filter(isResource).map(preset);
	}
	const speaks = presets.length > 0 || isSpeech;
	const customs = speaks
		? await readPage(this, ENDPOINTS.listVoices, cursor ? { cursor } : {}).catch(() => NO_PAGE)
		: NO_PAGE;
	const all = [...customs.entries.filter(isResource).map(custom), ...(cursor ? [] : presets)];
	const empty = `The catalogue lists no voices for ${model ? labelOf(model) : id}`;
	return choicesOf(all, { filter, cursor, next: customs.next, empty });
}
