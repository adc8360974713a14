import type { IHttpRequestOptions, ILoadOptionsFunctions } from 'n8n-workflow';
import { modelValueSearches } from '../../src/description/search/modelValues';
import { searchModelVoices, searchSpeechVoices } from '../../src/description/search/voices';
import { NODE } from '../support/nodeContext';

type Answers = Record<string, unknown>;

/**
 * An editor with a chosen model, and a service that gives these entries by path; a status where it
 * is a number.
 */
function editor(answers: Answers, model: unknown = 'm', operation: unknown = 'generateVideo') {
	const asked: Array<[string, unknown]> = [];
	const context = {
		getCredentials: async () => ({ apiKey: 'k', baseUrl: 'https://api.example/v1' }),
		getNode: () => NODE,
		getCurrentNodeParameter: (name: string) => (name === 'operation' ? operation : model),
		helpers: {
			async httpRequestWithAuthentication(_credential: string, { url, qs }: IHttpRequestOptions) {
				asked.push([url, qs]);
				const data = answers[url];
				if (typeof data === 'number') return { statusCode: data, body: {} };
				const page = Array.isArray(data) ? { data } : data;
				return { statusCode: 200, body: { object: 'list', ...(page as object) } };
			},
		},
	};
	return { context: context as unknown as ILoadOptionsFunctions, asked };
}

const { searchDurations } = modelValueSearches;

const model = {
	id: 'm',
	label: 'Em',
	capabilities: { duration: [5, 10] },
	defaults: { duration: '5' },
};

test('the values of the chosen model, its default marked', async () => {
	const { context, asked } = editor({ '/models': [{ id: 'other' }, model] });
	expect(await searchDurations.call(context)).toEqual({
		results: [
			{ name: '5 (default)', value: '5' },
			{ name: '10', value: '10' },
		],
	});
	expect(asked).toEqual([['/models', { mode: 'video' }]]);
});

test('what is typed finds values, and can be chosen itself', async () => {
	const found = async (filter: string) =>
		(await searchDurations.call(editor({ '/models': [model] }).context, filter)).results;
	expect(await found('1')).toEqual([
		{ name: '10', value: '10' },
		{ name: '1 (not listed)', value: '1' },
	]);
	expect(await found(' 10 ')).toEqual([{ name: '10', value: '10' }]);
	expect(await found('7.5')).toEqual([{ name: '7.5 (not listed)', value: '7.5' }]);
});

test.each([
	['no values of the model', [{ id: 'm', name: 'Em' }], 'm', /no values for Em: type one/],
	['no such model', [], 'm', /no values for m: type one/],
	['no model chosen', [model], '', /Choose a model .* or type one/],
	['a model by expression', [model], '={{ $json.model }}', /Choose a model .* or type one/],
	['a model that is not text', [model], { a: 1 }, /Choose a model .* or type one/],
])(
	'%s: a line says so and chooses nothing, and any text can be typed',
	async (_name, data, id, words) => {
		const opened = editor({ '/models': data }, id);
		expect((await searchDurations.call(opened.context)).results).toEqual([
			{ name: expect.stringMatching(words) as string, value: '' },
		]);
		expect((await searchDurations.call(opened.context, 'any')).results).toEqual([
			{ name: 'any', value: 'any' },
		]);
	},
);

test('a catalogue that cannot be read shows the reason, and typed values are accepted', async () => {
	const { context } = editor({ '/models': 403 });
	await expect(searchDurations.call(context)).rejects.toThrow(/scope models:read/);
	expect((await searchDurations.call(context, '7')).results).toEqual([{ name: '7', value: '7' }]);
});

test('a catalogue of several pages is read until the model is found, up to a limit', async () => {
	const pages = editor({ '/models': { data: [{ id: 'x' }], has_more: true, next_cursor: 'c' } });
	expect((await searchDurations.call(pages.context)).results).toHaveLength(1);
	expect(pages.asked.map(([, query]) => query)).toEqual([
		{ mode: 'video' },
		{ mode: 'video', cursor: 'c' },
	]);
});

const ava = {
	id: 'v1',
	label: 'Ava',
	gender: 'female',
	language_code: 'en-US',
	language_name: 'English',
	sample_url: 'https://example.com/ava.mp3',
};
const own = { id: 'c1', name: 'Mine', kind: 'clone', preview_url: 'https://example.com/mine.mp3' };

const both = [
	{ name: 'Mine – custom voice, cloned', value: 'c1', url: 'https://example.com/mine.mp3' },
	{ name: 'Ava – English (US), female', value: 'v1', url: 'https://example.com/ava.mp3' },
];

test('voices of the chosen model and custom ones, with language, gender and a link to hear them', async () => {
	const speaker = { id: 'm', capabilities: { voices: [ava] } };
	const { context } = editor({ '/models': [speaker], '/voices': [own] }, 'm', 'generateAudio');
	expect((await searchModelVoices.call(context)).results).toEqual(both);
	expect((await searchModelVoices.call(context, 'FEMALE')).results).toEqual([both[1]]);
	const speech = editor({ '/voices/catalog': [ava], '/voices': [own] }, 'service/speech-lite');
	expect((await searchSpeechVoices.call(speech.context)).results).toEqual(both);
});

test('an invalid link is left out: it would be opened in the editor', async () => {
	const voices = [
		{ ...ava, sample_url: 'javascript:alert(1)' },
		{ ...ava, id: 'v2', sample_url: null },
	];
	const { context } = editor({ '/models': [{ id: 'm', capabilities: { voices } }], '/voices': [] });
	const { results } = await searchModelVoices.call(context);
	expect(results.map(({ value, url }) => [value, url])).toEqual([
		['v1', undefined],
		['v2', undefined],
	]);
});

test('a speech model without voices in its entry has those of the voice catalogue', async () => {
	const lite = 'service/speech-lite';
	const opened = editor(
		{ '/models': [{ id: lite }], '/voices/catalog': [ava], '/voices': [] },
		lite,
	);
	expect((await searchModelVoices.call(opened.context)).results).toEqual([both[1]]);
	expect(opened.asked).toContainEqual(['/voices/catalog', { model: lite }]);
});

test('voices as mere IDs, and a key that may not read custom voices', async () => {
	const voices = ['aria', 'bo'];
	const answers = { '/models': [{ id: 'm', capabilities: { voices } }], '/voices': 403 };
	expect((await searchModelVoices.call(editor(answers).context)).results).toEqual([
		{ name: 'aria', value: 'aria' },
		{ name: 'bo', value: 'bo' },
	]);
});

test('a model that does not speak offers no voice, not even a custom one', async () => {
	const opened = editor({ '/models': [model], '/voices': [own] });
	expect((await searchModelVoices.call(opened.context)).results).toEqual([
		{ name: 'The catalogue lists no voices for Em', value: '' },
	]);
	expect(opened.asked.map(([url]) => url)).toEqual(['/models']);
});
