import { isRecord, type Json } from '../contract';

/** Deeper than any event, yet shallow enough for recursive code in n8n. */
const MAX_DEPTH = 256;

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Whether arrays and objects are nested too deeply. Scans the text, so that no recursive code sees
 * it before.
 */
function isTooDeep(text: string): boolean {
	let depth = 0;
	let inString = false;
	for (let at = 0; at < text.length; at += 1) {
		const character = text[at];
		if (inString) {
			if (character === '\\') at += 1;
			else if (character === '"') inString = false;
		} else if (character === '"') inString = true;
		else if (character === '{' || character === '[') depth += 1;
		else if (character === '}' || character === ']') depth -= 1;
		if (depth > MAX_DEPTH) return true;
	}
	return false;
}

/**
 * `JSON.parse` creates own properties of this name, which a later merge could turn into a
 * prototype.
 */
const withoutPrototype = (name: string, value: unknown) =>
	name === '__proto__' ? undefined : value;

/**
 * The object that a verified body holds; bytes that are not UTF-8 become U+FFFD. Never throws:
 * `undefined` for what is not JSON, no object or nested too deeply, none of which can be an event.
 */
export function readPayload(rawBody: Uint8Array): Json | undefined {
	const text = Buffer.from(rawBody).toString('utf8');
	const body = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
	if (isTooDeep(body)) return undefined;
	try {
		const parsed: unknown = JSON.parse(body, withoutPrototype);
		return isRecord(parsed) ? parsed : undefined;
	} catch {
		return undefined;
	}
}
