import { BoundedMap, getOrCreate } from '../base/maps';

/*
 * The API key may stand in what a service or a gateway sends back, written as JSON, a URL, a page, base64 or
 * hex write it. No row, error or log shows it.
 */

const MASK = '***';

/** A shorter secret would be found in ordinary words. */
const SHORTEST = 8;

/** The patterns of the keys in use are kept, because every answer is searched for them. */
const patterns = new BoundedMap<string, RegExp>(20);

/** Masks a secret in an answer of the service. Returns the same value if the secret does not occur in it. */
export function maskSecret<T>(value: T, secret: string): T {
	if (secret.length < SHORTEST) return value;
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	const pattern = getOrCreate(patterns, secret, () => patternOf(secret));
	return text !== undefined && text.search(pattern) !== -1 ? (masked(value, pattern) as T) : value;
}

function masked(value: unknown, pattern: RegExp): unknown {
	if (typeof value === 'string') return value.replace(pattern, MASK);
	if (Array.isArray(value)) return value.map((entry) => masked(entry, pattern));
	if (typeof value !== 'object' || value === null) return value;
	const entries: unknown[] = Object.entries(value).map((entry) => masked(entry, pattern));
	return Object.fromEntries(entries as Array<[string, unknown]>);
}

function patternOf(secret: string): RegExp {
	const asText = [...secret].map(spellingsOf).join('');
	const asHex = [...secret].map(hexOf).join('');
	return new RegExp([asText, ...base64Of(secret), asHex].join('|'), 'g');
}

/** Characters that HTML writes by name. */
const NAMED: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt' };

/**
 * A pattern of one character in every way in which JSON, a URL, a mail or HTML may write it, also one inside
 * the other. The pattern of the first character does not begin with a backslash: in a text of a million
 * backslashes each of them would be tried as a beginning.
 */
function spellingsOf(character: string, position: number): string {
	const backslashes = position === 0 ? '' : '\\\\{0,8}';
	const hex = hexOf(character);
	const plain = character.replace(/[^A-Za-z0-9]/g, '\\$&');
	const inText = `${backslashes}(?:${plain}|[ux](?:00)?${hex})`;
	const inUrlOrMail = `[%=](?:25){0,3}${hex}`;
	const ampersand = `(?:&|${backslashes}u0026|%26)`;
	const semicolon = '(?:;|%3[bB])';
	const entities = [`#${character.charCodeAt(0)}`, `#x${hex}`, NAMED[character]];
	const entity = entities.filter((name) => name !== undefined).join('|');
	const onPage = `${ampersand}(?:amp${semicolon}){0,3}(?:${entity})${semicolon}`;
	return `(?:${onPage}|${inText}|${inUrlOrMail})`;
}

/** A pattern of the code of a character in hex, in lower and upper case. */
function hexOf(character: string): string {
	const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
	return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/**
 * Patterns of a text as it looks within base64. Base64 takes three bytes at a time, so there is one pattern
 * for each place at which the text may begin.
 */
function base64Of(secret: string): string[] {
	return [0, 1, 2].map((before) => {
		const encoded = Buffer.from('\0'.repeat(before) + secret).toString('base64');
		// The characters at the ends depend on the bytes before and after the text too, so they are left out.
		const whole = encoded.slice(before === 0 ? 0 : before + 1).replace(/.?=+$/, '');
		const signs = whole.replace(
			/[+/]/g,
			(sign, position: number) => `(?:${spellingsOf(sign, position)}|${sign === '+' ? '-' : '_'})`,
		);
		return `[\\w+/-]{0,2}${signs}[\\w+/=-]{0,4}`;
	});
}
