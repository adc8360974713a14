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
import { systemClock } from '../../../src/base/clock';
import type { InstantClock } from '../../model/instantClock';

// The tries of an activation are a second and more apart.
jest.mock('../../../src/base/clock', () => {
	const { InstantClock: Clock } = jest.requireActual<{ InstantClock: typeof InstantClock }>(
		'../../model/instantClock',
	);
	return { systemClock: new Clock(Date.now()) };
});

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

const urls = (webhooks: Map<string, Stored>) => [...webhooks.values()].map(({ url }) => url);

test('activation registers the URL and keeps the secret, deactivation forgets it', async () => {
	const { world, webhooks, hook } = service();
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
});

test.each<[string, (world: TriggerFixture, webhooks: Map<string, Stored>) => void]>([
	['other events are chosen', (world) => (world.parameters = { events: ['voice.created'] })],
	[
		'someone changed its events',
		(world, webhooks) => void webhooks.set('wh_1', { id: 'wh_1', url: world.url, events: [] }),
	],
	['someone deleted it', (_world, webhooks) => void webhooks.delete('wh_1')],
])(
	'a registration that no longer fits is deleted, and another one made: %s',
	async (_name, change) => {
		const { world, webhooks, hook } = service();
		await create.call(hook());
		change(world, webhooks);
		expect(await checkExists.call(hook())).toBe(false);
		expect(webhooks.size).toBe(0);
		await create.call(hook());
		expect(urls(webhooks)).toEqual([world.url]);
		expect(stateIn(world)?.webhookId).toBe('wh_2');
		expect(await checkExists.call(hook())).toBe(true);
	},
);

describe('webhooks of others are never deleted, and the node registers its own', () => {
	/** A copy starts with the static data of the original, whose webhook is wh_1. */
	async function copied(more: Partial<TriggerFixture>) {
		const { world, webhooks, hook } = service();
		await create.call(hook());
		const staticData = structuredClone(world.staticData);
		const copy = { ...world, staticData, warnings: [], ...more };
		return { copy, webhooks, hook: () => triggerContext<IHookFunctions>(copy) };
	}

	const NEW_URL = 'https://new.example/webhook/x/webhook';

	const COPIES: Array<[name: string, warnings: number, more: Partial<TriggerFixture>]> = [
		['a copy under another id and address', 0, { workflowId: 'workflow-2', url: NEW_URL }],
		['a cloned database under another address', 1, { url: NEW_URL }],
		['a copy with the address of the original', 0, { workflowId: 'workflow-2' }],
	];

	test.each(COPIES)('unpublishing %s', async (_name, warnings, more) => {
		const { copy, webhooks, hook } = await copied(more);
		const removed = remove.call(hook());
		if (warnings > 0) await expect(removed).rejects.toThrow('another n8n may be using it');
		else expect(await removed).toBe(true);
		expect([...webhooks.keys()]).toEqual(['wh_1']);
		expect(copy.warnings).toHaveLength(warnings);
	});

	test.each(COPIES.slice(0, 2))('publishing %s', async (_name, warnings, more) => {
		const { copy, webhooks, hook } = await copied(more);
		expect(await checkExists.call(hook())).toBe(false);
		await create.call(hook());
		expect([...webhooks.keys()]).toEqual(['wh_1', 'wh_2']);
		expect(webhooks.get('wh_2')?.url).toBe(copy.url);
		expect(copy.warnings).toHaveLength(warnings);
		expect(await checkExists.call(hook())).toBe(true);
		await remove.call(hook());
		expect([...webhooks.keys()]).toEqual(['wh_1']);
	});
});

describe('after a change of the credential', () => {
	const OLD_SERVICE = /wh_1 was left at the service: it belongs to the old base URL/;
	const OLD_WORKSPACE = /wh_1 was left at the service: the API key .* has changed/;
	const CHANGES: Array<[string, RegExp, (world: TriggerFixture) => void]> = [
		[
			'to another base URL',
			OLD_SERVICE,
			({ credential }) => void (credential.baseUrl = 'https://other.example/v1'),
		],
		[
			'to a key of another workspace',
			OLD_WORKSPACE,
			(world) => {
				world.credential.apiKey = 'key-of-another-workspace';
				world.answer = ({ method }) =>
					method === 'POST'
						? { statusCode: 201, body: { id: 'wh_new', secret: 'whsec_new' } }
						: { statusCode: 404, body: {} };
			},
		],
	];

	test.each(CHANGES)('%s the log names the webhook that is left', async (_name, words, change) => {
		const { world, webhooks, hook } = service();
		await create.call(hook());
		change(world);
		await expect(remove.call(hook())).rejects.toThrow(words);
		expect(world.warnings).toEqual([expect.stringMatching(words)]);
		expect(await checkExists.call(hook())).toBe(false);
		expect(world.warnings).toEqual([expect.stringMatching(words), expect.stringMatching(words)]);
		expect([...webhooks.keys()]).toEqual(['wh_1']);
		expect(stateIn(world)).toBeUndefined();
	});

	test('to another key of the same workspace the webhook stays in use, and is deleted in the end', async () => {
		const { world, webhooks, hook } = service();
		await create.call(hook());
		world.credential.apiKey = 'another-key';
		expect(await checkExists.call(hook())).toBe(true);
		expect(await remove.call(hook())).toBe(true);
		expect([webhooks.size, world.warnings]).toEqual([0, []]);
	});
});

describe('a hook ends in time with our words, whatever the service does', () => {
	/** Each signal that a hook has asked for, by its time in ms; the test says when the time is over. */
	const signals: Array<{ ms: number; end: () => void }> = [];

	beforeEach(() => {
		signals.length = 0;
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
			const controller = new AbortController();
			signals.push({ ms, end: () => controller.abort() });
			return controller.signal;
		});
	});

	afterEach(() => jest.restoreAllMocks());

	/** Lets the time of the hook be over once it waits for the service. */
	async function late<T>(world: TriggerFixture, hook: Promise<T>): Promise<T> {
		const { length } = world.requests;
		hook.catch(() => {});
		for (let turns = 0; turns < 200 && world.requests.length === length; turns += 1)
			await Promise.resolve();
		signals.filter(({ ms }) => ms <= HOOK_MS).forEach(({ end }) => end());
		return await hook;
	}

	const hangs = (world: TriggerFixture) => (world.delay = async () => await new Promise(() => {}));

	test('unpublishing, which says what was left, and the next one deletes it', async () => {
		const { world, webhooks, hook } = service();
		await create.call(hook());
		const { delay } = world;
		hangs(world);
		await expect(late(world, remove.call(hook()))).rejects.toThrow(
			/^The webhook wh_1 was left at the service: The service did not respond/,
		);
		expect(world.warnings).toEqual([expect.stringContaining('wh_1')]);
		world.delay = delay;
		expect(await remove.call(hook())).toBe(true);
		expect(webhooks.size).toBe(0);
	});

	test('after a test event only the log has it: nothing of n8n would catch an error', async () => {
		const { world, hook } = service({ mode: 'manual' });
		await create.call(hook());
		world.answer = () => ({ statusCode: 500, body: {} });
		expect(await remove.call(hook())).toBe(false);
		expect(world.warnings).toEqual([expect.stringContaining('wh_1')]);
	});

	test('what n8n repeats shares the time, and has a second at least', async () => {
		const { world, hook } = service();
		world.answer = ({ method }) =>
			method === 'POST' ? { statusCode: 400, body: {} } : { statusCode: 200, body: { data: [] } };
		const times: number[] = [];
		let now = 0;
		jest.spyOn(systemClock, 'monotonic').mockImplementation(() => now);
		for (const pause of [0, 1_000, 8_000, 8_000, 20_000]) {
			now += pause;
			signals.length = 0;
			await expect(create.call(hook())).rejects.toThrow();
			times.push(signals[0]?.ms ?? 0);
		}
		expect(times).toEqual([HOOK_MS, HOOK_MS - 1_000, HOOK_MS - 9_000, 1_000, HOOK_MS]);
	});
});

test('a webhook that an earlier publishing left is found on whatever page', async () => {
	const { world, webhooks, hook } = service();
	const { answer } = world;
	const page = (data: object[], next: string | null) => ({
		statusCode: 200,
		body: { object: 'list', data, has_more: next !== null, next_cursor: next },
	});
	webhooks.set('left', { id: 'left', url: world.url, events: [] });
	const pages: Record<string, object> = {
		undefined: page([{ id: 'x', url: 'https://else' }], '2'),
		2: page([{ id: 'left', url: world.url }], null),
	};
	world.answer = (request) =>
		request.method === 'GET' && request.url === '/webhooks'
			? (pages[String(request.qs?.cursor)] as never)
			: answer(request);
	await create.call(hook());
	expect([...webhooks.keys()]).toEqual(['wh_1']);
});

test('the secret is found in any field named so', async () => {
	const { world, hook } = service({}, ({ id }) => ({ id, hmac_Secret_key: 'whsec_canary' }));
	await create.call(hook());
	expect(stateIn(world)?.secret).toBe('whsec_canary');
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

test('a missing scope is refused before anything is sent', async () => {
	const { world, hook } = service();
	world.credential = { ...world.credential, scopes: ['webhooks:read'] };
	await expect(create.call(hook())).rejects.toThrow('webhooks:write');
	expect(world.requests).toEqual([]);
});

describe('with a webhook made by hand', () => {
	const parameters = { events: ['generation.completed'], registration: 'manual' };

	test('nothing is registered, not even https is asked for', async () => {
		const { world, hook } = service({ parameters, url: 'http://n8n.example/x' });
		expect(await checkExists.call(hook())).toBe(false);
		expect(await create.call(hook())).toBe(true);
		expect(await remove.call(hook())).toBe(true);
		expect(world.requests).toEqual([]);
	});

	test('activation asks for the secret', async () => {
		const { hook } = service({ parameters, secretCredential: {} });
		await expect(create.call(hook())).rejects.toThrow('no signing secret');
	});
});
