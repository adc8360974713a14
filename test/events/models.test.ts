import type { IHttpRequestOptions, ILoadOptionsFunctions } from 'n8n-workflow';
import { getModels } from '../../src/events/filters';
import { NODE } from '../support/nodeContext';

/** An editor whose service answers with one body after another, the last one again and again. */
let editors = 0;

function editor(...bodies: unknown[]) {
	// What was read with a credential is kept for a while.
	editors += 1;
	const apiKey = `key-${editors}`;
	const asked: unknown[] = [];
	const context = {
		getCredentials: async () => ({ apiKey, baseUrl: 'https://api.example/v1' }),
		getNode: () => NODE,
		helpers: {
			async httpRequestWithAuthentication(_credential: string, { qs }: IHttpRequestOptions) {
				asked.push(qs);
				return { statusCode: 200, body: bodies[Math.min(asked.length, bodies.length) - 1] };
			},
		},
	};
	return { context: context as unknown as ILoadOptionsFunctions, asked };
}

test('the filter of a trigger offers the models of all pages of the catalogue', async () => {
	const { context, asked } = editor(
		{ data: [{ id: 'a', label: 'Alpha' }, { label: 'no id' }, null], next_cursor: 'c1' },
		{ data: [{ id: 'b' }], has_more: true, next_cursor: 'c2' },
		{ data: [{ id: 'c', name: 7 }], has_more: false, next_cursor: 'c3' },
	);
	expect(await getModels.call(context)).toEqual([
		{ name: 'Alpha', value: 'a' },
		{ name: 'b', value: 'b' },
		{ name: 'c', value: 'c' },
	]);
	expect(asked).toEqual([{}, { cursor: 'c1' }, { cursor: 'c2' }]);
});

test('a list that never ends is left after ten pages, and one that repeats itself is an error', async () => {
	let number = 0;
	const endless = {
		get next_cursor() {
			return `c${(number += 1)}`;
		},
		data: [],
	};
	const { context, asked } = editor(endless);
	expect(await getModels.call(context)).toEqual([]);
	expect(asked).toHaveLength(10);
	const repeating = editor({ data: [], next_cursor: 'c' });
	await expect(getModels.call(repeating.context)).rejects.toThrow('leads back to a page before');
	expect(repeating.asked).toHaveLength(2);
});

test.each([null, 'text', [], {}, { data: 'x' }])(
	'%j is no list, which is an error',
	async (body) => {
		await expect(getModels.call(editor(body).context)).rejects.toThrow('cannot be used');
	},
);
