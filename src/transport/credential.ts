import { unwrapped } from '../base/texts';
import type { Json } from '../base/types';
import { LIMITS, type Scope } from '../api';
import { readBaseUrl } from './baseUrl';

/** The credential that all nodes send with. */
export const CREDENTIAL = 'mediaGenApi';

/** The configured limits of a workspace. Specification: Limits (defaults 60 and 5). */
export interface RateLimits {
	requestsPerMinute: number;
	concurrentJobs: number;
}

/** What is copied along with a key: the name of a header or of a variable, and `Bearer`. */
const BEFORE_KEY =
	/^(authorization\s*:\s*|bearer\s+|(export\s+|set\s+)?[a-z_]\w*\s*=\s*(?=[^\s=]))/i;

/** A key without what was copied along with it, as far as that is beyond doubt. */
function keyIn(text: string): string {
	let key = unwrapped(text);
	// Such as `export AUTHORIZATION="Bearer …"`, and twice that.
	for (let layer = 0; layer < 8; layer += 1) key = unwrapped(key.replace(BEFORE_KEY, ''));
	return key;
}

/** The signs at the end fill up base64. */
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

/** What is read from a credential, or which of its fields cannot be used and why. */
export type CredentialRead =
	| { baseUrl: string; apiKey: string; problem?: undefined }
	| { field: keyof typeof IN_A_SENTENCE; problem: string };

/** The fields of the credential that may be of no use, as they stand in a sentence. */
const IN_A_SENTENCE = {
	'Base URL': 'The base URL',
	'API Key': 'The API key',
	'Scopes of the Key': 'The field Scopes of the Key',
};

/** What cannot be used of a credential, as a sentence. @param whose such as ` of the credential` */
export function credentialProblem(read: CredentialRead, whose = ''): string | undefined {
	if (read.problem === undefined) return undefined;
	return `${IN_A_SENTENCE[read.field]}${whose} ${read.problem}`;
}

/** A text would limit nothing in silence. It is not shown: somebody may have pasted a key. */
function scopesProblem(scopes: unknown): string | undefined {
	if (Array.isArray(scopes) || scopes === undefined || scopes === null || scopes === '')
		return undefined;
	return 'must be a list, such as ["generations:write", "generations:read"]: choose scopes in it, or empty it';
}

/**
 * The address and the key of a credential, the same for everybody who sends with it: without the
 * blanks, quotes, `Bearer` and `NAME=` that are copied along. No text of a problem contains the key.
 */
export function readCredential(credential: Json): CredentialRead {
	const address = readBaseUrl(credential.baseUrl);
	if ('problem' in address) return { field: 'Base URL', problem: address.problem };
	const apiKey = keyIn(typeof credential.apiKey === 'string' ? credential.apiKey : '');
	const problem = keyProblem(apiKey);
	if (problem !== undefined) return { field: 'API Key', problem };
	const ofScopes = scopesProblem(credential.scopes);
	if (ofScopes !== undefined) return { field: 'Scopes of the Key', problem: ofScopes };
	return { baseUrl: address.baseUrl, apiKey };
}

/** @param credential one that can be used. @returns the first scope that it excludes */
export function excludedScope(
	{ scopes }: Json,
	needed: Array<Scope | undefined>,
): Scope | undefined {
	if (!Array.isArray(scopes) || scopes.length === 0) return undefined;
	return needed.find((scope) => scope !== undefined && !scopes.includes(scope));
}

/** A fraction is rounded down: 2.5 jobs at a time are two. Less than one would let nothing through. */
const positive = (value: unknown, fallback: number) => {
	const number = Number(value);
	return Number.isFinite(number) && number > 0 ? Math.max(1, Math.floor(number)) : fallback;
};

export const rateLimitsOf = (credential: Json): RateLimits => ({
	requestsPerMinute: positive(credential.requestsPerMinute, LIMITS.requestsPerMinute),
	concurrentJobs: positive(credential.concurrentJobs, LIMITS.concurrentJobs),
});
