import { unlessAborted } from '../base/abort';
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
	const characters = [...words];
	if (characters.length <= MAX_LENGTH) return words;
	return `${characters.slice(0, MAX_LENGTH - 1).join('')}…`;
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
