import type { IHookFunctions, IHttpRequestOptions, IWebhookFunctions } from 'n8n-workflow';
import { webhookMethods } from '../../../nodes/Trigger/registration';
import { receive } from '../../../nodes/Trigger/receive';
import { decryptSecret } from '../../../src/events/encryptSecret';
import {
	deliveryContext,
	signedDelivery,
	triggerContext,
	triggerFixture,
	type TriggerFixture,
} from '../../support/triggerContext';
import type { InstantClock } from '../../../testing/instantClock';

// The tries of an activation are a second and more apart.
jest.mock('../../../src/base/clock', () => {
	const { InstantClock: Clock } = jest.requireActual<{ InstantClock: typeof InstantClock }>(
		'../../../testing/instantClock',
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

test('activation registers the URL and stores the secret encrypted', async () => {
	const { world, webhooks, hook } = service();
	expect(await checkExists.call(hook())).toBe(false);
	expect(await create.call(hook())).toBe(true);
	expect([...webhooks.values()]).toMatchObject([
		{ url: world.url, events: ['generation.completed'] },
	]);
	expect(JSON.stringify(world.staticData)).not.toContain('canary');
	expect(decryptSecret(world.staticData.secret, String(world.credential.apiKey), 'wh_1')).toBe(
		'whsec_canary',
	);
	expect(await checkExists.call(hook())).toBe(true);
	expect(await remove.call(hook())).toBe(true);
	expect([webhooks.size, world.staticData]).toEqual([0, {}]);
});

test('deactivation without a registration does nothing', async () => {
	const { world, hook } = service();
	expect(await remove.call(hook())).toBe(true);
	expect(world.requests).toEqual([]);
});

describe('a registration that no longer fits is deleted, and another one made', () => {
	test.each<[string, (world: TriggerFixture, webhooks: Map<string, Stored>) => void]>([
		['other events are chosen', (world) => (world.parameters = { events: ['voice.created'] })],
		[
			'the key has changed',
			(world) => (world.credential = { ...world.credential, apiKey: 'another-key' }),
		],
		['the secret is lost', (world) => delete world.staticData.secret],
		['the secret cannot be decrypted', (world) => (world.staticData.secret = 'AAAA')],
		[
			'someone changed its events',
			(world, webhooks) => void webhooks.set('wh_1', { id: 'wh_1', url: world.url, events: [] }),
		],
		['someone deleted it', (_world, webhooks) => void webhooks.delete('wh_1')],
	])('%s', async (_name, change) => {
		const { world, webhooks, hook } = service();
		await create.call(hook());
		change(world, webhooks);
		expect(await checkExists.call(hook())).toBe(false);
		expect(webhooks.size).toBe(0);
		await create.call(hook());
		expect(urls(webhooks)).toEqual([world.url]);
		expect(world.staticData.webhookId).toBe('wh_2');
		expect(await checkExists.call(hook())).toBe(true);
	});
});

describe('webhooks of others are never deleted, and the node registers its own', () => {
	/** What a copy starts with: the static data of the original. */
	async function copied(change: (copy: TriggerFixture, webhooks: Map<string, Stored>) => void) {
		const original = service();
		await create.call(original.hook());
		const { world, webhooks } = original;
		const copy = { ...world, staticData: structuredClone(world.staticData), warnings: [] };
		change(copy, webhooks);
		return { copy, webhooks, hook: () => triggerContext<IHookFunctions>(copy) };
	}

	const NEW_URL = 'https://new.example/webhook/x/webhook';

	const COPIES: Array<
		[string, number, (copy: TriggerFixture, webhooks: Map<string, Stored>) => void]
	> = [
		[
			'a copy under another id and address',
			0,
			(copy) => Object.assign(copy, { workflowId: 'workflow-2', url: NEW_URL }),
		],
		['a copy with the address of the original', 0, (copy) => (copy.workflowId = 'workflow-2')],
		['a cloned database under another address', 1, (copy) => (copy.url = NEW_URL)],
		[
			'a webhook that somebody has given another URL',
			0,
			(_copy, webhooks) =>
				void webhooks.set('wh_1', {
					id: 'wh_1',
					url: 'https://else',
					events: ['generation.completed'],
				}),
		],
	];

	test.each(COPIES)('unpublishing %s', async (_name, warnings, change) => {
		const { copy, webhooks, hook } = await copied(change);
		expect(await remove.call(hook())).toBe(true);
		expect([...webhooks.keys()]).toEqual(['wh_1']);
		expect(copy.staticData).toEqual({});
		expect(copy.warnings).toHaveLength(warnings);
	});

	test.each(COPIES.filter(([name]) => !name.includes('the address of the original')))(
		'publishing %s',
		async (_name, warnings, change) => {
			const { copy, webhooks, hook } = await copied(change);
			expect(await checkExists.call(hook())).toBe(false);
			await create.call(hook());
			expect([...webhooks.keys()]).toEqual(['wh_1', 'wh_2']);
			expect(webhooks.get('wh_2')?.url).toBe(copy.url);
			expect(copy.warnings).toHaveLength(warnings);
			expect(await checkExists.call(hook())).toBe(true);
			await remove.call(hook());
			expect([...webhooks.keys()]).toEqual(['wh_1']);
		},
	);

	test('publishing a copy while the original has the address: n8n refuses that and calls only the deletion', async () => {
		const { webhooks, hook } = await copied((copy) => (copy.workflowId = 'workflow-2'));
		expect(await checkExists.call(hook())).toBe(false);
		expect([...webhooks.keys()]).toEqual(['wh_1']);
	});

	test('a switch to By Hand in a copy', async () => {
		const { webhooks, hook } = await copied((copy) => {
			copy.workflowId = 'workflow-2';
			copy.parameters = { events: ['generation.completed'], registration: 'manual' };
		});
		await create.call(hook());
		expect([...webhooks.keys()]).toEqual(['wh_1']);
	});

	test('the log names the webhook that is left at an old address, and not its secret', async () => {
		const { copy, hook } = await copied((each) => (each.url = NEW_URL));
		await remove.call(hook());
		expect(copy.warnings.join()).toContain('MediaGen Webhook: Delete');
	});
});

test.each([checkExists, remove])(
	'after a change of the base URL the log names the webhook that is left at the old service (%#)',
	async (step) => {
		const { world, webhooks, hook } = service();
		await create.call(hook());
		world.credential = { ...world.credential, baseUrl: 'https://other.example/v1' };
		const sent = world.requests.length;
		await step.call(hook());
		expect(world.requests.slice(sent)).toEqual([]);
		expect([...webhooks.keys()]).toEqual(['wh_1']);
		expect(world.warnings).toEqual([expect.stringContaining('at the service of the old base URL')]);
		expect(world.staticData).toEqual({});
	},
);

test('its own webhook is deleted even if it cannot be read', async () => {
	const { world, webhooks, hook } = service();
	await create.call(hook());
	const { answer } = world;
	world.answer = (request) =>
		request.method === 'GET' ? { statusCode: 403, body: {} } : answer(request);
	expect(await remove.call(hook())).toBe(true);
	expect(webhooks.size).toBe(0);
});

test('of an answer only the fields that it has are compared', async () => {
	const { world, hook } = service();
	await create.call(hook());
	world.answer = () => ({ statusCode: 200, body: { id: 'wh_1' } });
	expect(await checkExists.call(hook())).toBe(true);
});

test('a key that may not read webhooks leaves it at what is remembered', async () => {
	const { world, hook } = service();
	await create.call(hook());
	world.answer = () => ({ statusCode: 403, body: {} });
	expect(await checkExists.call(hook())).toBe(true);
});

test.each([404, 410])('a webhook that is gone (%i) is registered again', async (statusCode) => {
	const { world, hook } = service();
	await create.call(hook());
	const { answer } = world;
	world.answer = () => ({ statusCode, body: {} });
	expect(await checkExists.call(hook())).toBe(false);
	expect(world.staticData).toEqual({});
	world.answer = answer;
	await create.call(hook());
	world.answer = () => ({ statusCode, body: {} });
	expect(await remove.call(hook())).toBe(true);
});

test.each([{}, [], 'OK', null])(
	'a service whose list of webhooks is %j delays no activation',
	async (body) => {
		const { world, hook } = service();
		const { answer } = world;
		world.answer = (request) =>
			request.method === 'GET' ? { statusCode: 200, body } : answer(request);
		expect(await create.call(hook())).toBe(true);
		expect(world.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
	},
);

test('the secret is found in any field named so', async () => {
	const { world, hook } = service({}, ({ id }) => ({ id, hmac_Secret_key: 'whsec_canary' }));
	await create.call(hook());
	const { apiKey } = world.credential;
	expect(decryptSecret(world.staticData.secret, String(apiKey), 'wh_1')).toBe('whsec_canary');
});

test('what cannot be checked is an error and no second webhook', async () => {
	const { world, hook } = service();
	await create.call(hook());
	world.answer = () => ({ statusCode: 401, body: { error: { message: 'canary' } } });
	await expect(checkExists.call(hook())).rejects.toThrow(
		'The webhook cannot be checked: The API key is invalid',
	);
});

test('a webhook that cannot be deleted is remembered for the next activation, and the log says so', async () => {
	const { world, hook } = service();
	await create.call(hook());
	const { answer } = world;
	world.answer = () => ({ statusCode: 403 });
	expect(await remove.call(hook())).toBe(false);
	expect(world.warnings).toHaveLength(1);
	world.answer = answer;
	expect(await checkExists.call(hook())).toBe(true);
});

describe('a failed activation leaves no webhook behind and names no value', () => {
	test('without a secret in the answer', async () => {
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

	test('without an id in the answer', async () => {
		const { webhooks, hook } = service({}, () => ({ secret: 'canary' }));
		await expect(create.call(hook())).rejects.toThrow('without an ID');
		expect(webhooks.size).toBe(0);
	});

	test('when the service refuses', async () => {
		const { world, hook } = service();
		world.answer = () => ({ statusCode: 400, body: { error: { message: 'url must be public' } } });
		await expect(create.call(hook())).rejects.toThrow(/cannot be registered.*url must be public/);
		expect(world.staticData).toEqual({});
	});
});

test('a service that is down is tried three times: n8n tries an activation again itself', async () => {
	const { world, hook } = service();
	world.answer = ({ method }) =>
		method === 'POST' ? { statusCode: 503 } : { statusCode: 200, body: { data: [] } };
	await expect(create.call(hook())).rejects.toThrow('The webhook cannot be registered');
	const asked = world.requests.map(({ method }) => method);
	expect(asked).toEqual(['GET', 'POST', 'POST', 'POST', 'GET']);
	const keys = world.requests.filter(({ method }) => method === 'POST');
	expect(new Set(keys.map(({ headers }) => headers?.['Idempotency-Key'])).size).toBe(1);
}, 20_000);

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

test('five tries of an activation leave one webhook', async () => {
	const { world, webhooks, hook } = service();
	for (let tries = 0; tries < 5; tries += 1) {
		world.staticData = {};
		await create.call(hook());
	}
	expect(urls(webhooks)).toEqual([world.url]);
});

test("webhooks of others and of this workflow's test address are left alone", async () => {
	const { world, webhooks, hook } = service();
	const others = ['https://other', world.url.replace('webhook', 'webhook-test')];
	others.forEach((url, at) => webhooks.set(`other_${at}`, { id: `other_${at}`, url, events: [] }));
	await create.call(hook());
	expect(urls(webhooks).sort()).toEqual([...others, world.url].sort());
});

test.each(['http://n8n.example/webhook/x/webhook', 'http://localhost:5678/webhook/x/webhook', ''])(
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

	test('one that was registered before goes', async () => {
		const { world, webhooks, hook } = service();
		await create.call(hook());
		world.parameters = parameters;
		await create.call(hook());
		expect([webhooks.size, world.staticData]).toEqual([0, {}]);
	});
});
