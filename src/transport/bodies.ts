import { unlessAborted } from '../base/abort';
import { BoundedMap } from '../base/boundedMap';
import { cut } from '../base/texts';
import { isRecord, textOf } from '../api';

/**
 * A text as parsed JSON, with or without a byte order mark before it. A text that is no JSON stays as it is.
 */
export function parsed(text: string): unknown {
	const bare = text.replace(/^\ufeff/, '');
	try {
		return JSON.parse(bare);
	} catch {
		return bare;
	}
}

/** At most so many bytes of the answer of a storage are read, and so long is waited for it, in ms. */
const MAX_SAID = 4_096;
const MAX_WAIT_MS = 10_000;

/** The beginning of the text with which a storage answers; empty if it cannot be read. */
export async function storageWords(body: NodeJS.ReadableStream, end: AbortSignal): Promise<string> {
	const read = async () => {
		let text = '';
		for await (const piece of body) {
			text += String(piece);
			if (text.length >= MAX_SAID) break;
		}
		return text.slice(0, MAX_SAID);
	};
	const deadline = AbortSignal.any([end, AbortSignal.timeout(MAX_WAIT_MS)]);
	return await unlessAborted(deadline, read()).catch(() => '');
}

/** These stand for a body that cannot be used. Asked again, the service would send the same one. */
export const TOO_LONG = Symbol('too long');
export const TOO_DEEP = Symbol('nested too deeply');

export const isUnreadable = (body: unknown): body is symbol => typeof body === 'symbol';

/** More levels than any answer has. Recursive code, here and in n8n, would fail at deeper ones. */
const MAX_LEVELS = 200;

/** A body, or {@link TOO_DEEP} if its lists and objects are nested too deeply to be used. */
export function readable(body: unknown): unknown {
	let level = [body];
	for (let depth = 0; depth < MAX_LEVELS && level.length > 0; depth += 1) {
		const parents = level.filter((one) => typeof one === 'object' && one !== null);
		level = parents.flatMap((one) => Object.values(one as object) as unknown[]);
	}
	return level.length > 0 ? TOO_DEEP : body;
}

const isMarkup = (text: string): boolean => /^\s*<[!?a-z]/i.test(text);

/**
 * What came instead of the expected body, in words. The words contain nothing of the body, which may be
 * anybody's page.
 */
export function whatCame(body: unknown): string {
	if (body === undefined || body === null || body === '') return 'empty';
	if (isUnreadable(body)) return body.description ?? '';
	if (Array.isArray(body)) return 'a JSON list';
	if (isRecord(body)) return 'a JSON object';
	if (typeof body !== 'string') return `a JSON ${typeof body}`;
	if (isMarkup(body)) return /^\s*<\?xml/i.test(body) ? 'an XML document' : 'a web page';
	return /^\s*[{[]/.test(body) ? 'JSON that breaks off' : 'text that is no JSON';
}

/** The longest message of a service or gateway that is shown, in characters. */
const MAX_LENGTH = 300;

/** Only so many characters of a message are looked at. What comes later would be cut off in any case. */
const MAX_READ = 4_000;

/**
 * A text of a service or gateway in a form that may be shown: one line, without markup, without the query of
 * links (which may be signed), and cut off.
 */
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

/**
 * The fields in which services and gateways put their message. The first one with a text counts, so a mere
 * title comes last.
 */
const MESSAGE_FIELDS = [
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

/** The greatest depth at which a message is looked for, such as `errors[0].error.message`. */
const MAX_DEPTH = 4;

/**
 * The first message in the body of an answer: the body itself if it is a text, or the first text among the
 * usual fields of an object or of the entries of a list. `undefined` if there is none.
 */
export function messageIn(answer: unknown, depth = 0): string | undefined {
	if (typeof answer === 'string') return textOf(plainText(answer));
	if (depth >= MAX_DEPTH) return undefined;
	let candidates: unknown[] = [];
	if (Array.isArray(answer)) candidates = answer.slice(0, 10);
	else if (isRecord(answer)) candidates = MESSAGE_FIELDS.map((field) => answer[field]);
	for (const candidate of candidates) {
		const message = messageIn(candidate, depth + 1);
		if (message !== undefined) return message;
	}
	return undefined;
}

/** Fields of a detail that name the parameter which the message is about. */
const FIELD_NAMES = ['field', 'param', 'parameter', 'path', 'loc', 'property', 'pointer'];
const NOT_SAID = /^(id|code|type|status|.*_?(id|url|at))$/i;

/**
 * The first detail of an error, such as `prompt: is too long`, in whatever shape the service sends its
 * details.
 */
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

/** The title of a web page, which often names the proxy that sent it. */
const titleOf = (page: string): string | undefined =>
	textOf(plainText(/<title[^>]*>([^<]{1,500})/i.exec(page.slice(0, MAX_READ))?.[1] ?? ''));

/** What a page or a text says that came from a proxy or another server instead of the service. */
export const wordsOfPage = (text: string): string | undefined =>
	isMarkup(text) ? titleOf(text) : textOf(plainText(text));

/* The API key may stand in what a service sends back. What follows takes it out. */

const MASK = '***';

/** A shorter secret would be found in ordinary words. */
const SHORTEST = 8;

/** Characters that HTML writes by name. */
const NAMED: Record<string, string> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
};

/**
 * A pattern of one character in every way in which JSON, a URL or HTML may write it, also one inside the
 * other. The pattern of the first character does not begin with a backslash: in a text of a million
 * backslashes each of them would be tried as a beginning.
 */
function spellingsOf(character: string, position: number): string {
	const escaping = position === 0 ? '' : '\\\\{0,8}';
	const hex = hexOf(character);
	const plain = character.replace(/[^A-Za-z0-9]/g, '\\$&');
	const code = `#(?:0{0,5}${character.charCodeAt(0)}|[xX]0{0,4}${hex})`;
	const entity = [code, NAMED[character]].filter((name) => name !== undefined).join('|');
	const ampersand = `(?:&|${escaping}u0026|%(?:25){0,3}26)`;
	const semicolon = '(?:;|%(?:25){0,3}3[bB])';
	const ofPage = `${ampersand}(?:amp${semicolon}){0,3}(?:${entity})${semicolon}`;
	return `(?:${ofPage}|${escaping}(?:${plain}|[ux](?:00)?${hex})|[%=](?:25){0,3}${hex})`;
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

/** The patterns of the keys in use are kept, because every answer is searched for them. */
const patterns = new BoundedMap<string, RegExp>(20);

/** A pattern that finds a key however it is written: plain, escaped, URL-encoded, in base64 or in hex. */
function patternOf(secret: string): RegExp {
	const keptPattern = patterns.get(secret);
	if (keptPattern) return keptPattern;
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

/** Masks a secret in an answer of the service. Returns the same value if the secret does not occur in it. */
export function withoutSecret<T>(value: T, secret: string): T {
	if (secret.length < SHORTEST) return value;
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	const pattern = patternOf(secret);
	return text !== undefined && text.search(pattern) !== -1 ? (masked(value, pattern) as T) : value;
}
