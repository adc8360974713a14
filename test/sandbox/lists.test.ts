import { requestOf } from '../../sandbox/schemas';
import { BODIES, OPERATIONS } from './support/bodies';
import { anImage, harnessForEach, type Harness } from './support/harness';

let service: Harness;
harnessForEach((started) => {
	service = started;
});

/** All pages of a list, by following its cursors. */
const pagesOf = async (path: string) => {
	const pages: string[][] = [];
	let cursor = '';
	for (;;) {
		const { body } = await service.get(path + cursor);
		pages.push(body.data.map(({ id }: { id: string }) => id));
		if (!body.has_more) return pages;
		cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
	}
};

test('generations come newest first, 20 a page or as many as asked, none lost or repeated', async () => {
	await service.admin('PATCH', '/settings', { concurrentJobs: 1000 });
	const ids: string[] = [];
	// All within one instant.
	for (let index = 0; index < 25; index += 1)
		ids.unshift((await service.post('/generations', anImage())).body.id);
	const pages = await pagesOf('/generations?limit=10');
	expect(pages.map(({ length }) => length)).toEqual([10, 10, 5]);
	expect(pages.flat()).toEqual(ids);
	expect((await service.get('/generations')).body.data).toHaveLength(20);
});

test('other lists are whole, or have pages by the setting paginateAll', async () => {
	for (const brief of ['a', 'b', 'c']) await service.post('/agents/runs', { brief });
	const sizes = async () => (await pagesOf('/agents/runs?limit=2')).map(({ length }) => length);
	expect(await sizes()).toEqual([3]);
	await service.admin('PATCH', '/settings', { paginateAll: true });
	expect(await sizes()).toEqual([2, 1]);
});

test('usage is summed by mode, also since an instant', async () => {
	await service.post('/generations', anImage({ parameters: { count: 2 } }));
	service.pass(60);
	const since = new Date(service.timers.now()).toISOString();
	await service.post('/generations', { mode: 'audio', model: 'studio/sfx-1', prompt: 'rain' });
	service.pass(60);
	const image = { mode: 'image', jobs: 1, outputs: 2, credits: 4 };
	const audio = { mode: 'audio', jobs: 1, outputs: 1, credits: 3 };
	const { body } = await service.get('/usage');
	expect(body).toMatchObject({ data: [image, audio], total_credits: 7 });
	expect((await service.get(`/usage?since=${since}`)).body.data).toEqual([audio]);
});

const MIDNIGHT = Date.parse('2026-01-01T00:00:00Z');

/** Texts, and the instant of each by RFC 3339; where it is none of it, null. */
const TIMES: Array<[text: string, instant: number | null]> = [
	['2026-01-01T00:00:00Z', MIDNIGHT],
	['2026-01-01t00:00:00z', MIDNIGHT],
	['2026-01-01T00:00:00.5Z', MIDNIGHT + 500],
	['2026-01-01T00:00:00.000000001Z', MIDNIGHT],
	['2026-01-01T02:30:00+02:30', MIDNIGHT],
	['2025-12-31T00:01:00-23:59', MIDNIGHT],
	['2026-01-01T00:00:00-00:00', MIDNIGHT],
	['2025-12-31T23:59:60Z', MIDNIGHT],
	['2026-01-01T01:59:60+02:00', MIDNIGHT],
	['2024-02-29T00:00:00Z', Date.parse('2024-02-29')],
	['2026-01-01T00:00:00+25:00', null],
	['2026-01-01T00:00:00+24:00', null],
	['2026-01-01T00:00:00+01:60', null],
	['2026-01-01T00:00:00+0100', null],
	['2026-01-01T00:00:00+01', null],
	['2026-01-01T00:00:00', null],
	['2026-01-01T00:00Z', null],
	['2026-01-01', null],
	['2026-01-01 00:00:00Z', null],
	['2026-01-01T24:00:00Z', null],
	['2026-01-01T00:60:00Z', null],
	['2026-01-01T00:00:61Z', null],
	['2026-01-01T12:00:60Z', null],
	['2026-01-01T00:00:00.Z', null],
	['2026-01-01T00:00:00,5Z', null],
	['2026-02-29T00:00:00Z', null],
	['2026-04-31T00:00:00Z', null],
	['2026-13-01T00:00:00Z', null],
	['2026-01-00T00:00:00Z', null],
	['+02026-01-01T00:00:00Z', null],
	['1767225600000', null],
	['now', null],
	['', null],
];

/** Every operation and field of a query that is a time. */
const TIMED = OPERATIONS.flatMap(({ name, ...operation }) =>
	['since', 'cursor']
		.filter((field) => requestOf(name).query?.shape[field])
		.map((field) => ({ ...operation, field })),
);

test('a time in a query is one of RFC 3339, or refused, wherever there is one', async () => {
	await service.admin('PATCH', '/settings', { paginateAll: true });
	const { id } = (await service.post('/webhooks', BODIES.createWebhook)).body;
	expect(TIMED).toHaveLength(7);
	for (const { path, field } of TIMED) {
		for (const [text, instant] of TIMES) {
			const query = `?${field}=${encodeURIComponent(text)}`;
			const { status, body } = await service.get(path.replace('{id}', id) + query);
			expect([path, text, status]).toEqual([path, text, instant === null ? 400 : 200]);
			if (field === 'since' && instant !== null) expect(Date.parse(body.since)).toBe(instant);
		}
	}
});

test('a cursor is an instant, in whatever offset it is written', async () => {
	for (let made = 0; made < 3; made += 1) {
		await service.post('/generations', anImage());
		service.pass(1);
	}
	const before = async (cursor: string) =>
		(await service.get(`/generations?cursor=${encodeURIComponent(cursor)}`)).body.data.length;
	// Made at 0, 1 and 2 s.
	expect(await before('2026-01-01t00:00:01z')).toBe(1);
	expect(await before('2026-01-01T01:00:02+01:00')).toBe(2);
	expect(await before('2025-12-31T23:59:60Z')).toBe(0);
});

test('the preset catalogue is filtered by locale or language, gender, id and name', async () => {
	const found = async (query: string) => {
		const { data } = (await service.get(`/voices/catalog?${query}`)).body;
		return data.map(({ name }: { name: string }) => name);
	};
	expect(await found('language=DE')).toEqual(['Lena', 'Jonas']);
	expect(await found('language=de-de&gender=Male')).toEqual(['Jonas']);
	expect(await found('search=ARTH')).toEqual(['Arthur']);
});
