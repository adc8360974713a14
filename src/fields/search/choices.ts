import type { INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import type { Json } from '../../contract';

const MAX_DESCRIPTION_LENGTH = 90;

const trimmedText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const textsOf = (...values: unknown[]): string[] =>
	values.map(trimmedText).filter((text) => text !== '');

export const labelOf = ({ label, name, id }: Json): string => textsOf(label, name, id)[0] ?? '';

/** What is known of an entry that has no name: `image · studio/image-1 · completed · gen_1`. */
export const joined = (...parts: unknown[]): string => textsOf(...parts).join(' · ');

function shortened(text: string): string {
	const sentence = text.replace(/\s+/g, ' ').replace(/\.$/, '');
	if (sentence.length <= MAX_DESCRIPTION_LENGTH) return sentence;
	return `${sentence.slice(0, MAX_DESCRIPTION_LENGTH).replace(/\s+\S*$/, '')} …`;
}

/**
 * A model as a person chooses it: what it is called, what it makes and what it is good at. The
 * picker of n8n shows nothing but the name. The specification shows no field of a catalogue entry
 * but its voices, so each may be missing.
 */
export function modelName(model: Json, mode?: string): string {
	const [kind] = textsOf(model.kind, model.type);
	const isNews = kind !== undefined && kind !== mode && kind !== 'model';
	const named = isNews ? `${labelOf(model)} (${kind})` : labelOf(model);
	const description = shortened(trimmedText(model.description));
	return description === '' ? named : `${named} – ${description}`;
}

/** `English (US)` of `English (United States)` and `en-US`; less where less is known. */
function languageOf(voice: Json): string {
	const code = trimmedText(voice.language_code);
	const name = trimmedText(voice.language_name).replace(/\s*\(.*\)$/, '');
	const region = /[-_]([A-Za-z]{2}|\d{3})$/.exec(code)?.[1]?.toUpperCase();
	if (name === '') return code;
	return region === undefined ? trimmedText(voice.language_name) : `${name} (${region})`;
}

/** `Ava – English (US), female`. Specification: PresetVoice. */
export function presetVoiceName(voice: Json): string {
	// Some labels hold the language already.
	const called = labelOf(voice).replace(` (${trimmedText(voice.language_name)})`, '');
	const known = textsOf(languageOf(voice), voice.gender);
	return known.length === 0 ? called : `${called} – ${known.join(', ')}`;
}

const WAY_IT_WAS_MADE: Record<string, string> = { clone: ', cloned', design: ', designed' };

/** `Narrator – custom voice, cloned`. Specification: Voice. */
export const customVoiceName = (voice: Json): string =>
	`${labelOf(voice)} – custom voice${WAY_IT_WAS_MADE[trimmedText(voice.kind)] ?? ''}`;

/** `vendor/speech-2.8-turbo` is `Speech 2.8 Turbo`, where the catalogue gives no better name. */
export function nameFromId(id: string): string {
	const words = id.slice(id.lastIndexOf('/') + 1).split(/[-_]/);
	return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join(' ');
}

/** Case-insensitive match on the shown name and on the id. */
export function matches(filter: string | undefined, ...texts: string[]): boolean {
	const wanted = (filter ?? '').trim().toLowerCase();
	return wanted === '' || texts.some((text) => text.toLowerCase().includes(wanted));
}

interface ChoiceQuery {
	filter?: string;
	/** Of a further page, and of the one after it. */
	cursor?: string;
	next?: string;
	/** What to do if there is nothing to choose. */
	empty: string;
}

/**
 * The choices of a picker that fit what was typed. A list with nothing in it says what to do, as a
 * line that chooses nothing: the picker has no other place for words.
 */
export function choicesOf(
	all: INodeListSearchItems[],
	{ filter, cursor, next, empty }: ChoiceQuery,
): INodeListSearchResult {
	if (all.length === 0 && !cursor && !next && !filter?.trim())
		return { results: [{ name: empty, value: '' }] };
	const results = all.filter(({ name, value }) => matches(filter, name, String(value)));
	// A page that names itself as the next one would be loaded without end.
	return { results, paginationToken: next === cursor ? undefined : next };
}
