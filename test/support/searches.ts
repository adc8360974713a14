import type { IHttpRequestOptions, ILoadOptionsFunctions } from 'n8n-workflow';
import { NODE } from './nodeContext';

let editors = 0;

interface Editor {
	/**
	 * By path: a list, the body of an answer, a status, or an error that the request throws; or the body of
	 * any answer.
	 */
	answers: Record<string, unknown> | (() => unknown);
	/** The value or the locator of the model that is chosen. */
	model?: unknown;
	operation?: unknown;
	/** What other fields hold, by the name that the editor has for them. */
	fields?: Record<string, unknown>;
}

function answerFor(answers: Editor['answers'], url: string) {
	const given = typeof answers === 'function' ? answers() : answers[url];
	if (given instanceof Error) throw given;
	if (typeof given === 'number') return { statusCode: given, headers: {}, body: {} };
	const isList = Array.isArray(given) && typeof answers !== 'function';
	return { statusCode: 200, headers: {}, body: isList ? { object: 'list', data: given } : given };
}

/** An editor whose user opens pickers, with a credential of its own, and what it asked the service. */
export function editor({ answers, model, operation = 'generateImage', fields = {} }: Editor) {
	const all: Record<string, unknown> = { operation, model, ...fields };
	const asked: Array<{ url: string; qs: unknown }> = [];
	editors += 1;
	const apiKey = `canary-key-${editors}`;
	const isLocator = (value: unknown): value is { value: unknown } =>
		typeof value === 'object' && value !== null && '__rl' in value;
	const functions = {
		getCredentials: async () => ({ apiKey, baseUrl: 'https://api.example/v1' }),
		getNode: () => NODE,
		getCurrentNodeParameter(name: string, options?: { extractValue?: boolean }) {
			const value = all[name];
			return options?.extractValue && isLocator(value) ? value.value : value;
		},
		helpers: {
			async httpRequestWithAuthentication(
				_credential: string,
				{ url, qs, headers = {} }: IHttpRequestOptions,
			) {
				headers.Authorization = 'from n8n';
				asked.push({ url, qs });
				return answerFor(answers, url);
			},
		},
	};
	return { context: functions as unknown as ILoadOptionsFunctions, asked };
}
