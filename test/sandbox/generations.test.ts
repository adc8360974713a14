import { anImage, harnessForEach, type Harness } from './support/harness';

let service: Harness;
harnessForEach((started) => (service = started));

const finished = async (body: object) => {
	const { body: queued } = await service.post('/generations', body);
	service.pass(60);
	return (await service.get(`/generations/${queued.id}`)).body;
};

describe('creating a generation', () => {
	test('answers 202 with a queued generation and its reservation', async () => {
		const { status, body } = await service.post('/generations', anImage());
		expect(status).toBe(202);
		expect(body).toEqual({
			id: expect.stringMatching(/^gen_/),
			object: 'generation',
			status: 'queued',
			mode: 'image',
			model: 'studio/image-1',
			estimated_credits: 2,
		});
	});

	test('reserves before it is done and settles after', async () => {
		await service.post('/generations', anImage({ parameters: { count: 3 } }));
		expect((await service.get('/credits')).body).toMatchObject({ available: 9994, reserved: 6 });
		service.pass(60);
		expect((await service.get('/credits')).body).toMatchObject({
			available: 9994,
			reserved: 0,
			spent: 6,
		});
	});

	test('a completed generation has one output for each that was asked for', async () => {
		const { status, outputs, output_ids } = await finished(anImage({ parameters: { count: 3 } }));
		expect(status).toBe('completed');
		expect(outputs.map((output: { id: string }) => output.id)).toEqual(output_ids);
		expect(outputs).toHaveLength(3);
		expect(outputs[0]).toEqual({
			id: output_ids[0],
			media_type: 'image/png',
			url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/outputs\/out_[0-9a-f]+\.png$/),
		});
	});

	test('a prompt with [fail] fails, costs nothing and gives the reason', async () => {
		const { status, outputs, errors } = await finished(anImage({ prompt: 'a [fail] fox' }));
		expect({ status, outputs }).toEqual({ status: 'failed', outputs: [] });
		expect(errors[0]).toMatchObject({ type: 'generation_failed', message: expect.any(String) });
		expect((await service.get('/credits')).body).toMatchObject({ available: 10000, spent: 0 });
	});

	test('a prompt with [partial] keeps all outputs but the last and costs only those', async () => {
		const body = anImage({ prompt: '[partial]', parameters: { count: 4 } });
		const { status, outputs, errors } = await finished(body);
		expect(status).toBe('partially_completed');
		expect(outputs).toHaveLength(3);
		expect(errors).toHaveLength(1);
		expect((await service.get('/credits')).body).toMatchObject({ available: 9994, spent: 6 });
	});

	test('402 without the credits, and nothing is created', async () => {
		await service.admin('POST', '/credits', { workspace: 'studio', amount: -9999 });
		const { status, body } = await service.post('/generations', anImage());
		expect(status).toBe(402);
		expect(body.error.type).toBe('insufficient_credits');
		expect((await service.get('/generations')).body.data).toEqual([]);
	});

	test('the sixth at once is 429 without side effects, and passes when one is done', async () => {
		for (let index = 0; index < 5; index += 1) {
			expect((await service.post('/generations', anImage())).status).toBe(202);
		}
		const refused = await service.post('/generations', anImage());
		expect(refused.status).toBe(429);
		expect(refused.body.error.type).toBe('concurrency_limit');
		expect((await service.get('/credits')).body.reserved).toBe(10);
		expect(
			(await service.post('/generations', anImage(), { key: service.keys.other })).status,
		).toBe(202);
		service.pass(60);
		expect((await service.post('/generations', anImage())).status).toBe(202);
	});
});

describe('listing generations', () => {
	const create = async (count: number) => {
		await service.admin('PATCH', '/settings', { concurrentJobs: 1000 });
		const ids: string[] = [];
		for (let index = 0; index < count; index += 1) {
			ids.unshift((await service.post('/generations', anImage())).body.id);
		}
		return ids;
	};

	test('pages newest first, and equal timestamps lose or repeat none', async () => {
		const ids = await create(25);
		const seen: string[] = [];
		let path = '/generations?limit=10';
		const sizes: number[] = [];
		for (;;) {
			const { body } = await service.get(path);
			sizes.push(body.data.length);
			seen.push(...body.data.map(({ id }: { id: string }) => id));
			if (!body.has_more) {
				expect(body.next_cursor).toBeNull();
				break;
			}
			path = `/generations?limit=10&cursor=${encodeURIComponent(body.next_cursor)}`;
		}
		expect(sizes).toEqual([10, 10, 5]);
		expect(seen).toEqual(ids);
	});

	test('20 a page unless another limit is given', async () => {
		await create(21);
		const { body } = await service.get('/generations');
		expect(body).toMatchObject({ object: 'list', has_more: true });
		expect(body.data).toHaveLength(20);
	});
});
