import type { IHookFunctions } from 'n8n-workflow';
import type nock from 'nock';
import { webhookMethods } from '../../nodes/Trigger/registration';
import { errorBody } from '../model/answers';
import type * as Instant from '../support/instantSystemClock';
import { stateIn, triggerContext, triggerFixture } from '../support/triggerContext';
import { until } from '../../lab/process/process';
import { n8nHttp } from './support/n8nHttp';
import { BASE_URL, keyOfThisTest, overTheWire, sent, service } from './support/wire';

// The tries of an activation are a second and more apart.
jest.mock('../../src/base/clock', () =>
	jest.requireActual<typeof Instant>('../support/instantSystemClock'),
);

overTheWire();

const { checkExists, create, delete: remove } = webhookMethods;

const NONE = { object: 'list', data: [] };
const MADE = { id: 'wh_1', secret: 'whsec_of_this' };

/** A trigger in n8n, whose helpers really send. */
function trigger() {
	const world = triggerFixture({
		credential: { apiKey: keyOfThisTest(), baseUrl: BASE_URL, requestsPerMinute: 1e6 },
	});
	const hook = () => triggerContext<IHookFunctions>(world, { helpers: n8nHttp });
	const stored = { id: 'wh_1', url: world.url, events: ['generation.completed'] };
	return { world, hook, stored };
}

/** A trigger that is published. */
async function published() {
	const parts = trigger();
	service().get('/webhooks').reply(200, NONE).post('/webhooks').reply(201, MADE);
	await create.call(parts.hook());
	return parts;
}

/** Nobody waits for the deletion: it follows by itself. */
async function unpublish({ world, hook }: Awaited<ReturnType<typeof published>>): Promise<void> {
	expect(await remove.call(hook())).toBe(true);
	await until(async () => stateIn(world) === undefined || world.warnings.length > 0);
}

const lines = (from = 0) =>
	sent()
		.slice(from)
		.map(({ method, url }) => `${method} ${url.replace(BASE_URL, '')}`);

test('publishing looks for what was left, and registers the URL under a key', async () => {
	const { world } = await published();
	expect(lines()).toEqual(['GET /webhooks', 'POST /webhooks']);
	const [, registration] = sent();
	expect(registration?.headers).toMatchObject({
		authorization: `Bearer ${keyOfThisTest()}`,
		'content-type': 'application/json',
		'idempotency-key': expect.stringMatching(/^[\da-f-]{36}$/) as string,
	});
	expect(JSON.parse(registration?.body ?? '')).toEqual({
		url: world.url,
		events: ['generation.completed'],
		description: 'n8n: Trigger in A workflow (workflow-1)',
	});
	expect(stateIn(world)).toMatchObject({ webhookId: 'wh_1', secret: 'whsec_of_this' });
});

test('publishing again only asks whether it is still there', async () => {
	const { hook, stored } = await published();
	service().get('/webhooks/wh_1').reply(200, stored);
	expect(await checkExists.call(hook())).toBe(true);
	expect(lines(2)).toEqual(['GET /webhooks/wh_1']);
});

test('unpublishing deletes it', async () => {
	const trigger = await published();
	service().get('/webhooks/wh_1').reply(200, trigger.stored).delete('/webhooks/wh_1').reply(204);
	await unpublish(trigger);
	expect(lines(2)).toEqual(['GET /webhooks/wh_1', 'DELETE /webhooks/wh_1']);
	expect(stateIn(trigger.world)).toBeUndefined();
});

const reset = (asked: nock.Interceptor) =>
	asked.replyWithError(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));

test('a registration whose answer is lost is sent again, the very same under the same key', async () => {
	const { hook } = trigger();
	service().get('/webhooks').reply(200, NONE);
	reset(service().post('/webhooks'));
	service().post('/webhooks').reply(201, MADE);
	expect(await create.call(hook())).toBe(true);
	const [, first, second] = sent();
	expect(second).toEqual(first);
});

test.each([
	[403, errorBody('No scope'), {}, /^The webhook cannot be registered: /],
	[429, errorBody('Slow down'), { 'Retry-After': '1' }, /^The webhook cannot be registered: /],
	[307, '', { Location: 'https://evil.example/hook' }, /^The webhook cannot be registered: /],
])('a registration that is answered with %i fails', async (status, body, headers, message) => {
	const { world, hook } = trigger();
	service().persist().get('/webhooks').reply(200, NONE);
	service().persist().post('/webhooks').reply(status, body, headers);
	await expect(create.call(hook())).rejects.toThrow(message);
	expect(stateIn(world)).toBeUndefined();
});

test('a webhook that cannot be deleted stays known', async () => {
	const trigger = await published();
	const { world } = trigger;
	service().get('/webhooks/wh_1').reply(200, trigger.stored);
	reset(service().delete('/webhooks/wh_1').thrice());
	await unpublish(trigger);
	expect(world.warnings).toEqual([
		expect.stringMatching(/The webhook wh_1 was left at the service: .*ECONNRESET/),
	]);
	expect(stateIn(world)).toMatchObject({ webhookId: 'wh_1' });
});
