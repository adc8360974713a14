import { ENDPOINTS, INPUT_SLOTS, SPEECH_MODELS } from '../../src/api';
import type { Json, Resource } from '../../src/base/types';
import {
	charactersIn,
	countAskedFor,
	exactKindOf,
	PriceBook,
	similarKindOf,
	type Priced,
} from '../../src/transport/priceBook';
import { findModel, MODELS } from '../../sandbox/catalogue/models';
import {
	countCharacters,
	outputPrice,
	speechPrice,
	voicePrice,
	type Effective,
} from '../../sandbox/credits/prices';
import fc from '../support/fastCheck';

/*
 * Requests of one exact kind have one price per unit: in the sandbox, and with services that count what the
 * sandbox does not.
 */

type Body = Json & {
	model: string;
	prompt: string;
	parameters: Json;
	input: Record<string, string[]>;
};

const { createGeneration, createSpeech, createVoice } = ENDPOINTS;

const files = fc.array(fc.constantFrom('https://f.example/a', 'https://f.example/bcd'), {
	minLength: 1,
	maxLength: 3,
});
const text = fc.constantFrom('', 'Hi', 'x'.repeat(99), 'y'.repeat(101), 'z'.repeat(1_000));
const choice = fc.constantFrom('1', '2', '5', '10', 'low', 'high', '720p', '1080p');

/** Each place of a request with the values that it may have. */
const GENERATION = {
	mode: fc.constantFrom('image', 'video'),
	model: fc.constantFrom(
		...MODELS.flatMap(({ id, mode }) => (mode === 'agent' ? [] : [id])),
		'another-model',
	),
	prompt: text,
	delivery: fc.option(fc.constantFrom('public_url', 'signed_url'), { nil: undefined }),
	persona_id: fc.option(fc.constantFrom('anna', 'bert'), { nil: undefined }),
	input: fc.dictionary(fc.constantFrom(...INPUT_SLOTS, 'depth_maps'), files, { maxKeys: 2 }),
	parameters: fc.record(
		{
			count: fc.constantFrom(1, 2, 16),
			quality: choice,
			duration: choice,
			resolution: choice,
			voice: fc.constantFrom('anna', 'bert'),
			lyrics: text,
			loop: fc.boolean(),
			// Models have parameters that the specification does not list.
			upscale: fc.boolean(),
		},
		{ requiredKeys: [] },
	),
};

const SPEECH = {
	model: fc.constantFrom(...SPEECH_MODELS),
	blocks: fc.array(fc.record({ text, voice: fc.constantFrom('anna', 'bert') }), { minLength: 1 }),
	settings: fc.record({ speed: fc.constantFrom(1, 2) }, { requiredKeys: [] }),
};

const VOICE = {
	kind: fc.constantFrom('clone', 'design'),
	name: text,
	description: text,
	audio_url: fc.constantFrom('https://f.example/a', 'https://f.example/bcd'),
	preview_text: fc.option(text, { nil: undefined }),
};

const withOtherFiles = (input: unknown) =>
	Object.fromEntries(
		Object.entries((input ?? {}) as Body['input']).map(([slot, all]) => [
			slot,
			all.map((file) => `${file}e`),
		]),
	);

/** Two requests, of which the second one differs in a few places at most. */
function pairsOf(endpoint: Priced['endpoint'], places: Record<string, fc.Arbitrary<unknown>>) {
	const changed = fc.subarray([...Object.keys(places), 'files'], { maxLength: 2 });
	return fc
		.tuple(fc.record(places), fc.record(places), changed)
		.map(([body, other, names]): [Priced, Priced] => {
			const changes: Json = Object.fromEntries(names.map((name) => [name, other[name]]));
			if (names.includes('files')) changes.input = withOtherFiles(body.input);
			return [
				{ endpoint, body },
				{ endpoint, body: { ...body, ...changes } },
			];
		});
}

const pairs = fc.oneof(
	{ weight: 3, arbitrary: pairsOf(createGeneration, GENERATION) },
	pairsOf(createSpeech, SPEECH),
	pairsOf(createVoice, VOICE),
);

/** What the sandbox takes. */
function priceOf({ endpoint, body }: Priced): number {
	const asked = body as Body;
	if (endpoint === createSpeech) return speechPrice(asked.model, charactersIn(asked));
	if (endpoint === createVoice)
		return voicePrice(asked.kind as 'clone' | 'design', String(asked.preview_text ?? ''));
	const model = findModel(asked.model) ?? MODELS[0]!;
	const parameters = { ...model.defaults, ...asked.parameters } as Effective;
	return outputPrice(model, parameters, asked.prompt) * countAskedFor(asked);
}

/** What another service might take besides, for each output. */
const EXTRAS: Record<string, (body: Body) => number> = {
	nothing: () => 0,
	'each file': ({ input }) => Object.values(input).flat().length,
	'each slot': ({ input }) => Object.keys(input).join().length,
	'the length of a film': ({ input }) => (input.video ?? input.video_refs ?? []).join().length,
	'the length of a sound': ({ input }) => (input.audio_refs ?? []).join().length,
	'a slot that nobody knows': ({ input }) => (input.depth_maps ?? []).join().length,
	'a persona': ({ persona_id: persona }) => String(persona).length + (persona === 'anna' ? 1 : 0),
	'a parameter that is not listed': ({ parameters }) => (parameters.upscale === true ? 8 : 0),
	lyrics: ({ parameters }) => countCharacters(String(parameters.lyrics ?? '')),
	'a loop': ({ parameters }) => (parameters.loop === true ? 3 : 0),
	'a signed link': ({ delivery }) => (delivery === 'signed_url' ? 1 : 0),
};

const isSpeech = ({ body }: Priced) => SPEECH_MODELS.some((one) => one === (body as Body).model);

test('requests of one exact kind have one price per unit, which is certain', () => {
	let alike = 0;
	const check = ([one, other]: [Priced, Priced]) => {
		if (exactKindOf(one) !== exactKindOf(other)) return;
		for (const [name, extraOf] of Object.entries(EXTRAS)) {
			const costOf = (request: Priced): number => {
				const asked = request.body as Body;
				const isExtra = request.endpoint === createGeneration && !isSpeech(request);
				return priceOf(request) + (isExtra ? extraOf(asked) * countAskedFor(asked) : 0);
			};
			const book = new PriceBook(
				{ request: () => Promise.reject(new Error('asked')) },
				{ monotonic: () => 0 },
			);
			book.learnFromAnswer(one, { id: '1', estimated_credits: costOf(one) } as Resource);
			const expected = book.reservationOf(other);
			// A speech without a character tells nothing.
			if (expected === undefined) continue;
			alike += 1;
			const costs = costOf(other);
			// Speech costs whole credits, so a longer text may cost less by the character than a shorter one.
			const isRight = isSpeech(other) ? expected >= costs : expected === costs;
			if (!isRight || !book.isCertain(other))
				throw new Error(`with ${name}: ${expected} are expected, and it costs ${costs}`);
		}
	};
	fc.assert(fc.property(pairs, check), { numRuns: 2_000 });
	expect(alike).toBeGreaterThan(4_000);
});

describe('rows of a run that differ in', () => {
	const frames = { start_frame: ['https://f.example/1'] };
	const clips = { video: ['https://f.example/1'] };
	const row = { mode: 'video', model: 'm', prompt: 'p', parameters: { duration: '5' } };

	test.each<[string, Json, Json, string]>([
		['prompts', { prompt: 'one' }, { prompt: 'two' }, 'exact'],
		['counts', { parameters: { count: 1 } }, { parameters: { count: 4 } }, 'exact'],
		['pictures', { input: frames }, { input: { start_frame: ['https://f.example/2'] } }, 'exact'],
		['films', { input: clips }, { input: { video: ['https://f.example/2'] } }, 'similar'],
		['seeds', { parameters: { seed: 1 } }, { parameters: { seed: 2 } }, 'similar'],
		['how many pictures', { input: frames }, { input: { image_refs: ['1', '2'] } }, 'another'],
		['whether there is a picture', {}, { input: frames }, 'another'],
		['quality', { parameters: { quality: '1' } }, { parameters: { quality: '2' } }, 'another'],
	])('%s', (_name, one, other, expected) => {
		const [first, second] = [one, other].map((changes): Priced => {
			return { endpoint: createGeneration, body: { ...row, ...changes } };
		}) as [Priced, Priced];
		const isExact = exactKindOf(first) === exactKindOf(second);
		const isSimilar = similarKindOf(first) === similarKindOf(second);
		expect([isExact, isSimilar]).toEqual([expected === 'exact', expected !== 'another']);
	});
});
