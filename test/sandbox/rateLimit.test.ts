import { startHarness, type Harness } from './support/harness';

let service: Harness;
afterEach(async () => await service.close());

/** How many of so many requests are let through. */
const burst = async (count: number) => {
	let passed = 0;
	for (let index = 0; index < count; index += 1)
		passed += Number((await service.get('/credits')).status === 200);
	return passed;
};

test('60 requests pass in any minute of a workspace, and what is refused does not count', async () => {
	service = await startHarness({ settings: { requestsPerMinute: 60 } });
	expect(await burst(40)).toBe(40);
	service.pass(30);
	expect(await burst(30)).toBe(20);
	const { status, body } = await service.get('/credits');
	expect([status, body.error.type]).toEqual([429, 'rate_limit']);
	expect((await service.get('/credits', { key: service.keys.other })).status).toBe(200);
	service.pass(30);
	expect(await burst(50)).toBe(40);
});

test('Retry-After is absent, seconds or a date, as set', async () => {
	service = await startHarness({ settings: { requestsPerMinute: 1 } });
	await burst(1);
	const hint = async () => (await service.get('/credits')).headers.get('retry-after');
	expect(await hint()).toBeNull();
	await service.admin('PATCH', '/settings', { retryAfter: 'seconds' });
	expect(await hint()).toBe('60');
	await service.admin('PATCH', '/settings', { retryAfter: 'date' });
	expect(Date.parse((await hint()) ?? '')).toBe(service.timers.now() + 60_000);
});
