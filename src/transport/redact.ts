import { BoundedMap } from '../base/boundedMap';

const MASK = '***';

/** A shorter one would be found in what is none. */
const SHORTEST = 8;

/** A character as JSON, a URL or a page writes it, also where one has been put into the other. */
function spellingsOf(character: string): string {
	const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
	const plain = character.replace(/[^A-Za-z0-9]/g, '\\$&');
	const either = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
	const entity = `&#(?:0{0,5}${character.charCodeAt(0)}|[xX]0{0,4}${either});`;
	return `(?:\\\\{0,8}(?:${plain}|u00${either})|%(?:25){0,3}${either}|${entity})`;
}

/** What base64 makes of a text that stands somewhere in another: there are three places for it. */
function base64Of(secret: string): string[] {
	return [0, 1, 2].map((before) => {
		const encoded = Buffer.from('\0'.repeat(before) + secret).toString('base64');
		// What depends on the bytes before and after it is left out.
		const whole = encoded.slice(before === 0 ? 0 : before + 1).replace(/.?=+$/, '');
		const signs = whole.replace(/[+/]/g, (sign) =>
			sign === '+' ? '(?:[+-]|%2[Bb])' : '(?:\\\\{0,8}/|_|%2[Ff])',
		);
		return `[\\w+/-]{0,2}${signs}[\\w+/=-]{0,4}`;
	});
}

/** Patterns of the keys in use: each is needed with every answer. */
const patterns = new BoundedMap<string, RegExp>(20);

/** Finds a key however it is written: plain, escaped, URL-encoded, in base64, in hex. */
function patternOf(secret: string): RegExp {
	const known = patterns.get(secret);
	if (known) return known;
	const written = [...secret].map(spellingsOf).join('');
	const hex = Buffer.from(secret).toString('hex');
	const all = [written, ...base64Of(secret), hex, hex.toUpperCase()];
	const pattern = new RegExp(all.join('|'), 'g');
	patterns.set(secret, pattern);
	return pattern;
}

function masked(value: unknown, pattern: RegExp): unknown {
	if (typeof value === 'string') return value.replace(pattern, MASK);
	if (Array.isArray(value)) return value.map((entry) => masked(entry, pattern));
	if (typeof value !== 'object' || value === null) return value;
	const entries: unknown[] = Object.entries(value).map((entry) => masked(entry, pattern));
	return Object.fromEntries(entries as Array<[string, unknown]>);
}

/** Removes a secret from what the service sent back. Returns the value itself if it has none. */
export function withoutSecret<T>(value: T, secret: string): T {
	if (secret.length < SHORTEST) return value;
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	const pattern = patternOf(secret);
	return text !== undefined && text.search(pattern) !== -1 ? (masked(value, pattern) as T) : value;
}
