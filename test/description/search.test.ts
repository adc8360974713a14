import type { IHttpRequestOptions, ILoadOptionsFunctions } from 'n8n-workflow';
import { searchAgentRuns } from '../../src/description/search/agentRuns';
import { searchGenerations } from '../../src/description/search/generations';
import { searchModels, searchSpeechModels } from '../../src/description/search/models';
import { searchAllPersonas, searchPersonas } from '../../src/description/search/personas';
import { searchCustomVoices, searchSpeechVoices } from '../../src/description/search/voices';
import { searchWebhooks } from '../../src/description/search/webhooks';
import { isRecord } from '../../src/transport/base/types';
import { errorBody } from '../../testing/answers';
import { NODE } from '../support/nodeContext';

const turboModel = 'vendor/partner/speech-2.8-turbo';

function editor(
	answered: unknown,
	parameter: unknown = 'generateImage',
	baseUrl = 'https://api.example/v1',
) {
	const asked: IHttpRequestOptions[] = [];
	const context = {
		getCredentials: async () => ({ apiKey: 'canary-key-123', baseUrl }),
		getNode: () => NODE,
		// With `extractValue` n8n gives the value of a locator, and a plain value as it is.
		getCurrentNodeParameter: (_name: string, options?: { extractValue?: boolean }) =>
			options?.extractValue && isRecord(parameter) ? parameter.value : parameter,
		helpers: {
			async httpRequestWithAuthentication(_credential: string, options: IHttpRequestOptions) {
				asked.push(options);
				if (answered instanceof Error) throw answered;
				return answered;
			},
		},
	};
	return { context: context as unknown as ILoadOptionsFunctions, asked };
}

const page = (data: unknown, more: Record<string, unknown> = {}) => ({
	statusCode: 200,
	body: { object: 'list', data, ...more },
});

test('models of the chosen mode, by label, name or id; those without an id are left out', async () => {
	const data = [
		{ id: 'a', label: 'Alpha', name: 'x' },
		{ id: 'b', name: 'Beta' },
		{ id: 'c' },
		{ label: 'D' },
		null,
		7,
	];
	const { context, asked } = editor(page(data));
	expect(await searchModels.call(context)).toEqual({
		results: [
			{ name: 'Alpha', value: 'a' },
			{ name: 'Beta', value: 'b' },
			{ name: 'c', value: 'c' },
		],
	});
	expect(asked[0]).toMatchObject({
		url: '/models',
		qs: { mode: 'image' },
		disableFollowRedirect: true,
	});
	expect((await searchModels.call(context, ' BET ')).results).toEqual([
		{ name: 'Beta', value: 'b' },
	]);
});

test('models are read a page at a time; a page that names itself as the next one is the last', async () => {
	const { context, asked } = editor(page([{ id: 'a' }], { has_more: true, next_cursor: 'c1' }));
	const first = await searchModels.call(context);
	expect(first).toEqual({ results: [{ name: 'a', value: 'a' }], paginationToken: 'c1' });
	const second = await searchModels.call(context, '', 'c1');
	expect(asked.map(({ qs }) => qs)).toEqual([{ mode: 'image' }, { mode: 'image', cursor: 'c1' }]);
	expect(second.paginationToken).toBeUndefined();
});

test('a catalogue of mere IDs is a list of models', async () => {
	const { context } = editor(page(['studio/image-1', '', { id: 'b' }]));
	expect((await searchModels.call(context)).results).toEqual([
		{ name: 'studio/image-1', value: 'studio/image-1' },
		{ name: 'b', value: 'b' },
	]);
});

test('a list is read whatever the 2xx of its response', async () => {
	const { context } = editor({ ...page([{ id: 'a' }]), statusCode: 203 });
	expect((await searchModels.call(context)).results).toEqual([{ name: 'a', value: 'a' }]);
});

test.each<[string, typeof searchAgentRuns, unknown, string]>([
	['a generation', searchGenerations, { id: 'g', status: 'queued', mode: null }, 'queued · g'],
	['a generation', searchGenerations, { id: 'g', model: { id: 'm' } }, 'g'],
	['an agent run', searchAgentRuns, { id: 'r', plan: { title: 'Film' } }, 'Film · r'],
	['a webhook', searchWebhooks, { id: 'w', url: 7 }, 'w'],
])('the name of %s holds only what is known', async (_name, search, entry, name) => {
	const { context } = editor(page([entry]));
	expect((await search.call(context)).results[0]?.name).toBe(name);
});

test('an operation that is an expression asks for the models of all', async () => {
	const { context, asked } = editor(page([]), '={{ $json.operation }}');
	await searchModels.call(context);
	expect(asked[0]?.qs).toEqual({});
});

test('generations are read a page at a time, following the cursor', async () => {
	const one = { id: 'gen_1', mode: 'image', model: 'm', status: 'completed' };
	const { context, asked } = editor(page([one], { has_more: true, next_cursor: 'c1' }));
	const first = await searchGenerations.call(context);
	expect(first).toEqual({
		results: [{ name: 'image · m · completed · gen_1', value: 'gen_1' }],
		paginationToken: 'c1',
	});
	await searchGenerations.call(context, '', 'c1');
	expect(asked.map(({ qs }) => qs)).toEqual([{ limit: 100 }, { limit: 100, cursor: 'c1' }]);
	const last = editor(page([one], { has_more: false, next_cursor: 'c2' }));
	expect((await searchGenerations.call(last.context)).paginationToken).toBeUndefined();
});

test('personas that failed cannot be used', async () => {
	const data = [
		{ id: 'p1', name: 'Ada', status: 'ready' },
		{ id: 'p2', name: 'Bob', status: 'failed' },
	];
	expect((await searchPersonas.call(editor(page(data)).context)).results).toEqual([
		{ name: 'Ada', value: 'p1' },
	]);
});

test.each([
	[{ statusCode: 401, body: {} }, /API key is invalid/],
	[{ statusCode: 403, body: {} }, /scope models:read/],
	[{ statusCode: 429, body: {} }, /Too many requests/],
	[
		{ statusCode: 500, body: errorBody('canary-key-123 broke it') },
		/status 500\)\. \*\*\* broke it/,
	],
	[new Error('connect ECONNREFUSED canary-key-123'), /The service did not respond/],
])('a failure is reported in words, without the key: %#', async (answered, message) => {
	const { context } = editor(answered);
	const error = await searchModels.call(context).catch((thrown: Error) => thrown);
	expect(error).toMatchObject({ message: expect.stringMatching(message) });
	expect(JSON.stringify(error)).not.toContain('canary');
});

test('a base URL that is not https gets no key', async () => {
	const { context, asked } = editor(page([]), 'image', 'http://api.example/v1');
	await expect(searchModels.call(context)).rejects.toThrow(/must begin with https/);
	expect(asked).toHaveLength(0);
});

test('a response that is not a list counts as empty, and an empty list says what to do', async () => {
	for (const body of [null, 'text', [], { data: 'x' }]) {
		const { context } = editor({ statusCode: 200, body });
		const { results } = await searchModels.call(context);
		expect(results).toEqual([
			{ name: expect.stringMatching(/no image models: enter an ID/), value: '' },
		]);
	}
});

test.each<[string, typeof searchAgentRuns, RegExp]>([
	['agent runs', searchAgentRuns, /No agent runs yet: make one with the operation Create/],
	['generations', searchGenerations, /No generations yet: make one with the operation Create/],
	['usable personas', searchPersonas, /No personas yet: make one with the node MediaGen Persona/],
	['personas', searchAllPersonas, /No personas yet: make one with the node MediaGen Persona/],
	['custom voices', searchCustomVoices, /No custom voices yet: make one .* Clone or Design/],
	['voices to speak with', searchSpeechVoices, /No voices: leave it empty/],
	['webhooks', searchWebhooks, /No webhooks yet: make one with the operation Create/],
])('an empty list of %s says so, but not of what was typed', async (_name, search, words) => {
	const empty = () => editor(page([])).context;
	expect((await search.call(empty())).results).toEqual([
		{ name: expect.stringMatching(words) as string, value: '' },
	]);
	expect((await search.call(empty(), 'typed')).results).toEqual([]);
});

test('an empty page with a next page is not an empty list', async () => {
	const { context } = editor(page([], { has_more: true, next_cursor: 'c1' }));
	expect(await searchWebhooks.call(context)).toEqual({ results: [], paginationToken: 'c1' });
});

test('speech models have the names of the catalogue, and can be chosen without it', async () => {
	const data = [
		{ id: 'service/speech-lite', label: 'Lite', kind: 'speech', description: 'Cheap.' },
	];
	const turbo = { name: 'Speech 2.8 Turbo', value: 'vendor/partner/speech-2.8-turbo' };
	expect((await searchSpeechModels.call(editor(page(data)).context)).results).toEqual([
		{ name: 'Lite – Cheap', value: 'service/speech-lite' },
		turbo,
	]);
	const refused = editor({ statusCode: 403, body: {} }).context;
	expect((await searchSpeechModels.call(refused)).results).toEqual([
		{ name: 'Speech Lite', value: 'service/speech-lite' },
		turbo,
	]);
	expect((await searchSpeechModels.call(refused, 'partner/')).results).toEqual([turbo]);
});

test.each([turboModel, { __rl: true, mode: 'id', value: turboModel }])(
	'voices of the model that is chosen, be it as text or as a locator: %j',
	async (model) => {
		const { context, asked } = editor(page([{ id: 'v', label: 'Ava', gender: 'female' }]), model);
		await searchSpeechVoices.call(context);
		expect(asked.map(({ url, qs }) => [url, qs])).toContainEqual([
			'/voices/catalog',
			{ model: turboModel },
		]);
	},
);
