import { BoundedMap, getOrCreate } from '../base/maps';
import { unwrapped, withoutSlashes } from '../base/texts';
import type { Json } from '../base/types';
import { ENDPOINTS, LIMITS, SCOPES, type Scope } from '../api';
import { addressKind, isSecure, parseUrl } from '../base/urls';

/*
 * What a credential says (`readCredential`), and that its key is never shown (`maskSecret`): it may stand in
 * what a service or a gateway sends back, written as JSON, a URL, a page, base64 or hex write it. No row,
 * error or log shows it.
 */

/** The credential that all nodes send with. */
export const CREDENTIAL = 'mediaGenApi';

/** The configured limits of a workspace. Specification: Limits (defaults 60 and 5). */
export interface RateLimits {
	requestsPerMinute: number;
	concurrentJobs: number;
}

/** The version at the end of a base URL. Specification: Conventions and Versioning 1. */
const VERSION = /\/v\d+$/;

/**
 * The first part of the paths of operations, such as `models`. It follows the version in an address that was
 * copied from a request.
 */
const OPERATIONS = new Set(Object.values(ENDPOINTS).map(({ path }) => path.split('/')[1]));

/** The path of a base URL without the path of an operation that was copied along with it. */
function basePath(pathname: string): string {
	const path = withoutSlashes(pathname);
	const [, version, operation = ''] = /^(.*?\/v\d+)\/([^/]+).*$/.exec(path) ?? [];
	return version !== undefined && OPERATIONS.has(operation) ? version : path;
}

/** The base URL at the beginning of an address of the API; `undefined` if the address contains no version. */
export function baseUrlIn(address: string): string | undefined {
	const url = parseUrl(address);
	if (!url || !isSecure(url, address)) return undefined;
	const path = basePath(url.pathname);
	return VERSION.test(path) ? `${url.origin}${path}` : undefined;
}

/** The base URL to use, or what is wrong with the text that was entered. */
export type BaseUrl = Pick<Access, 'baseUrl' | 'isLocal'> | { problem: string };

/** An address without a scheme, such as `api.example.com/v1` or `localhost:4010`. */
const WITHOUT_SCHEME = /^([\w-]+(\.[\w-]+)+|localhost|\[[\da-f:]+\])(:\d+)?(\/[^\s@]*)?$/i;

/** Adds the scheme that is missing: http for a service on this machine, https for any other. */
function withScheme(text: string): string {
	if (!WITHOUT_SCHEME.test(text)) return text;
	const isHere = addressKind(parseUrl(`https://${text}`)?.hostname ?? '') === 'loopback';
	return `${isHere ? 'http' : 'https'}://${text}`;
}

/**
 * The base URL that somebody means. Blanks, quotes and slashes around it are removed, and so is what follows
 * a `?` or `#`, and the path of an operation. A missing scheme and a missing version are added. The key
 * travels with every request, so the address must be https (http only on this machine) and may not contain a
 * user name.
 * Specification: Conventions, "{base_url} already ends in `/v1`".
 */
export function readBaseUrl(value: unknown): BaseUrl {
	const entered = unwrapped(typeof value === 'string' ? value : '');
	if (entered === '')
		return {
			problem: 'is empty: write the address of the API, such as https://api.example.com/v1',
		};
	const text = withScheme(entered);
	const url = parseUrl(text);
	if (!url || !/^[a-z]+:\/\//i.test(text)) {
		const problem =
			'is not a complete address: write it in full, such as https://api.example.com/v1';
		return { problem };
	}
	if (url.username || url.password) return { problem: 'must not contain a user name or password' };
	if (!isSecure(url, text))
		return {
			problem: 'must begin with https:// (http:// only for a service on this machine)',
		};
	const isLocal = addressKind(url.hostname) === 'loopback';
	const path = basePath(url.pathname);
	if (VERSION.test(path)) return { baseUrl: `${url.origin}${path}`, isLocal };
	const [version] = /^.*?\/v\d+(?=\/)/.exec(path) ?? [];
	if (version === undefined) return { baseUrl: `${url.origin}${path}/v1`, isLocal };
	return { problem: `must end in /v1: write ${url.origin}${version}` };
}

/** What people copy along with a key: the name of a header or of a variable, and `Bearer`. */
const BEFORE_KEY =
	/^(authorization\s*:\s*|bearer\s+|(export\s+|set\s+)?[a-z_]\w*\s*=\s*(?=[^\s=]))/i;

/** A key without what was copied along with it, as far as that is certainly not part of it. */
function keyIn(text: string): string {
	let key = unwrapped(text);
	// For example `export AUTHORIZATION="Bearer …"`, which has several layers.
	for (let layer = 0; layer < 8; layer += 1) key = unwrapped(key.replace(BEFORE_KEY, ''));
	return key;
}

/** Signs that occur in no key. Equals signs at the end are allowed: base64 is filled up with them. */
const NO_KEY: Array<[sign: RegExp, name: string]> = [
	[/\s/, 'a blank or a line break'],
	[/["'`]/, 'a quote'],
	[/=[^=]/, 'an equals sign'],
	[/[^\x21-\x7e]/, 'a character that no key has'],
];

function keyProblem(key: string): string | undefined {
	if (key === '') return 'is empty: enter a key of your workspace';
	const [, found] = NO_KEY.find(([sign]) => sign.test(key)) ?? [];
	return found && `contains ${found}: copy only the key itself`;
}

/** What a credential says of the service and of the key for it. */
export interface Access {
	baseUrl: string;
	/** Whether the service runs on this machine, such as the sandbox. */
	isLocal: boolean;
	apiKey: string;
	limits: RateLimits;
	/** The scopes that the key lacks. */
	excludedScopes: readonly Scope[];
}

/** What is read from a credential, or which of its fields cannot be used and why. */
export type CredentialRead =
	(Access & { problem?: undefined }) | { field: keyof typeof IN_A_SENTENCE; problem: string };

/** The fields of the credential that may have a problem, as they are called in a sentence. */
const IN_A_SENTENCE = {
	'Base URL': 'The base URL',
	'API Key': 'The API key',
	'Scopes of the Key': 'The field Scopes of the Key',
};

/**
 * The problem of a credential as a sentence.
 * @param whose added after the field, such as ` of the credential`
 */
export function credentialProblem(read: CredentialRead, whose = ''): string | undefined {
	if (read.problem === undefined) return undefined;
	return `${IN_A_SENTENCE[read.field]}${whose} ${read.problem}`;
}

/**
 * The scopes must be a list: a text would silently limit nothing. The text is not shown, because it may be a
 * key that was pasted into the wrong field.
 */
function scopesProblem(scopes: unknown): string | undefined {
	if (Array.isArray(scopes) || scopes === undefined || scopes === null || scopes === '')
		return undefined;
	return 'must be a list, such as ["generations:write", "generations:read"]: choose scopes in it, or empty it';
}

/**
 * Reads a credential, in one way for all who send with it. What was copied along with the base URL and the
 * key is removed. The text of a problem never contains the key.
 */
export function readCredential(credential: Json): CredentialRead {
	const address = readBaseUrl(credential.baseUrl);
	if ('problem' in address) return { field: 'Base URL', problem: address.problem };
	const apiKey = keyIn(typeof credential.apiKey === 'string' ? credential.apiKey : '');
	const problem = keyProblem(apiKey);
	if (problem !== undefined) return { field: 'API Key', problem };
	const ofScopes = scopesProblem(credential.scopes);
	if (ofScopes !== undefined) return { field: 'Scopes of the Key', problem: ofScopes };
	const excludedScopes = excludedBy(credential.scopes);
	return { ...address, apiKey, limits: rateLimitsOf(credential), excludedScopes };
}

/** The scopes that a list of scopes leaves out. An empty list says nothing. */
function excludedBy(scopes: unknown): Scope[] {
	if (!Array.isArray(scopes) || scopes.length === 0) return [];
	return SCOPES.filter((scope) => !scopes.includes(scope));
}

/**
 * A limit of the credential. Fractions are rounded down: 2.5 jobs at a time are two. It is at least 1,
 * because a lower one would let nothing through.
 */
const positive = (value: unknown, fallback: number) => {
	const number = Number(value);
	return Number.isFinite(number) && number > 0 ? Math.max(1, Math.floor(number)) : fallback;
};

const rateLimitsOf = (credential: Json): RateLimits => ({
	requestsPerMinute: positive(credential.requestsPerMinute, LIMITS.requestsPerMinute),
	concurrentJobs: positive(credential.concurrentJobs, LIMITS.concurrentJobs),
});

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
