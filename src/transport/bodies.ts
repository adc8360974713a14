import { unlessAborted } from '../base/abort';
import { BoundedMap } from '../base/boundedMap';
import { cut } from '../base/texts';
import { isRecord, textOf } from '../api';

/** Parsed JSON, with or without a byte order mark before it, or the text itself if it is no JSON. */
export function parsed(text: string): unknown {
	const bare = text.replace(/^\ufeff/, '');
	try {
		return JSON.parse(bare);
	} catch {
		return bare;
	}
}

/** Read of what a storage says, in bytes, and waited for it, in ms. */
const MAX_SAID = 4_096;
const MAX_WAIT_MS = 10_000;

/** The beginning of what a storage says; empty if it cannot be read. */
export async function saidIn(body: NodeJS.ReadableStream, end: AbortSignal): Promise<string> {
	const read = async () => {
		let said = '';
		for await (const piece of body) {
			said += String(piece);
			if (said.length >= MAX_SAID) break;
		}
		return said.slice(0, MAX_SAID);
	};
	const deadline = AbortSignal.any([end, AbortSignal.timeout(MAX_WAIT_MS)]);
	return await unlessAborted(deadline, read()).catch(() => '');
}

/** Stand for a body that nobody can read: the next one would be no other. */
export const TOO_LONG = Symbol('too long');
export const TOO_DEEP = Symbol('nested too deeply');

export const isUnreadable = (body: unknown): body is symbol => typeof body === 'symbol';

/** More levels than any answer has: what walks through them, here and in n8n, ends without an answer. */
const MAX_LEVELS = 200;

/** A body, unless its lists and objects stand in each other so deep that nothing can be done with them. */
export function readable(body: unknown): unknown {
	let level = [body];
	for (let depth = 0; depth < MAX_LEVELS && level.length > 0; depth += 1) {
		const parents = level.filter((one) => typeof one === 'object' && one !== null);
		level = parents.flatMap((one) => Object.values(one as object) as unknown[]);
	}
	return level.length > 0 ? TOO_DEEP : body;
}

const isMarkup = (text: string): boolean => /^\s*<[!?a-z]/i.test(text);

/** What an answer is, where something else was expected. Nothing of its content: it may be anybody's page. */
export function whatCame(body: unknown): string {
	if (body === undefined || body === null || body === '') return 'empty';
	if (isUnreadable(body)) return body.description ?? '';
	if (Array.isArray(body)) return 'a JSON list';
	if (isRecord(body)) return 'a JSON object';
	if (typeof body !== 'string') return `a JSON ${typeof body}`;
	if (isMarkup(body)) return /^\s*<\?xml/i.test(body) ? 'an XML document' : 'a web page';
	return /^\s*[{[]/.test(body) ? 'JSON that breaks off' : 'text that is no JSON';
}

/** Longest message of others that is shown, in characters. */
const MAX_LENGTH = 300;

/** Looked at of a message: what comes later is cut off in any case. */
const MAX_READ = 4_000;

/** A text of others as it may be shown: one line without markup and without signatures of links, cut off. */
export function plainText(text: string): string {
	const words = text
		.slice(0, MAX_READ)
		.replace(/<(script|style)\b[^>]*>[^<]*/gi, ' ')
		.replace(/<\/?[a-z!][^<>]*>?/gi, ' ')
		.replace(/(https?:\/\/[^\s"'<>?]+)\?[^\s"'<>]*/gi, '$1?…')
		.replace(/[\s\p{Cc}\p{Surrogate}]+/gu, ' ')
		.trim();
	return cut(words, MAX_LENGTH);
}

/** Where services and gateways put their message: the first text counts, a mere title comes last. */
const PLACES = [
	'message',
	'error_description',
	'detail',
	'msg',
	'error',
	'errors',
	'details',
	'reason',
	'title',
];

/** How deep a message may lie, such as `errors[0].error.message`. */
const MAX_DEPTH = 4;

/**
 * The first message in what a service says: a text, or the first text among the usual places of an
 * object or of the entries of a list. `undefined` if there is none.
 */
export function messageIn(said: unknown, depth = 0): string | undefined {
	if (typeof said === 'string') return textOf(plainText(said));
	if (depth >= MAX_DEPTH) return undefined;
	let candidates: unknown[] = [];
	if (Array.isArray(said)) candidates = said.slice(0, 10);
	else if (isRecord(said)) candidates = PLACES.map((place) => said[place]);
	for (const candidate of candidates) {
		const message = messageIn(candidate, depth + 1);
		if (message !== undefined) return message;
	}
	return undefined;
}

/** What names the field that a message is about, and what says nothing to a person. */
const FIELD_NAMES = ['field', 'param', 'parameter', 'path', 'loc', 'property', 'pointer'];
const NOT_SAID = /^(id|code|type|status|.*_?(id|url|at))$/i;

/** The first particular of a general message, such as `prompt: is too long`, in whatever shape it comes. */
export function particularIn(details: unknown, depth = 0): string | undefined {
	if (typeof details === 'string') return textOf(plainText(details));
	if (depth >= MAX_DEPTH) return undefined;
	const within = (values: unknown[]) =>
		values
			.slice(0, 10)
			.map((value) => particularIn(value, depth + 1))
			.find((found) => found !== undefined);
	if (Array.isArray(details)) return within(details);
	if (!isRecord(details)) return undefined;
	const texts = ['message', 'detail', 'msg', 'reason', 'description'].map((name) => details[name]);
	const message = within(texts.filter((text) => typeof text === 'string'));
	if (message !== undefined) {
		const names = FIELD_NAMES.map((name) => [details[name]].flat().join('.'));
		const field = names.find((name) => name !== '');
		return field === undefined ? message : `${plainText(field)}: ${message}`;
	}
	for (const [name, value] of Object.entries(details).slice(0, 10)) {
		const [first] = [value].flat() as unknown[];
		const found = NOT_SAID.test(name) ? undefined : within([value]);
		if (found !== undefined) return typeof first === 'string' ? `${name}: ${found}` : found;
	}
	return undefined;
}

/** The title of a web page; it often names the proxy. */
const titleOf = (page: string): string | undefined =>
	textOf(plainText(/<title[^>]*>([^<]{1,500})/i.exec(page.slice(0, MAX_READ))?.[1] ?? ''));

/** What a page or text says of itself, which answers instead of the service. */
export const wordsOfPage = (text: string): string | undefined =>
	isMarkup(text) ? titleOf(text) : textOf(plainText(text));

/* The key, which may stand in what comes back. */

const MASK = '***';

/** A shorter one would be found in what is none. */
const SHORTEST = 8;

/** Characters that a page names. */
const NAMED: Record<string, string> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
};

/**
 * A character as JSON, a URL or a page writes it, also where one has been put into the other. Nothing begins
 * with a backslash: at each of a million of them a beginning would be tried.
 */
function spellingsOf(character: string, place: number): string {
	const escaping = place === 0 ? '' : '\\\\{0,8}';
	const hex = hexOf(character);
	const plain = character.replace(/[^A-Za-z0-9]/g, '\\$&');
	const code = `#(?:0{0,5}${character.charCodeAt(0)}|[xX]0{0,4}${hex})`;
	const entity = [code, NAMED[character]].filter((name) => name !== undefined).join('|');
	const ampersand = `(?:&|${escaping}u0026|%(?:25){0,3}26)`;
	const semicolon = '(?:;|%(?:25){0,3}3[bB])';
	const ofPage = `${ampersand}(?:amp${semicolon}){0,3}(?:${entity})${semicolon}`;
	return `(?:${ofPage}|${escaping}(?:${plain}|[ux](?:00)?${hex})|%(?:25){0,3}${hex})`;
}

/** The code of a character in hex, in large and small digits. */
function hexOf(character: string): string {
	const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
	return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** What base64 makes of a text that stands somewhere in another: there are three places for it. */
function base64Of(secret: string): string[] {
	return [0, 1, 2].map((before) => {
		const encoded = Buffer.from('\0'.repeat(before) + secret).toString('base64');
		// What depends on the bytes before and after it is left out.
		const whole = encoded.slice(before === 0 ? 0 : before + 1).replace(/.?=+$/, '');
		const signs = whole.replace(
			/[+/]/g,
			(sign, place: number) => `(?:${spellingsOf(sign, place)}|${sign === '+' ? '-' : '_'})`,
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
	const hex = [...secret].map(hexOf).join('');
	const all = [written, ...base64Of(secret), hex];
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
