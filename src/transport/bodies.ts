import { unlessAborted } from '../base/abort';
import { isUnreadable } from '../base/values';
import { cut } from '../base/texts';
import { isRecord, textOf } from '../api';

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
