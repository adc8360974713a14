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

test('the preset catalogue is filtered by locale or language, gender, id and name', async () => {
	const found = async (query: string) => {
		const { data } = (await service.get(`/voices/catalog?${query}`)).body;
		return data.map(({ name }: { name: string }) => name);
	};
	expect(await found('language=DE')).toEqual(['Lena', 'Jonas']);
	expect(await found('language=de-de&gender=Male')).toEqual(['Jonas']);
	expect(await found('search=ARTH')).toEqual(['Arthur']);
});
