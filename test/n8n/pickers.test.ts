import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { getModels } from '../../src/trigger/filters';
import { searches } from '../../src/n8n/pickers/searches';
import { readNodes } from '../../scripts/nodes';
import { editor } from '../support/searches';

type Search = (
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
) => Promise<INodeListSearchResult>;

const { searchModels, searchSpeechModels, searchVoices } = searches;

const TURBO = 'vendor/partner/speech-2.8-turbo';

const PATHS = '/models /generations /personas /voices /voices/catalog /webhooks /agents/runs';

/** The same answer, whatever list is asked for. */
const always = (answer: unknown) =>
	Object.fromEntries(PATHS.split(' ').map((path) => [path, answer]));

const models = (answer: unknown, more: { model?: unknown; operation?: string } = {}) =>
	editor({ answers: { '/models': answer }, ...more });

type Opened = ReturnType<typeof editor>;

/** What a picker shows once something was typed. */
const shown = async (search: Search, { context }: Opened, typed?: string) =>
	(await search.call(context, typed)).results;

const namesIn = async (search: Search, opened: Opened, typed?: string) =>
	(await shown(search, opened, typed)).map(({ name }) => name);

/** What was asked for besides the prices. */
const listed = ({ asked }: Opened) => asked.filter(({ url }) => url !== '/generations');

test('models of what the operation makes, by label, name or id; those without an id are left out', async () => {
	const opened = models([
		{ label: 'D' },
		{ id: 'a', label: 'Alpha', name: 'x' },
		{ id: 'b', name: 'Beta' },
		{ id: 'c' },
		null,
	]);
	const beta = { name: 'Beta', value: 'b' };
	expect(await shown(searchModels, opened)).toEqual([
		{ name: 'Alpha, the first of the workspace', value: 'first' },
		{ name: 'Alpha', value: 'a' },
		beta,
		{ name: 'c', value: 'c' },
	]);
	expect(await shown(searchModels, opened, ' BET ')).toEqual([beta]);
	expect(listed(opened)).toEqual([{ url: '/models', qs: { mode: 'image' } }]);
});

const FIRST = { name: 'First Model of the Workspace', value: 'first' };
const held = (value: string, cachedResultName?: string) => ({
	__rl: true,
	mode: 'list',
	value,
	cachedResultName,
});

test('the models always begin with what a new node holds, but where they decide what kind of sound is made', async () => {
	const valuesWith = async (model: unknown, typed?: string, operation = 'generateVideo') =>
		(await shown(searchModels, models([{ id: 'm' }], { model, operation }), typed)).map(
			({ value }) => value,
		);
	for (const model of [held('first'), held('m'), held(''), undefined]) {
		expect(await valuesWith(model)).toEqual(['first', 'm']);
		expect(await valuesWith(model, 'm')).toEqual(['m']);
		expect(await valuesWith(model, '', 'generateAudio')).toEqual(['m']);
	}
});

describe('a list that cannot be read', () => {
	const problem = { name: expect.stringMatching(/^The API key is invalid/) as string, value: '' };
	const chosen = { name: 'My choice', value: 'x' };

	test.each([
		['nothing', undefined, [FIRST]],
		['the first', held('first'), [FIRST]],
		['a chosen one', held('x', 'My choice'), [FIRST, chosen]],
	])('offers the first model and what the field holds: %s', async (_, model, results) => {
		const { context } = models(401, { model });
		const found = await searchModels.call(context);
		expect(found.results).toEqual(results);
		expect((await searchModels.call(context, '', found.paginationToken)).results).toEqual([
			problem,
		]);
	});

	test('is read again once somebody opens it, as the key may have been corrected since', async () => {
		let answer: unknown = 401;
		const model = held('x', 'My choice');
		const list = { object: 'list', data: [{ id: 'x' }, { id: 'y' }] };
		const { context } = editor({ answers: () => answer, model });
		const { paginationToken } = await searchModels.call(context);
		answer = list;
		const again = await searchModels.call(context, '', paginationToken);
		expect(again).toEqual({ results: [{ name: 'y', value: 'y' }], paginationToken: undefined });
	});

	const { searchSpeechModels: withoutService, ...others } = searches;

	/** The fields of all nodes with a picker of this search, by the names that n8n has for them. */
	async function fieldsWith(search: string): Promise<string[]> {
		const all = (await readNodes()).flatMap(({ description }) => description.properties);
		const namesIn = (fields: unknown, isTop: boolean): string[] =>
			[fields].flat().flatMap((field) => {
				const { name, modes, options, values } = field as Record<string, never>;
				const isIt = JSON.stringify(modes ?? '').includes(`"${search}"`);
				const inner = [options, values].flatMap((list) => (list ? namesIn(list, false) : []));
				return isIt ? [isTop ? String(name) : `&${String(name)}`] : inner;
			});
		return [...new Set(namesIn(all, true))];
	}

	test.each(Object.entries(others))('keeps what its field holds: %s', async (name, search) => {
		expect(withoutService).toBeDefined();
		const fields = await fieldsWith(name);
		expect(fields).not.toEqual([]);
		for (const field of fields) {
			const opened = editor({
				answers: always(401),
				operation: 'generateAudio',
				model: TURBO,
				fields: { [field]: held('x', 'My choice') },
			});
			const { results, paginationToken } = await search.call(opened.context);
			expect(results).toEqual([chosen]);
			const opens = await search.call(opened.context, '', paginationToken);
			expect(opens).toEqual({ results: [problem] });
		}
	});
});

test('a list is opened with one request, and nothing is asked while somebody types', async () => {
	const opened = models([{ id: 'm' }]);
	for (const typed of ['', 's', 'st', 'stu', '']) await shown(searchModels, opened, typed);
	expect(listed(opened)).toHaveLength(1);
	// Another credential sees nothing of it.
	expect(await namesIn(searchModels, models([{ id: 'other' }]))).toEqual([
		'other, the first of the workspace',
		'other',
	]);
});

const NO_LIST = /^The answer of the service cannot be used\. .*(not a list|but not where)/;

test.each([
	[401, /^The API key is invalid or missing\. Open the credential, .*\.$/],
	[403, /scope models:read.*Enter an ID instead\.$/],
	[new Error('connect ECONNREFUSED'), /^The service did not respond .*\. Check the base URL/],
	['<html>', NO_LIST],
	[{ data: 'x' }, NO_LIST],
	[{ data: [], has_more: true }, NO_LIST],
])('what is no list is an error in words, not an empty list: %j', async (answer, message) => {
	const nothingHeld = models(answer, { operation: 'generateAudio' });
	await expect(shown(searchModels, nothingHeld)).rejects.toThrow(message);
});

test.each<[Search, RegExp]>([
	[searchModels, /The workspace has no audio models: enter an ID/],
	[searches.searchAgentRuns, /No agent runs yet: make one with the operation Create/],
	[searches.searchCustomVoices, /No custom voices yet: make one .* Clone or Design/],
])('an empty list says what to do: %#', async (search, words) => {
	const name = expect.stringMatching(words) as string;
	const opened = editor({ answers: always([]), operation: 'generateAudio' });
	expect(await shown(search, opened)).toEqual([{ name, value: '' }]);
});

test('typing always works: a model or a voice that no list has can be chosen as it is typed', async () => {
	const typed = [{ name: 'new/model-9', value: 'new/model-9' }];
	for (const answer of [[], 500, 403]) {
		const opened = () => editor({ answers: always(answer), model: TURBO });
		expect(await shown(searchModels, opened(), ' new/model-9 ')).toEqual(typed);
		expect(await shown(searchVoices, opened(), 'new/model-9')).toEqual(typed);
	}
	const known = models([{ id: 'm' }]);
	expect(await namesIn(searchModels, known, 'new')).toEqual(['new (not listed)']);
});

describe('prices in the list of models', () => {
	const catalogue = [
		{ id: 'a', label: 'Alpha' },
		{ id: 'b', label: 'Beta' },
	];
	const generation = (model: string, credits?: number, mode = 'image', count = 1) => ({
		id: 'g',
		object: 'generation',
		status: 'completed',
		mode,
		model,
		output_ids: Array.from({ length: count }, (_, index) => `o${index}`),
		estimated_credits: credits,
	});
	const opened = (generations: unknown) =>
		editor({ answers: { '/models': catalogue, '/generations': generations } });

	test('are those of the newest generation of each model in this mode; an unknown one is said to be unknown', async () => {
		const four = generation('a', 8, 'image', 4);
		const generations = [four, generation('a', 9), generation('b', 5, 'video')];
		expect(await namesIn(searchModels, opened(generations))).toEqual([
			'Alpha, the first of the workspace',
			'Alpha – 2 credits a picture last time',
			'Beta – price unknown',
		]);
	});

	test.each([
		['names no prices', [generation('a')]],
		['refuses the list', 403],
	])('a service that %s costs one request and no word', async (_name, answer) => {
		const list = opened(answer);
		for (const typed of ['', 'a', 'al']) await shown(searchModels, list, typed);
		const names = await namesIn(searchModels, list);
		expect(names).toEqual(['Alpha, the first of the workspace', 'Alpha', 'Beta']);
		expect(list.asked.filter(({ url }) => url === '/generations')).toHaveLength(1);
	});
});

test('speech models have the names of the catalogue, and can be chosen without it', async () => {
	const data = [{ id: 'service/speech-lite', label: 'Lite', kind: 'speech' }];
	expect(await namesIn(searchSpeechModels, models(data))).toEqual(['Lite', 'Speech 2.8 Turbo']);
	expect(await shown(searchSpeechModels, models(403))).toEqual([
		{ name: 'Speech Lite', value: 'service/speech-lite' },
		{ name: 'Speech 2.8 Turbo', value: TURBO },
	]);
});

describe('the values of a model', () => {
	const { duration: searchDurations } = searches;
	const em = {
		id: 'm',
		label: 'Em',
		capabilities: { duration: [5, '10', null, {}, ' '] },
		defaults: { duration: '5' },
	};
	const opened = (catalogue: unknown, model: unknown = 'm') =>
		models(catalogue, { model, operation: 'generateVideo' });

	test('are those of the catalogue, the default marked, and ask for nothing that the list of models has asked for', async () => {
		const list = opened([{ id: 'other' }, em]);
		await shown(searchModels, list);
		expect(await shown(searchDurations, list)).toEqual([
			{ name: '5 (default)', value: '5' },
			{ name: '10', value: '10' },
		]);
		expect(listed(list)).toEqual([{ url: '/models', qs: { mode: 'video' } }]);
	});

	test('are those of the first model of the mode until one is chosen', async () => {
		const duration = (id: string, values: number[]) => ({ id, capabilities: { duration: values } });
		const list = opened([duration('first of all', [4]), duration('m', [8])], 'first');
		expect(await namesIn(searchDurations, list)).toEqual(['4']);
	});

	test.each([
		['no values of the model', [{ id: 'm', name: 'Em' }], 'm', /no values for Em: type one/],
		['no model chosen', [em], '', /Choose a model .* or type one/],
		['a model by expression', [em], '={{ $json.model }}', /Choose a model .* or type one/],
	])('%s: a line says so, and any text can be typed', async (_name, catalogue, model, words) => {
		const list = opened(catalogue, model);
		const name = expect.stringMatching(words) as string;
		expect(await shown(searchDurations, list)).toEqual([{ name, value: '' }]);
		expect(await shown(searchDurations, list, 'any')).toEqual([{ name: 'any', value: 'any' }]);
	});
});

describe('voices', () => {
	const sample = (name: string) => `https://example.com/${name}.mp3`;
	const language = { language_code: 'en-US', language_name: 'English' };
	const ava = { id: 'v1', label: 'Ava', gender: 'female', ...language, sample_url: sample('ava') };
	const own = { id: 'c1', name: 'Mine', kind: 'clone', preview_url: sample('mine') };
	const both = [
		{ name: 'Mine – custom voice, cloned', value: 'c1', url: sample('mine') },
		{ name: 'Ava – English (US), female', value: 'v1', url: sample('ava') },
	];

	test.each<[string, unknown, Record<string, unknown>]>([
		['a model', 'm', { '/models': [{ id: 'm', capabilities: { voices: [ava] } }] }],
		['a speech model', TURBO, { '/voices/catalog': [ava] }],
		['one in a locator', { __rl: true, mode: 'id', value: TURBO }, { '/voices/catalog': [ava] }],
	])('of %s are its own and the custom ones, each to be heard', async (_name, model, preset) => {
		const opened = editor({ answers: { ...preset, '/voices': [own] }, model });
		expect(await shown(searchVoices, opened)).toEqual(both);
		expect(await shown(searchVoices, opened, 'FEMALE')).toEqual([both[1]]);
	});
});

describe('what was made can be opened from its list', () => {
	const link = 'https://media.example/a.png';
	const [signed, unfit] = [
		{ url: link, expires_at: '2026-01-31T12:00:00Z' },
		{ url: 'javascript:x' },
	];
	const generation = (outputs?: object[]) => ({ id: 'x', object: 'generation', outputs });
	const persona = (preview: unknown) => ({ id: 'x', object: 'persona', preview_url: preview });
	const voice = (preview: unknown) => ({ id: 'x', object: 'voice', preview_url: preview });

	test.each<[string, string, keyof typeof searches, object, string | undefined]>([
		['a generation', '/generations', 'searchGenerations', generation([{ url: link }]), link],
		[
			'of several files the first that lasts',
			'/generations',
			'searchGenerations',
			generation([signed, { url: link }]),
			link,
		],
		[
			'no link that expires, as it is saved',
			'/generations',
			'searchGenerations',
			generation([signed]),
			undefined,
		],
		['no other scheme', '/generations', 'searchGenerations', generation([unfit]), undefined],
		['no file yet', '/generations', 'searchGenerations', generation(), undefined],
		[
			'an agent run',
			'/agents/runs',
			'searchAgentRuns',
			{ id: 'x', object: 'agent_run', outputs: [{ url: link }] },
			link,
		],
		['a persona to work on', '/personas', 'searchAllPersonas', persona(link), link],
		['a persona to use', '/personas', 'searchPersonas', persona(link), link],
		['a persona without a picture', '/personas', 'searchPersonas', persona(null), undefined],
		['a custom voice', '/voices', 'searchCustomVoices', voice(link), link],
	])('%s', async (_name, path, search, entry, url) => {
		const opened = editor({ answers: { [path]: [entry] } });
		const [only] = await shown(searches[search], opened);
		expect(only).toEqual({ name: expect.any(String) as string, value: 'x', ...(url && { url }) });
	});

	test('what a field holds keeps its link while the list cannot be read', async () => {
		const fields = { personaId: { ...held('x', 'Mara'), cachedResultUrl: link } };
		const opened = editor({ answers: { '/personas': 401 }, fields });
		const kept = [{ name: 'Mara', value: 'x', url: link }];
		expect(await shown(searches.searchPersonas, opened)).toEqual(kept);
	});
});

test('the filter of a trigger offers the models of all pages of the catalogue', async () => {
	const pages = [
		{ data: [{ id: 'a', label: 'Alpha' }, { label: 'no id' }, null], next_cursor: 'c1' },
		{ data: [{ id: 'b' }], has_more: false, next_cursor: 'c2' },
	];
	const { context, asked } = editor({ answers: () => pages.shift() });
	expect(await getModels.call(context)).toEqual([
		{ name: 'Alpha', value: 'a' },
		{ name: 'b', value: 'b' },
	]);
	expect(asked.map(({ qs }) => qs)).toEqual([{}, { cursor: 'c1' }]);
});
