import type { ApiRequest, SendResult } from '../../src/base/types';
import { answer, errorBody, LOST } from '../model/answers';
import { byId, setUp } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

/*
 * A node as it opens: no model is chosen. The catalogue says which is the first one; what is known of an
 * item does not depend on it.
 */

const listOf = (...ids: string[]): SendResult =>
	answer(200, {
		object: 'list',
		data: ids.map((id) => ({ id, object: 'model' })),
		has_more: false,
	});

const json = [{ p: 'a' }, { p: 'b' }, { p: 'c' }];

/** A node that was given nothing but prompts, and what it has asked the catalogue for. */
function opened(catalogue: () => SendResult, given: Record<string, unknown> = {}) {
	const asked: ApiRequest[] = [];
	const answers = (request: ApiRequest) => {
		if (request.path !== '/models') return undefined;
		asked.push(request);
		return catalogue();
	};
	const own = (item: number) => ({ prompt: json[item]?.p });
	return { asked, ...setUp({ json, own, given: { downloadOutputs: false, ...given }, answers }) };
}

const modelsOf = (requests: ApiRequest[]) =>
	requests.map(({ body }) => (body as { model: string }).model);

test('with the model that a node opens with the catalogue is read once, and its first is used', async () => {
	const t = opened(() => listOf('studio/one', 'studio/two'), { operation: 'generateVideo' });
	expect(await t.run()).toHaveLength(json.length);
	expect(t.asked.map(({ query }) => query)).toEqual([{ mode: 'video' }]);
	expect(modelsOf(t.posts())).toEqual(json.map(() => 'studio/one'));
});

test('without a model in the catalogue nothing is sent, and the error names the field', async () => {
	const t = opened(() => listOf());
	await expect(t.run()).rejects.toThrow(
		/Model is not chosen, and the workspace lists none for image.*\[item 1 of 3\]/,
	);
	expect(t.posts()).toEqual([]);
});

test('where the key may not read the catalogue, the error names the scope, and items with a model are made', async () => {
	const t = opened(() => answer(403, errorBody('No')));
	const description = expect.stringContaining('models:read') as string;
	await expect(t.run()).rejects.toMatchObject({ description });
	expect(t.posts()).toEqual([]);
	const mixed = setUp({
		json,
		own: (item) => ({ prompt: `p${item}`, ...(item > 0 && { model: byId('studio/two') }) }),
		given: { downloadOutputs: false },
		continueOnFail: true,
		answers: ({ path }) => (path === '/models' ? answer(403, errorBody('No')) : undefined),
	});
	const [refused, ...made] = await mixed.run();
	expect(refused?.json.status).toBe('failed');
	expect(made.map((item) => item.json.status)).toEqual(['completed', 'completed']);
});

test('at a retry nothing that is known depends on the catalogue', async () => {
	let answers = listOf('studio/one');
	const t = opened(() => answers);
	await t.run();
	for (answers of [listOf('studio/new'), answer(403, errorBody('No'))])
		expect(await t.run()).toHaveLength(json.length);
	expect(modelsOf(t.posts())).toEqual(json.map(() => 'studio/one'));
	expect(t.asked).toHaveLength(1);
});

test('what the next click takes over is sent again under its key, with the model that it had', async () => {
	let first = 'studio/one';
	let isLost = true;
	const t = setUp({
		mode: 'manual',
		own: () => ({ prompt: 'p' }),
		given: { downloadOutputs: false },
		answers: ({ method, path }) => {
			if (path === '/models') return listOf(first);
			return method === 'POST' && isLost ? LOST : undefined;
		},
	});
	await expect(t.run({ nodeMemory: {}, executionId: '1' })).rejects.toThrow();
	first = 'studio/new';
	isLost = false;
	expect(await t.run({ nodeMemory: {}, executionId: '2' })).toHaveLength(1);
	expect(new Set(modelsOf(t.posts()))).toEqual(new Set(['studio/one']));
	const keys = t.posts().map(({ headers }) => headers?.['Idempotency-Key']);
	expect(new Set(keys).size).toBe(1);
});

test('a dry run names it, without a creation, and goes on where the catalogue cannot be read', async () => {
	const dry = { options: { dryRun: true } };
	const named = opened(() => listOf('studio/one'), dry);
	expect((await named.run()).map(({ json: { model } }) => model)).toEqual(
		json.map(() => 'studio/one'),
	);
	const refused = opened(() => answer(401, errorBody('No')), dry);
	expect((await refused.run()).map(({ json: { status } }) => status)).toEqual(
		json.map(() => 'completed'),
	);
	expect(refused.asked).toHaveLength(1);
	expect([...named.posts(), ...refused.posts()]).toEqual([]);
});

test.each([[0], [1]])(
	'a dry run asks for the prices of the models as they would be sent, where only item %i has none',
	async (lacking) => {
		const generation = { object: 'generation', mode: 'image', status: 'completed', outputs: [{}] };
		const listed = [
			{ ...generation, id: 'g1', model: 'studio/one', estimated_credits: 3 },
			{ ...generation, id: 'g2', model: 'studio/two', estimated_credits: 5 },
		];
		const t = setUp({
			json: json.slice(0, 2),
			own: (item) => ({ prompt: 'p', ...(item !== lacking && { model: byId('studio/two') }) }),
			given: { downloadOutputs: false, options: { dryRun: true } },
			answers: ({ path }) =>
				path === '/models' ? listOf('studio/one') : answer(200, { object: 'list', data: listed }),
		});
		const [row] = await t.run();
		expect(row?.json.summary).toContain('2 jobs, about 8 credits');
	},
);
