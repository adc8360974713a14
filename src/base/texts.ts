/** What nobody sees: blanks, control characters, and what Unicode calls ignorable, such as U+200B. */
const UNSEEN = '[\\s\\p{Cc}\\p{Cf}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2800]';

const ONLY_UNSEEN = new RegExp(`^${UNSEEN}*$`, 'u');
/** The second begins at the first of several, so that none of the others is a beginning of its own to try. */
const UNSEEN_ENDS = new RegExp(`^${UNSEEN}+|(?<!${UNSEEN})${UNSEEN}+$`, 'gu');

/** Whether a text has nothing that anybody could see. */
export const isBlank = (text: string): boolean => ONLY_UNSEEN.test(text);

/** A text without what nobody sees at its ends. */
export const trimmed = (text: string): string => text.replace(UNSEEN_ENDS, '');

/** Half of an emoji, as `substring` leaves it, and NUL: no service can be relied on to take them. */
const UNSENDABLE = /[\0\p{Surrogate}]/gu;

/** An address or a path without slashes at its end. */
export const withoutSlashes = (text: string): string => text.replace(/(?<!\/)\/+$/, '');

/** A text as it may go out: well-formed Unicode without NUL. */
export const sendable = (text: string): string => text.replace(UNSENDABLE, '');

/** What people and models put around a value that they hand on. */
const AROUND: Record<string, string> = {
	'"': '"',
	"'": "'",
	'`': '`',
	'<': '>',
	'“': '”',
	'„': '“',
	'‘': '’',
	'«': '»',
};

/** Nobody puts more around a value. */
const MOST_LAYERS = 8;

/** A text without the blanks, quotes and angle brackets around it. */
export function unwrapped(text: string): string {
	let inner = trimmed(text);
	for (let layer = 0; layer < MOST_LAYERS; layer += 1) {
		const closing = AROUND[inner.charAt(0)];
		if (inner.length < 2 || closing === undefined || !inner.endsWith(closing)) break;
		inner = trimmed(inner.slice(1, -1));
	}
	return inner;
}

/** A text of at most so many characters, of which the last says that there were more. */
export function cut(text: string, max: number): string {
	if (text.length <= max) return text;
	const characters = [...text.slice(0, 2 * max)];
	if (characters.length <= max && text.length <= 2 * max) return text;
	return `${characters.slice(0, max - 1).join('')}…`;
}

/** Characters of a value in an error. */
const MOST_SHOWN = 60;

function written(value: unknown): string {
	if (typeof value === 'bigint') return String(value);
	if (typeof value === 'number') return String(value);
	try {
		return JSON.stringify(value) ?? `a value of the type ${typeof value}`;
	} catch {
		// A circular object, or one with a throwing toJSON.
		return `a value of the type ${typeof value}`;
	}
}

/** A value as an error shows it: on one line, cut, a text in quotes. */
export function quoted(value: unknown): string {
	if (value === undefined) return 'nothing';
	const isText = typeof value === 'string';
	const line = (isText ? value : written(value)).slice(0, 10 * MOST_SHOWN);
	const characters = [...line.replace(/[\s\p{Cc}]+/gu, ' ')];
	const isCut = characters.length > MOST_SHOWN;
	const shown = `${characters.slice(0, MOST_SHOWN).join('')}${isCut ? '…' : ''}`;
	return isText ? `"${shown}"` : shown;
}

/** `vendor/speech-2.8-turbo` is `Speech 2.8 Turbo`, where the catalogue gives no better name. */
export function nameFromId(id: string): string {
	const words = id.slice(id.lastIndexOf('/') + 1).split(/[-_]/);
	return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join(' ');
}
