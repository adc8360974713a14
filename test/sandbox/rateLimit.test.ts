import { startHarness, type Harness } from './support/harness';

let service: Harness;

afterEach(async () => {
	expect(service.reported).toEqual([]);
	await service.close();
});

const burst = async (count: number) => {
	const statuses: number[] = [];
	for (let index = 0; index < count; index += 1) {
		statuses.push((await service.get('/credits')).status);
	}
	return statuses.filter((status) => status === 200).length;
};

test('60 requests a minute and workspace pass, and what is refused does not count', async () => {
	service = await startHarness({ settings: { requestsPerMinute: 60 } });
	expect(await burst(60)).toBe(60);
	const { status, body } = await service.get('/credits');
	expect({ status, type: body.error.type }).toEqual({ status: 429, type: 'rate_limit' });
	expect((await service.get('/credits', { key: service.keys.other })).status).toBe(200);
	expect(await burst(10)).toBe(0);
	service.pass(60);
	expect(await burst(61)).toBe(60);
});

test('a sliding window lets through what has left it', async () => {
	service = await startHarness({ settings: { requestsPerMinute: 4 } });
	expect(await burst(2)).toBe(2);
	service.pass(30);
	expect(await burst(4)).toBe(2);
	service.pass(30);
	expect(await burst(4)).toBe(2);
});

test('Retry-After is absent, seconds or a date, as set', async () => {
	service = await startHarness({ settings: { requestsPerMinute: 1 } });
	await burst(1);
	expect((await service.get('/credits')).headers.get('retry-after')).toBeNull();
	await service.admin('PATCH', '/settings', { retryAfter: 'seconds' });
	expect((await service.get('/credits')).headers.get('retry-after')).toBe('60');
	await service.admin('PATCH', '/settings', { retryAfter: 'date' });
	const date = (await service.get('/credits')).headers.get('retry-after');
	expect(Date.parse(date ?? '')).toBe(service.timers.now() + 60_000);
});

test('the window is a service minute: with a scale of 60 it lasts a second', async () => {
	service = await startHarness({ settings: { requestsPerMinute: 2, clockScale: 60 } });
	expect(await burst(3)).toBe(2);
	service.pass(1);
	expect(await burst(3)).toBe(2);
});
