import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { searches } from '../../src/fields/search/searches';
import fc from '../support/fastCheck';
import { editor } from '../support/searches';
import { cases } from '../support/thorough';

type Search = (
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
) => Promise<INodeListSearchResult>;

const all: Array<[string, Search]> = Object.entries(searches);

const CHOSEN = 'service/speech-lite';

const names = ['label', 'name', 'kind', 'type', 'description', 'status', 'mode', 'model', 'url'];
const voice = ['gender', 'language_code', 'language_name', 'sample_url', 'preview_url', 'plan'];

const anyEntry = fc.oneof(
	fc.jsonValue(),
	fc.record(
		{
			id: fc.oneof(fc.constantFrom(CHOSEN, '', 'a', 7, null), fc.jsonValue({ maxDepth: 1 })),
			...Object.fromEntries(
				[...names, ...voice].map((name) => [
					name,
					fc.oneof(fc.constantFrom(' ', 'x'), fc.jsonValue({ maxDepth: 1 })),
				]),
			),
			capabilities: fc.oneof(
				fc.jsonValue({ maxDepth: 2 }),
				fc.record({
					voices: fc.oneof(fc.array(fc.jsonValue({ maxDepth: 2 })), fc.jsonValue({ maxDepth: 1 })),
					durations: fc.jsonValue({ maxDepth: 3 }),
					aspect_ratio: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
				}),
			),
		},
		{ requiredKeys: [] },
	),
);

const anyBody = fc.oneof(
	fc.jsonValue(),
	fc.record(
		{
			data: fc.oneof(fc.array(anyEntry), fc.jsonValue({ maxDepth: 1 })),
			has_more: fc.jsonValue({ maxDepth: 0 }),
			next_cursor: fc.jsonValue({ maxDepth: 0 }),
		},
		{ requiredKeys: ['data'] },
	),
);

/** What is no list, or not all of it, is said in words instead. */
const inWords = (thrown: Error) => {
	expect(thrown.message).toMatch(/^The answer of the service cannot be used\. /);
	return { results: [], paginationToken: undefined };
};

test.each(all)('%s makes choices of any answer, each with a name', async (_name, search) => {
	await fc.assert(
		fc.asyncProperty(anyBody, fc.option(fc.string(), { nil: undefined }), async (body, filter) => {
			const { context } = editor({
				answers: () => body,
				model: CHOSEN,
				operation: 'generateAudio',
			});
			const searched = search.call(context, filter).catch(inWords);
			const { results, paginationToken } = await searched;
			for (const { name, value, url } of results) {
				expect([typeof name, typeof value]).toEqual(['string', 'string']);
				expect(name.trim()).not.toBe('');
				expect(name).not.toMatch(/^(undefined|null|\[object)/);
				if (url !== undefined) expect(url).toMatch(/^https?:/);
			}
			expect(['string', 'undefined']).toContain(typeof paginationToken);
		}),
		{ numRuns: cases(100) },
	);
});
