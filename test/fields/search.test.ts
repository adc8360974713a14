import { searches } from '../../src/fields/search/searches';
import { errorBody } from '../model/answers';
import { editor } from '../support/searches';

const {
	searchAgentRuns,
	searchCustomVoices,
	searchGenerations,
	searchModels,
	searchSpeechModels,
	searchVoices,
} = searches;

const TURBO = 'vendor/partner/speech-2.8-turbo';

const PATHS = '/models /generations /personas /voices /voices/catalog /webhooks /agents/runs';

/** The same answer, whatever list is asked for. */
const always = (answer: unknown) =>
	Object.fromEntries(PATHS.split(' ').map((path) => [path, answer]));

const models = (answer: unknown, operation?: unknown) =>
	editor({ answers: { '/models': answer }, operation });

type Asked = ReturnType<typeof editor>['asked'];

/** What was asked for besides the prices. */
const listed = (asked: Asked) => asked.filter(({ url }) => url !== '/generations');

test('models of what the operation makes, by label, name or id; those without an id are left out', async () => {
	const data = [
		{ id: 'a', label: 'Alpha', name: 'x' },
		{ id: 'b', name: 'Beta' },
		{ id: 'c' },
		{ label: 'D' },
		null,
		7,
	];
	const { context, asked } = models(data);
	expect(await searchModels.call(context)).toEqual({
		results: [
			{ name: 'Alpha', value: 'a' },
			{ name: 'Beta', value: 'b' },
			{ name: 'c', value: 'c' },
		],
	});
	expect(listed(asked)).toEqual([{ url: '/models', qs: { mode: 'image' } }]);
	expect((await searchModels.call(context, ' BET ')).results).toEqual([
		{ name: 'Beta', value: 'b' },
	]);
});

test('models of a node in which none is chosen begin with the one that it holds', async () => {
	const answers = { '/models': [{ id: 'm' }] };
	const valuesOf = async (model: unknown, filter?: string) =>
		(await searchModels.call(editor({ answers, model }).context, filter)).results.map(
			({ value }) => value,
		);
	const opened = { __rl: true, mode: 'list', value: 'first' };
	expect(await valuesOf(opened)).toEqual(['first', 'm']);
	expect(await valuesOf(opened, 'm')).toEqual(['m']);
	for (const model of [undefined, '', 'm']) expect(await valuesOf(model)).toEqual(['m']);
});

test('a list is opened with one request, and nothing is asked while somebody types', async () => {
	const { context, asked } = models([{ id: 'm', capabilities: { size: ['1x1'] } }]);
	for (const typed of ['', 's', 'st', 'stu', '']) await searchModels.call(context, typed);
	expect(listed(asked)).toHaveLength(1);
	const other = models([{ id: 'other' }]);
	expect((await searchModels.call(other.context)).results).toEqual([
		{ name: 'other', value: 'other' },
	]);
});

test('generations are read a page at a time, following the cursor', async () => {
	const one = { id: 'gen_1', mode: 'image', model: 'm', status: 'completed' };
	const { context, asked } = editor({
		answers: { '/generations': { data: [one], has_more: true, next_cursor: 'c1' } },
	});
	expect(await searchGenerations.call(context)).toEqual({
		results: [{ name: 'image · m · completed · gen_1', value: 'gen_1' }],
		paginationToken: 'c1',
	});
	await searchGenerations.call(context, '', 'c1');
	expect(asked.map(({ qs }) => qs)).toEqual([{ limit: 100 }, { limit: 100, cursor: 'c1' }]);
});

test.each([
	[401, /^The API key is invalid or missing\. Open the credential, .*\.$/],
	[403, /scope models:read.*Enter an ID instead\.$/],
	[new Error('connect ECONNREFUSED'), /^The service did not respond .*\. Check the base URL/],
])('a failure is reported in words: %j', async (answer, message) => {
	await expect(searchModels.call(models(answer).context)).rejects.toThrow(message);
});

test('what the service says is shown without the key', async () => {
	const { context, apiKey } = models({});
	context.helpers.httpRequestWithAuthentication = (async () => ({
		statusCode: 500,
		headers: {},
		body: errorBody(`${apiKey} broke it.`),
	})) as never;
	const error = await searchModels.call(context).catch((thrown: Error) => thrown);
	expect(error).toMatchObject({
		message: expect.stringMatching(/ 500: \*\*\* broke it\. Try again/) as unknown,
	});
	expect(JSON.stringify(error)).not.toContain('canary');
});

test('a response that is not a list, or not all of it, is not taken for an empty one', async () => {
	for (const body of ['<html>', { data: 'x' }, { data: [], has_more: true }]) {
		await expect(searchModels.call(models(body).context)).rejects.toThrow(
			/^The answer of the service cannot be used\. .*(not a list|but not where)/,
		);
	}
	expect((await searchModels.call(models([]).context)).results).toEqual([
		{ name: 'The workspace has no image models: enter an ID', value: '' },
	]);
});

test.each<[string, typeof searchAgentRuns, RegExp]>([
	['agent runs', searchAgentRuns, /No agent runs yet: make one with the operation Create/],
	['custom voices', searchCustomVoices, /No custom voices yet: make one .* Clone or Design/],
])('an empty list of %s says so, but not of what was typed', async (_name, search, words) => {
	const empty = () => editor({ answers: always([]), model: TURBO }).context;
	expect((await search.call(empty())).results).toEqual([
		{ name: expect.stringMatching(words) as string, value: '' },
	]);
	expect((await search.call(empty(), 'typed')).results).toEqual([]);
});

test('typing always works: a model or a voice that no list has can be chosen as it is typed', async () => {
	const typed = [{ name: 'new/model-9', value: 'new/model-9' }];
	for (const answer of [[], 500, 403]) {
		const opened = () => editor({ answers: always(answer), model: TURBO }).context;
		expect((await searchModels.call(opened(), ' new/model-9 ')).results).toEqual(typed);
		expect((await searchVoices.call(opened(), 'new/model-9')).results).toEqual(typed);
	}
	const { context } = models([{ id: 'm' }]);
	expect((await searchModels.call(context, 'new')).results).toEqual([
		{ name: 'new (not listed)', value: 'new' },
	]);
});

describe('prices in the list of models', () => {
	const catalogue = [
		{ id: 'a', label: 'Alpha' },
		{ id: 'b', label: 'Beta' },
	];
	const generation = (model: string, credits?: number, mode = 'image') => ({
		id: 'g',
		object: 'generation',
		mode,
		model,
		...(credits !== undefined && { estimated_credits: credits }),
	});
	const opened = (generations: unknown) =>
		editor({ answers: { '/models': catalogue, '/generations': generations } });
	const namesIn = async ({ context }: ReturnType<typeof editor>, typed = '') =>
		(await searchModels.call(context, typed)).results.map(({ name }) => name);

	test('are those of the newest generation of each model in this mode; an unknown one is said to be unknown', async () => {
		const generations = [generation('a', 2), generation('a', 9), generation('b', 5, 'video')];
		const list = opened(generations);
		expect(await namesIn(list)).toEqual(['Alpha – 2 credits last time', 'Beta – price unknown']);
		expect(await namesIn(opened([generation('b', 1)]))).toEqual([
			'Alpha – price unknown',
			'Beta – 1 credit last time',
		]);
		expect(list.asked).toContainEqual({ url: '/generations', qs: { limit: 100 } });
	});

	test.each([
		['names no prices', [generation('a')]],
		['refuses the list', 403],
	])('a service that %s costs one request and no word', async (_name, answer) => {
		const list = opened(answer);
		for (const typed of ['', 'a', 'al', '']) await namesIn(list, typed);
		expect(await namesIn(list)).toEqual(['Alpha', 'Beta']);
		expect(list.asked.filter(({ url }) => url === '/generations')).toHaveLength(1);
	});
});

test('speech models have the names of the catalogue, and can be chosen without it', async () => {
	const data = [
		{ id: 'service/speech-lite', label: 'Lite', kind: 'speech', description: 'Cheap.' },
	];
	const turbo = { name: 'Speech 2.8 Turbo', value: TURBO };
	expect((await searchSpeechModels.call(models(data).context)).results).toEqual([
		{ name: 'Lite', value: 'service/speech-lite' },
		turbo,
	]);
	const refused = models(403).context;
	expect((await searchSpeechModels.call(refused)).results).toEqual([
		{ name: 'Speech Lite', value: 'service/speech-lite' },
		turbo,
	]);
	expect((await searchSpeechModels.call(refused, 'partner/')).results).toEqual([turbo]);
});

describe('the values of a model', () => {
	const { duration: searchDurations } = searches;
	const model = {
		id: 'm',
		label: 'Em',
		capabilities: { duration: [5, '10', null, {}, ' '] },
		defaults: { duration: '5' },
	};
	const opened = (answer: unknown, chosen: unknown = 'm') =>
		editor({ answers: { '/models': answer }, model: chosen, operation: 'generateVideo' });

	test('are those of the catalogue, the default marked, and ask for nothing that the list of models has asked for', async () => {
		const { context, asked } = opened([{ id: 'other' }, model]);
		await searchModels.call(context);
		expect(await searchDurations.call(context)).toEqual({
			results: [
				{ name: '5 (default)', value: '5' },
				{ name: '10', value: '10' },
			],
		});
		expect(listed(asked)).toEqual([{ url: '/models', qs: { mode: 'video' } }]);
	});

	test('are those of the first model of the mode until one is chosen', async () => {
		const duration = (id: string, values: number[]) => ({ id, capabilities: { duration: values } });
		const answer = [duration('first of all', [4]), duration('m', [8])];
		const { context } = opened(answer, 'first');
		const { results } = await searchDurations.call(context);
		expect(results.map(({ value }) => value)).toEqual(['4']);
	});

	test.each([
		['no values of the model', [{ id: 'm', name: 'Em' }], 'm', /no values for Em: type one/],
		['no model chosen', [model], '', /Choose a model .* or type one/],
		['a model by expression', [model], '={{ $json.model }}', /Choose a model .* or type one/],
	])(
		'%s: a line says so and chooses nothing, and any text can be typed',
		async (_name, data, id, words) => {
			const { context } = opened(data, id);
			expect((await searchDurations.call(context)).results).toEqual([
				{ name: expect.stringMatching(words) as string, value: '' },
			]);
			expect((await searchDurations.call(context, 'any')).results).toEqual([
				{ name: 'any', value: 'any' },
			]);
		},
	);
});

describe('voices', () => {
	const ava = {
		id: 'v1',
		label: 'Ava',
		gender: 'female',
		language_code: 'en-US',
		language_name: 'English',
		sample_url: 'https://example.com/ava.mp3',
	};
	const own = {
		id: 'c1',
		name: 'Mine',
		kind: 'clone',
		preview_url: 'https://example.com/mine.mp3',
	};
	const both = [
		{ name: 'Mine – custom voice, cloned', value: 'c1', url: 'https://example.com/mine.mp3' },
		{ name: 'Ava – English (US), female', value: 'v1', url: 'https://example.com/ava.mp3' },
	];
	const model = (capabilities: object) => ({ '/models': [{ id: 'm', capabilities }] });

	test('of the chosen model and custom ones, with language, gender and a link to hear them', async () => {
		const answers = { ...model({ voices: [ava] }), '/voices': [own] };
		const { context } = editor({ answers, model: 'm' });
		expect((await searchVoices.call(context)).results).toEqual(both);
		expect((await searchVoices.call(context, 'FEMALE')).results).toEqual([both[1]]);
	});

	test.each([TURBO, { __rl: true, mode: 'id', value: TURBO }])(
		'of a speech model are those of the voice catalogue, be it chosen as text or as a locator: %j',
		async (chosen) => {
			const answers = { '/voices/catalog': [ava], '/voices': [own] };
			const { context, asked } = editor({ answers, model: chosen });
			expect((await searchVoices.call(context)).results).toEqual(both);
			expect((await searchVoices.call(context, 'ava')).results).toEqual([both[1]]);
			expect(asked).toHaveLength(2);
			expect(asked).toContainEqual({ url: '/voices/catalog', qs: { model: TURBO } });
		},
	);
});
