/**
 * Characters that are invisible: blanks, control characters, and what Unicode calls ignorable, such as
 * U+200B.
 */
const UNSEEN = '[\\s\\p{Cc}\\p{Cf}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2800]';

const ONLY_UNSEEN = new RegExp(`^${UNSEEN}*$`, 'u');
/**
 * The second alternative begins only at the first of several such characters. Otherwise each of them would be
 * tried as a beginning, which takes quadratic time.
 */
const UNSEEN_ENDS = new RegExp(`^${UNSEEN}+|(?<!${UNSEEN})${UNSEEN}+$`, 'gu');

/** Whether a text has no visible character. */
export const isBlank = (text: string): boolean => ONLY_UNSEEN.test(text);

/** A text without the invisible characters at its ends. */
export const trimmed = (text: string): string => text.replace(UNSEEN_ENDS, '');

/** Half of an emoji, as `substring` may leave it, and NUL. Not every service takes them. */
const UNSENDABLE = /[\0\p{Surrogate}]/gu;

/** An address or a path without the slashes at its end. */
export const withoutSlashes = (text: string): string => text.replace(/(?<!\/)\/+$/, '');

/** A text as it may be sent: well-formed Unicode without NUL. */
export const sendable = (text: string): string => text.replace(UNSENDABLE, '');

/** Pairs of characters that people and language models put around a value. */
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

/** At most so many pairs around a value are removed. */
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

/** A text of at most so many characters. If it was longer, its last character is an ellipsis. */
export function cut(text: string, max: number): string {
	if (text.length <= max) return text;
	const characters = [...text.slice(0, 2 * max)];
	if (characters.length <= max && text.length <= 2 * max) return text;
	return `${characters.slice(0, max - 1).join('')}…`;
}

/** The most characters of a value that an error shows. */
const MOST_SHOWN = 60;

function written(value: unknown): string {
	if (typeof value === 'bigint') return String(value);
	if (typeof value === 'number') return String(value);
	try {
		return JSON.stringify(value) ?? `a value of the type ${typeof value}`;
	} catch {
		// The value is a circular object, or its toJSON throws.
		return `a value of the type ${typeof value}`;
	}
}

/** The user and password in an address, such as that of a proxy. */
const SIGN_IN = /\/\/[^\s/?#]*@/g;

/** A value as an error shows it: on one line, cut off, a text in quotes, addresses without their password. */
export function quoted(value: unknown): string {
	if (value === undefined) return 'nothing';
	const isText = typeof value === 'string';
	const text = (isText ? value : written(value)).slice(0, 10 * MOST_SHOWN);
	const line = text.replace(SIGN_IN, '//…@');
	const characters = [...line.replace(/[\s\p{Cc}]+/gu, ' ')];
	const isCut = characters.length > MOST_SHOWN;
	const shown = `${characters.slice(0, MOST_SHOWN).join('')}${isCut ? '…' : ''}`;
	return isText ? `"${shown}"` : shown;
}

/**
 * A name made of an id, if the catalogue gives no better one: `vendor/speech-2.8-turbo` is `Speech 2.8
 * Turbo`.
 */
export function nameFromId(id: string): string {
	const words = id.slice(id.lastIndexOf('/') + 1).split(/[-_]/);
	return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join(' ');
}

/** Credits rounded up to hundredths, so that no amount is shown lower than it is. */
export const roundedUp = (credits: number): number => Math.ceil(credits * 100 - 1e-6) / 100;

/** A number with what it counts, such as `1 job` or `2 jobs`. */
export const counted = (count: number, one: string): string =>
	`${count} ${count === 1 ? one : `${one}s`}`;

/** `1 credit`, `24 credits`. */
export const creditWords = (credits: number): string => counted(roundedUp(credits), 'credit');
