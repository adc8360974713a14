import type { IHookFunctions, IHttpRequestOptions, IWebhookFunctions } from 'n8n-workflow';
import { webhookMethods } from '../../../nodes/Trigger/registration';
import { receive } from '../../../nodes/Trigger/receive';
import { HOOK_MS } from '../../../src/events/hooks';
import {
	deliveryContext,
	signedDelivery,
	stateIn,
	triggerContext,
	triggerFixture,
	type TriggerFixture,
} from '../../support/triggerContext';
import type * as Instant from '../../support/instantSystemClock';
import { systemClock } from '../../../src/base/clock';

// The tries of an activation are a second and more apart.
jest.mock('../../../src/base/clock', () =>
	jest.requireActual<typeof Instant>('../../support/instantSystemClock'),
);

const { checkExists, create, delete: remove } = webhookMethods;

interface Stored {
	id: string;
	url: string;
	events: string[];
}

/** The service's webhooks, and a world whose requests it answers. */
function service(
	more: Partial<TriggerFixture> = {},
	answer: (made: Stored) => object = (made) => ({ ...made, secret: 'whsec_canary' }),
) {
	const webhooks = new Map<string, Stored>();
	let count = 0;
	const respond = ({ method, url, body }: IHttpRequestOptions) => {
		const id = String(url).split('/')[2] ?? '';
		if (method === 'POST') {
			const made = { ...(body as Stored), id: `wh_${(count += 1)}` };
			webhooks.set(made.id, made);
			return { statusCode: 201, body: answer(made) };
		}
		if (id === '')
			return { statusCode: 200, body: { object: 'list', data: [...webhooks.values()] } };
		const found = webhooks.get(id);
		if (!found) return { statusCode: 404, body: {} };
		if (method === 'DELETE') webhooks.delete(id);
		return { statusCode: 200, body: method === 'DELETE' ? undefined : found };
	};
	const world = triggerFixture({ answer: respond, ...more });
	return { world, webhooks, hook: () => triggerContext<IHookFunctions>(world) };
}

test.each(['secret', 'hmac_Secret_key'])(
	'activation registers the URL and keeps the secret, which the answer calls %s; deactivation forgets it',
	async (name) => {
		const { world, webhooks, hook } = service({}, ({ id }) => ({ id, [name]: 'whsec_canary' }));
		expect(await checkExists.call(hook())).toBe(false);
		expect(await create.call(hook())).toBe(true);
		expect([...webhooks.values()]).toMatchObject([
			{ url: world.url, events: ['generation.completed'] },
		]);
		expect(stateIn(world)).toMatchObject({ webhookId: 'wh_1', secret: 'whsec_canary' });
		expect(JSON.stringify(world.staticData)).not.toContain('canary-key');
		expect(await checkExists.call(hook())).toBe(true);
		expect(await remove.call(hook())).toBe(true);
		expect([webhooks.size, stateIn(world)]).toEqual([0, undefined]);
	},
);

describe('where the registration that is remembered does not fit', () => {
	type Webhooks = Map<string, Stored>;
	const NEW_URL = 'https://new.example/webhook/x/webhook';

	/** Its webhook goes: another one takes its place. */
	const OWN: Array<[string, (world: TriggerFixture, webhooks: Webhooks) => unknown]> = [
		[
			'other events are chosen',
			(world) => {
				world.parameters = { events: ['voice.created'] };
			},
		],
		[
			'someone changed its events',
			(world, webhooks) => webhooks.set('wh_1', { id: 'wh_1', url: world.url, events: [] }),
		],
		['someone deleted it', (_world, webhooks) => webhooks.delete('wh_1')],
	];

	/** Its webhook may be somebody else's, and stays. */
	const OF_OTHERS: Array<
		[string, left: RegExp | undefined, change: (world: TriggerFixture) => void]
	> = [
		[
			'the workflow is a copy with an address of its own',
			undefined,
			(world) => void Object.assign(world, { workflowId: 'workflow-2', url: NEW_URL }),
		],
		[
			'the database is a clone',
			/another n8n may be using it/,
			(world) => {
				world.url = NEW_URL;
			},
		],
		[
			'the credential has another base URL',
			/wh_1 was left at the service: it belongs to the old base URL/,
			({ credential }) => {
				credential.baseUrl = 'https://other.example/v1';
			},
		],
		[
			'the credential has a key of another workspace',
			/wh_1 was left at the service: the API key .* has changed/,
			(world) => {
				const { answer } = world;
				world.credential.apiKey = 'key-of-another-workspace';
				world.answer = (request) =>
					request.url === '/webhooks/wh_1' ? { statusCode: 404, body: {} } : answer(request);
			},
		],
	];

	test.each([
		...OWN.map(([name, change]) => ({ name, change, left: undefined, kept: [] })),
		...OF_OTHERS.map(([name, left, change]) => ({ name, change, left, kept: ['wh_1'] })),
	])('publishing makes another one: $name', async ({ change, left, kept }) => {
		const { world, webhooks, hook } = service();
		await create.call(hook());
		change(world, webhooks);
		expect(await checkExists.call(hook())).toBe(false);
		expect([...webhooks.keys()]).toEqual(kept);
		expect(world.warnings).toEqual(left ? [expect.stringMatching(left)] : []);
		await create.call(hook());
		expect(webhooks.get('wh_2')?.url).toBe(world.url);
		expect(stateIn(world)?.webhookId).toBe('wh_2');
		expect(await checkExists.call(hook())).toBe(true);
	});

	test.each<[string, RegExp | undefined, (world: TriggerFixture) => void]>([
		...OF_OTHERS,
		[
			'the workflow is a copy',
			undefined,
			(world) => {
				world.workflowId = 'workflow-2';
			},
		],
	])('unpublishing leaves the webhook where %s', async (_name, left, change) => {
		const { world, webhooks, hook } = service();
		await create.call(hook());
		change(world);
		const removed = remove.call(hook());
		if (left) await expect(removed).rejects.toThrow(left);
		else expect(await removed).toBe(true);
		expect([...webhooks.keys()]).toEqual(['wh_1']);
		expect(world.warnings).toEqual(left ? [expect.stringMatching(left)] : []);
	});
});

test('with another key of the same workspace the webhook stays in use, and is deleted in the end', async () => {
	const { world, webhooks, hook } = service();
	await create.call(hook());
	world.credential.apiKey = 'another-key';
	expect(await checkExists.call(hook())).toBe(true);
	expect(await remove.call(hook())).toBe(true);
	expect([webhooks.size, world.warnings]).toEqual([0, []]);
});

describe('a webhook that cannot be deleted', () => {
	const isDown = () => ({ statusCode: 500, body: {} });

	test('is named by the error and in the log, and the next unpublishing deletes it', async () => {
		const { world, webhooks, hook } = service();
		await create.call(hook());
		const { answer } = world;
		world.answer = isDown;
		await expect(remove.call(hook())).rejects.toThrow(
			/^The webhook wh_1 was left at the service: The service answered with status 500/,
		);
		expect(world.warnings).toEqual([expect.stringContaining('wh_1')]);
		world.answer = answer;
		expect(await remove.call(hook())).toBe(true);
		expect(webhooks.size).toBe(0);
	});

	test('after a test event is only in the log: nothing of n8n would catch an error', async () => {
		const { world, hook } = service({ mode: 'manual' });
		await create.call(hook());
		world.answer = isDown;
		expect(await remove.call(hook())).toBe(false);
		expect(world.warnings).toEqual([expect.stringContaining('wh_1')]);
	});
});

test('all requests of a hook, and what n8n repeats of it, share one time; a repeat has a second at least', async () => {
	const { hook } = service({ answer: () => ({ statusCode: 400, body: {} }) });
	let now = 0;
	jest.spyOn(systemClock, 'monotonic').mockImplementation(() => now);
	const timeout = jest.spyOn(AbortSignal, 'timeout');
	const times: unknown[] = [];
	for (const pause of [0, 1_000, 8_000, 8_000, 20_000]) {
		now += pause;
		timeout.mockClear();
		await expect(create.call(hook())).rejects.toThrow();
		times.push(timeout.mock.calls[0]?.[0]);
	}
	jest.restoreAllMocks();
	expect(times).toEqual([HOOK_MS, HOOK_MS - 1_000, HOOK_MS - 9_000, 1_000, HOOK_MS]);
});

test('a webhook that an earlier publishing left is found on whatever page, and no other is deleted', async () => {
	const { world, webhooks, hook } = service();
	const { answer } = world;
	const other = { id: 'other', url: 'https://else', events: [] };
	const left = { id: 'left', url: world.url, events: [] };
	for (const each of [other, left]) webhooks.set(each.id, each);
	world.answer = (request) => {
		if (request.method !== 'GET' || request.url !== '/webhooks') return answer(request);
		const first = { data: [other], has_more: true, next_cursor: '2' };
		const body = request.qs?.cursor === '2' ? { data: [left], has_more: false } : first;
		return { statusCode: 200, body };
	};
	await create.call(hook());
	expect([...webhooks.keys()]).toEqual(['other', 'wh_1']);
});

test('an activation without a secret in the answer fails, leaves no webhook behind and names no value', async () => {
	const { webhooks, hook } = service({}, (made) => ({ ...made, token: 'canary-token' }));
	const failed = create.call(hook());
	await expect(failed).rejects.toThrow('without a signing secret');
	await expect(failed).rejects.toMatchObject({
		description: expect.stringContaining('url, events, description, id, token'),
	});
	await expect(failed).rejects.not.toMatchObject({
		description: expect.stringContaining('canary'),
	});
	expect(webhooks.size).toBe(0);
});

test('n8n has not saved the registration yet: it is known, and what another trigger lets fail is deleted', async () => {
	const { world, webhooks, hook } = service();
	await create.call(hook());
	world.staticData = {};
	const deliver = async (id: string, mode: string) => {
		const body = JSON.stringify({ id, type: 'generation.completed' });
		const given = signedDelivery('whsec_canary', body);
		return await receive.call(deliveryContext<IWebhookFunctions>({ ...world, mode }, given));
	};
	const refused = { noWebhookResponse: true };
	expect(await deliver('evt_1', 'manual')).toEqual(refused);
	expect(await deliver('evt_2', 'webhook')).toHaveProperty('workflowData');
	expect(await checkExists.call(hook())).toBe(false);
	expect(await remove.call(hook())).toBe(true);
	expect(webhooks.size).toBe(0);
	expect(await deliver('evt_3', 'webhook')).toEqual(refused);
});

test.each(['http://localhost:5678/webhook/x/webhook', ''])(
	'the URL %j is refused before anything is sent, with words on what to do',
	async (url) => {
		const { world, hook } = service({ url });
		await expect(create.call(hook())).rejects.toThrow(
			/^Use the MediaGen Polling Trigger, or set WEBHOOK_URL=https.*https addresses only/,
		);
		expect(world.requests).toEqual([]);
	},
);

test('with a webhook made by hand nothing is registered, but activation asks for its secret', async () => {
	const parameters = { events: ['generation.completed'], registration: 'manual' };
	const { world, hook } = service({ parameters, url: 'http://n8n.example/x' });
	expect(await checkExists.call(hook())).toBe(false);
	expect(await create.call(hook())).toBe(true);
	expect(await remove.call(hook())).toBe(true);
	expect(world.requests).toEqual([]);
	world.secretCredential = {};
	await expect(create.call(hook())).rejects.toThrow('no signing secret');
});
