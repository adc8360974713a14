import type { IHttpRequestOptions, ILoadOptionsFunctions } from 'n8n-workflow';
import { NODE } from './nodeContext';

let editors = 0;

interface Editor {
	/** By path: a list, a page of one, a status, or an error that the request throws; or the body of any answer. */
	answers: Record<string, unknown> | (() => unknown);
	/** The value or the locator of the model that is chosen. */
	model?: unknown;
	operation?: unknown;
	baseUrl?: string;
}

/** An editor whose user opens pickers, with a credential of its own, and what it asked the service. */
export function editor({ answers, model, operation = 'generateImage', baseUrl }: Editor) {
	const asked: Array<{ url: string; qs: unknown }> = [];
	editors += 1;
	const apiKey = `canary-key-${editors}`;
	const isLocator = (value: unknown): value is { value: unknown } =>
		typeof value === 'object' && value !== null && '__rl' in value;
	const functions = {
		getCredentials: async () => ({ apiKey, baseUrl: baseUrl ?? 'https://api.example/v1' }),
		getNode: () => NODE,
		getCurrentNodeParameter(name: string, options?: { extractValue?: boolean }) {
			if (name === 'operation') return operation;
			return options?.extractValue && isLocator(model) ? model.value : model;
		},
		helpers: {
			async httpRequestWithAuthentication(
				_credential: string,
				{ url, qs, headers = {} }: IHttpRequestOptions,
			) {
				headers.Authorization = 'from n8n';
				asked.push({ url, qs });
				if (typeof answers === 'function') return { statusCode: 200, headers: {}, body: answers() };
				const answer = answers[url];
				if (answer instanceof Error) throw answer;
				if (typeof answer === 'number') return { statusCode: answer, headers: {}, body: {} };
				const page = Array.isArray(answer) ? { object: 'list', data: answer } : answer;
				return { statusCode: 200, headers: {}, body: page };
			},
		},
	};
	return { context: functions as unknown as ILoadOptionsFunctions, asked, apiKey };
}
