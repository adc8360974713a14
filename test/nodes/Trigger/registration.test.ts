/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import type {
	IDataObject,
	IHookFunctions,
	IHttpRequestOptions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { webhookMethods } from '../../../nodes/Trigger/registration';
import { receive } from '../../../nodes/Trigger/delivery';
import { HOOK_MS, STAY_MS } from '../../../nodes/Trigger/hookTiming';
import { errorBody } from '../../model/answers';
import {
	deliveryContext,
	savedAs,
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

const GONE = { statusCode: 404, body: errorBody('No such webhook') };

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
		if (!found) return GONE;
		if (method === 'DELETE') webhooks.delete(id);
		return { statusCode: 200, body: method === 'DELETE' ? undefined : found };
	};
	const world = triggerFixture({ answer: respond, ...more });
	return { world, webhooks, hook: () => triggerContext<IHookFunctions>(world) };
}

/** Unpublishes for good: n8n does not ask for the webhook again, and has what was left in its log. */
async function unpublish(hook: () => IHookFunctions): Promise<void> {
	expect(await remove.call(hook())).toBe(true);
	for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test.each(['secret', 'hmac_Secret_key', 'signing_key', 'signing_secret'])(
	'activation registers the URL and keeps the secret, which the answer calls %s; deactivation forgets it',
	async (name) => {
		const { world, webhooks, hook } = service({}, ({ id }) => {
			const hint = name.endsWith('secret') ? { secret_hint: 'whsec_…ary' } : undefined;
			return { id, ...hint, [name]: 'whsec_canary' };
		});
		expect(await checkExists.call(hook())).toBe(false);
		expect(await create.call(hook())).toBe(true);
		expect([...webhooks.values()]).toMatchObject([
			{ url: world.url, events: ['generation.completed'] },
		]);
		expect(stateIn(world)).toMatchObject({ webhookId: 'wh_1', secret: 'whsec_canary' });
		expect(JSON.stringify(world.staticData)).not.toContain('canary-key');
		expect(await checkExists.call(hook())).toBe(true);
		await unpublish(hook);
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
				world.answer = (request) => (request.url === '/webhooks/wh_1' ? GONE : answer(request));
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
		await unpublish(hook);
		expect([...webhooks.keys()]).toEqual(['wh_1']);
		expect(world.warnings).toEqual(left ? [expect.stringMatching(left)] : []);
	});
});

test('with another key of the same workspace the webhook stays in use, and is deleted in the end', async () => {
	const { world, webhooks, hook } = service();
	await create.call(hook());
	world.credential.apiKey = 'another-key';
	expect(await checkExists.call(hook())).toBe(true);
	await unpublish(hook);
	expect([webhooks.size, world.warnings]).toEqual([0, []]);
});

describe('a webhook that cannot be deleted', () => {
	const isDown = () => ({ statusCode: 500, body: {} });
	const isElsewhere = () => ({ statusCode: 404, body: '<html>Not Found</html>' });

	test.each([
		['the service is down', isDown, 'The service answered with status 500'],
		['the page of a gateway answers', isElsewhere, 'A proxy or another server answered'],
	])(
		'as %s is named in the log, and stays known: the next publishing uses it, the next unpublishing deletes it',
		async (_, isAway, why) => {
			const { world, webhooks, hook } = service();
			await create.call(hook());
			const { answer } = world;
			world.answer = isAway;
			await unpublish(hook);
			expect(world.warnings).toEqual([
				expect.stringContaining(`The webhook wh_1 was left at the service: ${why}`),
			]);
			world.answer = answer;
			expect(await checkExists.call(hook())).toBe(true);
			await unpublish(hook);
			expect(webhooks.size).toBe(0);
			expect(world.warnings).toHaveLength(1);
		},
	);

	test('since the credential is gone is named in the log, too', async () => {
		const { world, hook } = service();
		await create.call(hook());
		world.credential = {};
		await unpublish(hook);
		expect(world.warnings).toEqual([
			expect.stringMatching(/wh_1 was left at the service: The base/),
		]);
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

test('a webhook that may have been made when the time was over is named in the log', async () => {
	const { world, webhooks, hook } = service();
	const { answer } = world;
	const stop = new AbortController();
	const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(stop.signal);
	world.answer = (request) => {
		const made = answer(request);
		if (request.method !== 'POST') return made;
		stop.abort();
		return { statusCode: 500, body: {} };
	};
	await expect(create.call(hook())).rejects.toThrow('cannot be registered');
	timeout.mockRestore();
	expect(webhooks.size).toBe(1);
	expect(world.warnings).toEqual([
		expect.stringContaining(`a webhook with the address ${world.url} may have been left`),
	]);
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
		description: expect.stringContaining('description, events, url, id, token'),
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
	await unpublish(hook);
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
	await unpublish(hook);
	expect(world.requests).toEqual([]);
	world.secretCredential = {};
	await expect(create.call(hook())).rejects.toThrow('no signing secret');
});

describe('publishing a changed trigger, for which n8n deletes its webhook and asks for it again', () => {
	/** Ends the time for which webhooks stay. */
	let elapse: () => void;

	beforeEach(() => {
		const stays: Array<() => void> = [];
		elapse = () => stays.forEach((end) => end());
		jest.spyOn(systemClock, 'sleep').mockImplementation(async (ms, signal) => {
			if (ms !== STAY_MS) return;
			await new Promise<void>((resolve) => {
				stays.push(resolve);
				signal?.addEventListener('abort', () => resolve());
			});
		});
	});

	afterEach(() => jest.restoreAllMocks());

	/**
	 * What n8n gives the hooks of a new version: static data as it was saved, or as it was before the
	 * deletion.
	 */
	const versions: Array<[name: string, staticDataOf: (world: TriggerFixture) => IDataObject]> = [
		['as n8n has saved it', (world) => structuredClone(world.staticData)],
		[
			'as it was before',
			(world) => {
				const { left, ...before } = stateIn(world) ?? {};
				expect(left).toBeDefined();
				return savedAs(world, before);
			},
		],
	];

	test.each(versions)(
		'keeps the webhook and its secret, with static data %s',
		async (_, dataOf) => {
			const { world, webhooks, hook } = service();
			await create.call(hook());
			const { secret } = stateIn(world) ?? {};
			for (const name of ['Renamed', 'Renamed again']) {
				await remove.call(hook());
				world.staticData = dataOf(world);
				world.node = { ...world.node, name };
				world.requests = [];
				expect(await checkExists.call(hook())).toBe(true);
				expect(world.requests.map(({ method }) => method)).toEqual(['GET']);
				elapse();
				await new Promise((resolve) => setTimeout(resolve, 20));
				expect([...webhooks.keys()]).toEqual(['wh_1']);
				expect(stateIn(world)).toMatchObject({ webhookId: 'wh_1', secret });
				expect(stateIn(world)?.left).toBeUndefined();
			}
			await remove.call(hook());
			elapse();
			await new Promise((resolve) => setTimeout(resolve, 20));
			expect([webhooks.size, world.warnings]).toEqual([0, []]);
		},
	);

	test('keeps the webhook, also where n8n has asked twice to delete it', async () => {
		const { webhooks, hook } = service();
		await create.call(hook());
		await remove.call(hook());
		await remove.call(hook());
		expect(await checkExists.call(hook())).toBe(true);
		elapse();
		await new Promise((resolve) => setTimeout(resolve, 20));
		expect([...webhooks.keys()]).toEqual(['wh_1']);
	});

	test('takes what is signed with its secret all the while', async () => {
		const { world, hook } = service();
		const deliver = async (id: string) => {
			const given = signedDelivery(
				'whsec_canary',
				JSON.stringify({ id, type: 'generation.completed' }),
			);
			return await receive.call(deliveryContext<IWebhookFunctions>(world, given));
		};
		await create.call(hook());
		await remove.call(hook());
		expect(await deliver('evt_between')).toHaveProperty('workflowData');
		await checkExists.call(hook());
		expect(await deliver('evt_after')).toHaveProperty('workflowData');
	});

	test.each<[string, (world: TriggerFixture) => void]>([
		['other events', (world) => Object.assign(world.parameters, { events: ['voice.created'] })],
		[
			'another address',
			(world) => Object.assign(world, { url: 'https://n8n.example/webhook/y/webhook' }),
		],
	])('with %s makes another one at once', async (_, change) => {
		const { world, webhooks, hook } = service();
		await create.call(hook());
		const former = { ...world, parameters: { ...world.parameters } };
		await remove.call(triggerContext<IHookFunctions>(former));
		change(world);
		expect(await checkExists.call(hook())).toBe(false);
		expect(webhooks.size).toBe(0);
		await create.call(hook());
		expect([...webhooks.values()]).toMatchObject([{ id: 'wh_2', url: world.url }]);
		expect(world.warnings).toEqual([]);
	});

	test('with a credential of another workspace deletes the webhook where it was', async () => {
		const { world, webhooks, hook } = service();
		const other = service();
		await create.call(hook());
		const former = { ...world };
		await remove.call(triggerContext<IHookFunctions>(former));
		Object.assign(world, { credential: other.world.credential, answer: other.world.answer });
		expect(await checkExists.call(hook())).toBe(false);
		await create.call(hook());
		expect([webhooks.size, other.webhooks.size, world.warnings]).toEqual([0, 1, []]);
	});

	test('by hand from now on deletes the webhook at once', async () => {
		const { world, webhooks, hook } = service();
		await create.call(hook());
		await remove.call(triggerContext<IHookFunctions>({ ...world }));
		world.parameters = { registration: 'manual' };
		expect(await checkExists.call(hook())).toBe(false);
		await create.call(hook());
		expect([webhooks.size, stateIn(world)]).toEqual([0, undefined]);
	});

	test.each([
		['', false],
		[', also where n8n asks twice to delete it', true],
	])('too late makes another one, once the webhook has been deleted%s', async (_, asksTwice) => {
		const { world, webhooks, hook } = service();
		await create.call(hook());
		await remove.call(hook());
		world.requests = [];
		elapse();
		while (world.requests.length === 0) await Promise.resolve();
		if (asksTwice) await remove.call(hook());
		expect(webhooks.size).toBe(1);
		expect(await checkExists.call(hook())).toBe(false);
		await create.call(hook());
		expect([...webhooks.keys()]).toEqual(['wh_2']);
	});

	test.each([
		['moments ago may be about to delete it, and gets another one', 1_000, ['wh_2']],
		['long ago and has ended before keeps it', 3_600_000, ['wh_1']],
	])('in another process, which was asked to delete it %s', async (_, age, kept) => {
		const { world, webhooks, hook } = service();
		await create.call(hook());
		const left = { by: 'another process', at: Date.now() - age };
		world.staticData = savedAs(world, { ...stateIn(world), left });
		if (!(await checkExists.call(hook()))) await create.call(hook());
		expect([...webhooks.keys()]).toEqual(kept);
		expect(stateIn(world)?.left).toBeUndefined();
	});
});
