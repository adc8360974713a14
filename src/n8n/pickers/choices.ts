import type { INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import type { Json } from '../../api';

const trimmedText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const textsOf = (...values: unknown[]): string[] =>
	values.map(trimmedText).filter((text) => text !== '');

export const labelOf = ({ label, name, id }: Json): string => textsOf(label, name, id)[0] ?? '';

/** What names an entry that has no name of its own, such as `image · studio/image-1 · completed · gen_1`. */
export const joined = (...parts: unknown[]): string => textsOf(...parts).join(' · ');

/** The language of a voice, such as `English (US)` of `English (United States)` and `en-US`. */
function languageOf(voice: Json): string {
	const code = trimmedText(voice.language_code);
	const language = trimmedText(voice.language_name);
	const name = language.endsWith(')') ? (language.split('(')[0] ?? '').trim() : language;
	const region = /[-_]([A-Za-z]{2}|\d{3})$/.exec(code)?.[1]?.toUpperCase();
	if (name === '') return code;
	return region === undefined ? language : `${name} (${region})`;
}

/** The name of a preset voice, such as `Ava – English (US), female`. Specification: PresetVoice. */
export function presetVoiceName(voice: Json): string {
	// Some labels hold the language already.
	const called = labelOf(voice).replace(` (${trimmedText(voice.language_name)})`, '');
	const traits = textsOf(languageOf(voice), voice.gender);
	return traits.length === 0 ? called : `${called} – ${traits.join(', ')}`;
}

const WAY_IT_WAS_MADE: Record<string, string> = { clone: ', cloned', design: ', designed' };

/** The name of a custom voice, such as `Narrator – custom voice, cloned`. Specification: Voice. */
export const customVoiceName = (voice: Json): string =>
	`${labelOf(voice)} – custom voice${WAY_IT_WAS_MADE[trimmedText(voice.kind)] ?? ''}`;

export type OffersTyped = 'beside' | 'ifNothingFits';

interface ChoiceQuery {
	filter?: string;
	/** The cursor of this page, if it is not the first one. */
	cursor?: string;
	next?: string;
	/** What to do if there is nothing to choose. */
	empty: string;
	/** When the typed text itself is offered, because it may be newer than the catalogue. Default: never. */
	offersTyped?: OffersTyped;
}

/**
 * The choices of a picker that fit the typed text. A value that is not in the catalogue can be chosen as it
 * was typed. An empty list has one line that chooses nothing and says what to do, because the picker has no
 * other place for words.
 */
export function choicesOf(
	all: INodeListSearchItems[],
	{ filter = '', cursor, next, empty, offersTyped }: ChoiceQuery,
): INodeListSearchResult {
	const typed = filter.trim();
	if (all.length === 0 && !cursor && !next && typed === '')
		return { results: [{ name: empty, value: '' }] };
	const wanted = typed.toLowerCase();
	const results = all.filter(({ name, value }) =>
		[name, String(value)].some((text) => text.toLowerCase().includes(wanted)),
	);
	// A page that names itself as the next one would be loaded again and again.
	const paginationToken = next === cursor ? undefined : next;
	const isListed = all.some(({ value }) => value === typed);
	const isOffered = offersTyped === 'beside' ? !isListed : offersTyped && results.length === 0;
	if (isOffered && typed !== '' && !cursor && !paginationToken) {
		const name = all.length > 0 ? `${typed} (not listed)` : typed;
		results.push({ name, value: typed });
	}
	return { results, paginationToken };
}
