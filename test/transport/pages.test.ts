import { readPages } from '../../src/transport/pages';
import type { SendResult } from '../../src/base/types';
import { answer, channelOf, scripted } from '../model/answers';
import { workspaceWith } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const page = (ids: unknown[], more: Record<string, unknown> = {}) =>
	answer(200, { object: 'list', data: ids.map((id) => ({ id })), ...more });

const more = (cursor: unknown) => ({ has_more: true, next_cursor: cursor });

async function read(answers: SendResult[], query: Partial<Parameters<typeof readPages>[3]> = {}) {
	const clock = new VirtualClock();
	const { client } = workspaceWith(clock);
	const { send, sent } = scripted(clock, answers);
	const request = { method: 'GET', path: '/generations' } as const;
	const wanted = { wanted: Infinity, takesLimit: true, ...query };
	const result = await clock.run(readPages(client, channelOf(send), request, wanted));
	const ids = result.ok ? (result.value as Array<{ id: unknown }>).map(({ id }) => id) : result;
	return { ids, queries: sent.map((request) => request.query) };
}

test('the cursor is followed while there is more, and sent unchanged', async () => {
	const cursor = '2026-01-01T00:00:00.000Z';
	const { ids, queries } = await read([
		page([1, 2], more(cursor)),
		page([3], { has_more: false, next_cursor: 'x' }),
	]);
	expect(ids).toEqual([1, 2, 3]);
	expect(queries).toEqual([{ limit: 100 }, { limit: 100, cursor }]);
});

test('no limit is sent where the specification documents none', async () => {
	const { queries } = await read([page([1], more('a')), page([2])], {
		takesLimit: false,
		wanted: 5,
	});
	expect(queries).toEqual([{}, { cursor: 'a' }]);
});

test('asks for no more than is wanted, and returns no more', async () => {
	const first = Array.from({ length: 100 }, (_, index) => index);
	const { ids, queries } = await read([page(first, more('a')), page([100, 101, 102], more('b'))], {
		wanted: 102,
	});
	expect(ids).toHaveLength(102);
	expect(queries).toEqual([{ limit: 100 }, { limit: 2, cursor: 'a' }]);
	expect((await read([page([1, 2, 3], more('a'))], { wanted: 2 })).ids).toEqual([1, 2]);
});

test('an entry on two pages, because of an insert in between, is returned once', async () => {
	const { ids } = await read([page([1, 2, 3], more('a')), page([3, 4], more('b')), page([4, 5])]);
	expect(ids).toEqual([1, 2, 3, 4, 5]);
});

test.each<[what: string, answers: SendResult[], problem: string]>([
	...[null, '', 7].map((cursor): [string, SendResult[], string] => [
		`with more, but not where (${JSON.stringify(cursor)})`,
		[page([1], more('a')), page([2], more(cursor))],
		'the list says that there is more of it, but not where',
	]),
	[
		'that leads back',
		['a', 'b', 'a'].map((cursor, index) => page([index], more(cursor))),
		'the list leads back to a page before',
	],
	['that is none', [answer(200, { object: 'list' })], 'the response is a JSON object, not a list'],
])('a list %s is a failure, not a part of it', async (_, answers, problem) => {
	const { ids } = await read(answers);
	expect(ids).toMatchObject({ ok: false, failure: { kind: 'badResponse', problem } });
});

test('a list that never ends is an error, not a part of it', async () => {
	let count = 0;
	const clock = new VirtualClock();
	const { client } = workspaceWith(clock, { requestsPerMinute: 1_000_000 });
	const channel = channelOf(async () => {
		count += 1;
		return page([count], more(String(count)));
	});
	const request = { method: 'GET', path: '/voices' } as const;
	const endless = readPages(client, channel, request, { wanted: Infinity, takesLimit: false });
	expect(await clock.run(endless)).toMatchObject({
		ok: false,
		failure: { kind: 'badResponse', problem: 'the list has not ended after 10000 pages' },
	});
	expect(count).toBe(10_000);
});

describe('entries newer than a date', () => {
	const newerThan = '2026-01-31T12:00:00.000Z';
	const border = { limit: 1, cursor: newerThan };

	test('end before the entry that the list shows at that date, and no further page is asked for', async () => {
		const { ids, queries } = await read(
			[page(['3']), page(['5', '4', '3', '2'], more('a')), page(['1'])],
			{ newerThan },
		);
		expect(ids).toEqual(['5', '4']);
		expect(queries).toEqual([border, { limit: 100 }]);
	});

	test('are followed over pages, and are no more than are wanted', async () => {
		const answers = () => [page(['2']), page(['5', '4'], more('a')), page(['3', '2', '1'])];
		const { ids, queries } = await read(answers(), { newerThan });
		expect(ids).toEqual(['5', '4', '3']);
		expect(queries).toEqual([border, { limit: 100 }, { limit: 100, cursor: 'a' }]);
		expect((await read(answers(), { newerThan, wanted: 1 })).ids).toEqual(['5']);
	});

	test('are all, where none is older, and none, where none is newer', async () => {
		expect((await read([page([]), page(['2', '1'])], { newerThan })).ids).toEqual(['2', '1']);
		expect((await read([page(['2']), page(['2', '1'])], { newerThan })).ids).toEqual([]);
	});

	test.each([
		['has no ids', [page([7])], /no id/],
		['does not show that entry again', [page(['9']), page(['2', '1'])], /lacks an entry/],
	])('of a list that %s are an error, not a guess', async (_, answers, problem) => {
		const { ids } = await read(answers, { newerThan });
		const said = expect.stringMatching(problem) as string;
		expect(ids).toMatchObject({ ok: false, failure: { kind: 'badResponse', problem: said } });
	});
});
