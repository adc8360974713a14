import {
	type IDataObject,
	type ILoadOptionsFunctions,
	type IN8nHttpFullResponse,
	type JsonObject,
	NodeApiError,
} from 'n8n-workflow';
import type { Endpoint } from '../../contract';
import { baseUrlProblem } from '../../transport/http/urlRules';
import { errorOf } from '../../transport/http/statuses';
import { pageOf } from '../../transport/http/pages';
import { apiKeyOf, CREDENTIAL } from '../../transport/credential';
import { withoutSecret } from '../../transport/http/redact';
import { isRecord, isSuccess } from '../../transport/base/types';

/** One page of a list, as the pickers in the editor need it. */
export interface Page {
	entries: Array<Record<string, unknown>>;
	next?: string;
}

function problemOf(status: number, { scope }: Endpoint, said: string): string {
	if (status === 401) return 'The API key is invalid. Check the credential.';
	if (status === 403) {
		return `The list needs the scope ${scope ?? ''}, which the key lacks, or the workspace has no API access. Enter an ID instead.`;
	}
	if (status === 429)
		return 'Too many requests at the moment. Try again in a minute, or enter an ID.';
	return `The list cannot be read (status ${status}). ${said}`.trim();
}

/** A list may hold mere IDs: the specification shows no field of a model but its voices. */
const asEntry = (entry: unknown): unknown =>
	typeof entry === 'string' && entry !== '' ? { id: entry } : entry;

/**
 * Reads one page of a list for the editor. Every failure is an error whose text the picker shows.
 */
export async function readPage(
	context: ILoadOptionsFunctions,
	endpoint: Endpoint,
	qs: IDataObject,
): Promise<Page> {
	const credential = await context.getCredentials(CREDENTIAL);
	const { baseUrl } = credential;
	const refuse = (message: string): never => {
		throw new NodeApiError(context.getNode(), {} as JsonObject, { message });
	};
	const urlProblem = baseUrlProblem(String(baseUrl));
	if (urlProblem) refuse(`The base URL of the credential ${urlProblem}`);
	const answer = (await context.helpers.httpRequestWithAuthentication
		.call(context, CREDENTIAL, {
			method: endpoint.method,
			baseURL: String(baseUrl),
			url: endpoint.path,
			qs,
			json: true,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			timeout: 20_000,
		})
		.catch(() =>
			refuse('The service did not respond. Check the base URL of the credential.'),
		)) as IN8nHttpFullResponse;
	const body: unknown = withoutSecret(answer.body, apiKeyOf(credential));
	if (!isSuccess(answer.statusCode)) {
		refuse(problemOf(answer.statusCode, endpoint, errorOf(body).message ?? ''));
	}
	const { entries, next } = pageOf(body);
	return { entries: entries.map(asEntry).filter(isRecord), next };
}

/** The name by which a person knows an entry. */
export const labelOf = (entry: Record<string, unknown>): string => {
	const label = [entry.label, entry.name, entry.id].find(
		(text) => typeof text === 'string' && text.trim(),
	);
	return String(label ?? '');
};

/** Case-insensitive match on the shown name and on the id. */
export function matches(filter: string | undefined, ...texts: string[]): boolean {
	const wanted = (filter ?? '').trim().toLowerCase();
	return wanted === '' || texts.some((text) => text.toLowerCase().includes(wanted));
}
