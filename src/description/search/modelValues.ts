import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import type { GenerationParameters } from '../../contract';
import { modelValues } from './capabilities';
import type { ModelValue } from './valueShapes';
import { chosenModel, findModel } from './catalogue';
import { labelOf, matches } from './request';

type Search = (this: ILoadOptionsFunctions, filter?: string) => Promise<INodeListSearchResult>;

const nameOf = ({ value, label }: ModelValue, standard: string | undefined): string => {
	const name = label === undefined ? value : `${label} (${value})`;
	return value === standard ? `${name} (default)` : name;
};

/** What was typed can always be chosen: the catalogue may be older than the model. */
function typedChoice(
	filter: string | undefined,
	listed: INodeListSearchItems[],
): INodeListSearchItems[] {
	const typed = (filter ?? '').trim();
	if (typed === '' || listed.some(({ value }) => value === typed)) return [];
	return [{ name: listed.length > 0 ? `${typed} (not listed)` : typed, value: typed }];
}

/**
 * The values that the chosen model takes for a parameter, its default marked; and whatever is
 * typed.
 */
const searchValues = (parameter: keyof GenerationParameters): Search =>
	async function (filter) {
		const id = chosenModel(this);
		const typed = (filter ?? '').trim();
		const model =
			id === undefined
				? undefined
				: await findModel(this, id).catch((error: Error) => {
						// The reason is shown, unless a value is already being typed.
						if (typed === '') throw error;
						return undefined;
					});
		const { values, standard } = modelValues(model, parameter);
		const listed = values.map((one) => ({ name: nameOf(one, standard), value: one.value }));
		const results = [
			...listed.filter(({ name, value }) => matches(filter, name, value)),
			...typedChoice(filter, listed),
		];
		if (results.length > 0) return { results };
		const called = model ? labelOf(model) : id;
		const empty =
			called === undefined
				? 'Choose a model to see its values, or type one'
				: `The catalogue lists no values for ${called}: type one`;
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

/** The name of a search, as a field in the editor refers to it. */
export type ModelValueSearch = keyof typeof modelValueSearches;
