import type { IWebhookFunctions } from 'n8n-workflow';
import { receive } from '../../../nodes/Trigger/delivery';
import { workspaceOf } from '../../../src/transport/workspace';
import { accessTo } from '../../support/nodeContext';
import {
	deliveryContext,
	FakeResponse,
	savedAs,
	signedDelivery,
	triggerFixture,
	type FakeDelivery,
	type TriggerFixture,
} from '../../support/triggerContext';

const SECRET = 'whsec_canary';
const REFUSED = { noWebhookResponse: true };
const IGNORED = { webhookResponse: '' };

function registered(more: Partial<TriggerFixture> = {}): TriggerFixture {
	const world = triggerFixture(more);
	world.staticData = savedAs(world, { webhookId: 'wh_1', secret: SECRET });
	return world;
}

/**
 * A delivery that n8n answers with 200, unless the test brings its own response and answers itself.
 */
async function take(world: TriggerFixture, delivery: FakeDelivery) {
	const response = delivery.response ?? new FakeResponse();
	const context = deliveryContext<IWebhookFunctions>(world, { ...delivery, response });
	const result = await receive.call(context);
	if (!delivery.response && !response.ended) response.end();
	return result;
}

const generation = {
	id: 'gen_1',
	object: 'generation',
	status: 'completed',
	mode: 'image',
	outputs: [],
};
const event = (id: string, more: object = {}) =>
	JSON.stringify({ id, type: 'generation.completed', data: { object: generation }, ...more });

const jsonOf = (result: Awaited<ReturnType<typeof take>>) => result.workflowData?.[0]?.[0]?.json;

test('a verified event starts the workflow with its payload as received', async () => {
	const at = Math.floor(Date.now() / 1_000) - 5;
	const body = event('evt_1', { more: [1, { a: null }] });
	expect(jsonOf(await take(registered(), signedDelivery(SECRET, body, at)))).toEqual({
		event: 'generation.completed',
		eventId: 'evt_1',
		timestamp: new Date(at * 1_000).toISOString(),
		deliveredAt: expect.stringMatching(/^\d{4}-/),
		resourceId: 'gen_1',
		payload: JSON.parse(body) as object,
	});
});

test('the API key is in no event that starts a workflow', async () => {
	const apiKey = 'sk/live&canary-key';
	const world = registered();
	world.credential = { ...world.credential, apiKey };
	const said = { note: [`key=${encodeURIComponent(apiKey)}`, { [apiKey]: 1 }] };
	const json = jsonOf(await take(world, signedDelivery(SECRET, event('evt_key', said))));
	expect(json).toMatchObject({ payload: { note: ['key=***', { '***': 1 }] } });
});

const { headers } = signedDelivery(SECRET, event('evt_r'));

test.each<[string, FakeDelivery]>([
	['whose body cannot be read', { broken: true }],
	['without raw bytes, as of multipart', { rawBody: undefined }],
	['that is packed', { headers: { ...headers, 'content-encoding': 'gzip' } }],
	['above 16 MiB', signedDelivery(SECRET, ' '.repeat(16 * 1024 * 1024 + 1))],
])('a delivery %s is refused with 401, though it is validly signed', async (_, more) => {
	const response = new FakeResponse();
	const delivery = { ...signedDelivery(SECRET, event('evt_r')), response, ...more };
	expect(await take(registered(), delivery)).toEqual(REFUSED);
	expect([response.statusCode, response.ended]).toEqual([401, true]);
});

test('a delivery that is not an event is accepted and starts nothing', async () => {
	expect(await take(registered(), signedDelivery(SECRET, '[]'))).toEqual(IGNORED);
});

test('a replay and a repeat with a new timestamp start nothing more', async () => {
	const world = registered();
	const body = event('evt_again');
	const at = Math.floor(Date.now() / 1_000);
	const starts = [at, at, at - 30, at + 30].map(async (each) =>
		jsonOf(await take(world, signedDelivery(SECRET, body, each))),
	);
	expect((await Promise.all(starts)).filter(Boolean)).toHaveLength(1);
});

describe('an event is remembered once n8n has made its execution, and not before', () => {
	const deliver = (world: TriggerFixture, id: string, response?: FakeResponse) =>
		take(world, { ...signedDelivery(SECRET, event(id)), ...(response && { response }) });

	test('one whose execution n8n could not make is taken again', async () => {
		const world = registered();
		const response = new FakeResponse();
		await deliver(world, 'evt_500', response);
		response.status(500).end();
		expect(jsonOf(await deliver(world, 'evt_500'))).toBeDefined();
		expect(await deliver(world, 'evt_500')).toEqual(IGNORED);
	});

	test.each([
		[500, 'is taken', {}],
		[200, 'starts nothing', IGNORED],
	])(
		'repeats that come before n8n has answered are refused at once, to come again; after %i the next %s',
		async (status, _what, then) => {
			const world = registered();
			const id = `evt_early_${status}`;
			const first = new FakeResponse();
			await deliver(world, id, first);
			first.close();
			for (const repeat of [new FakeResponse(), new FakeResponse()]) {
				expect(await deliver(world, id, repeat)).toEqual(REFUSED);
				expect([repeat.statusCode, repeat.ended]).toEqual([503, true]);
				expect(Number(repeat.headers['Retry-After'])).toBeGreaterThan(0);
			}
			first.status(status).end();
			expect(await deliver(world, id)).toMatchObject(then);
			expect(await deliver(world, id)).toEqual(IGNORED);
		},
	);
});

test('a changed secret counts from the next delivery on, and a changed API key changes nothing', async () => {
	const world = registered();
	const accepted = async (secret: string, id: string) =>
		jsonOf(await take(world, signedDelivery(secret, event(id)))) !== undefined;
	expect(await accepted(SECRET, 'evt_key_1')).toBe(true);
	world.credential = { ...world.credential, apiKey: 'another-key' };
	expect(await accepted(SECRET, 'evt_key_2')).toBe(true);
	world.parameters = { events: ['generation.completed'], registration: 'manual' };
	expect(await accepted('whsec_by_hand', 'evt_hand_1')).toBe(true);
	world.secretCredential = { signingSecret: 'whsec_new' };
	expect(await accepted('whsec_new', 'evt_hand_2')).toBe(true);
	expect(await accepted('whsec_by_hand', 'evt_hand_3')).toBe(false);
});

test('an API key that cannot be used refuses no event: the execution says what is wrong', async () => {
	const world = registered({ credential: { apiKey: 'k', baseUrl: 'not a url' } });
	expect(jsonOf(await take(world, signedDelivery(SECRET, event('evt_credential'))))).toBeDefined();
});

test.each<[string, RegExp, Partial<TriggerFixture>]>([
	['no registration', /no webhook is registered/, { staticData: {} }],
	[
		'no secret by hand',
		/holds no signing secret/,
		{ parameters: { registration: 'manual' }, secretCredential: {} },
	],
	['another secret', /not made with the secret/, {}],
])('with %s the log has one warning, and all later ones at the level debug', async (...row) => {
	const [, words, more] = row;
	const world = { ...registered(), ...more };
	const delivery = signedDelivery('whsec_another', event('evt_log'));
	for (let each = 0; each < 3; each += 1) await take(world, delivery);
	expect(world.warnings).toEqual([expect.stringMatching(words)]);
	expect(world.warnings[0]).toContain('"Trigger" in workflow "A workflow" (workflow-1)');
	expect(world.debugLines).toHaveLength(2);
	expect(world.warnings[0]).not.toMatch(/canary|whsec/);
});

test.each<[string, boolean, parameters: object, payload: object]>([
	['a chosen kind', true, {}, {}],
	['a kind that is not chosen', false, {}, { type: 'voice.created' }],
	['an unknown kind', true, {}, { type: 'generation.no_such_event' }],
	['a mode that the filter wants', true, { options: { modes: ['image'] } }, {}],
	['another mode', false, { options: { modes: ['video'] } }, {}],
	['one of the resources', true, { options: { resourceIds: 'gen_0, gen_1' } }, {}],
	// Read in the execution.
	['a mode that is not shown', true, { options: { modes: ['video'] } }, { data: { id: 'gen_2' } }],
])('an event of %s: whether it starts the workflow', async (_name, starts, parameters, payload) => {
	const world = registered();
	world.parameters = { ...world.parameters, ...parameters };
	const taken = await take(world, signedDelivery(SECRET, event('a', payload)));
	expect(jsonOf(taken) !== undefined).toBe(starts);
});

test('waits of this process hear of the resource, filtered or not; of an unverified one they do not', async () => {
	const world = registered({ parameters: { events: ['voice.created'] } });
	const { apiKey, baseUrl } = world.credential;
	const access = accessTo(String(baseUrl), String(apiKey));
	const limits = { requestsPerMinute: 1e6, concurrentJobs: 5 };
	const { poller } = workspaceOf({ ...access, limits });
	const notify = jest.spyOn(poller, 'notify');
	await take(world, signedDelivery('whsec_wrong', event('evt_tell')));
	expect(notify).not.toHaveBeenCalled();
	expect(await take(world, signedDelivery(SECRET, event('evt_tell')))).toEqual(IGNORED);
	expect(notify).toHaveBeenCalledWith(generation);
});

test('an event that shows no resource, where a filter needs it, starts nothing: the log says so once', async () => {
	const world = registered({
		parameters: { events: ['generation.completed'], options: { resourceIds: 'gen_1' } },
	});
	for (const id of ['evt_none_1', 'evt_none_2']) {
		const body = JSON.stringify({ id, type: 'generation.completed', 'no\nte': 'gen_1' });
		expect(await take(world, signedDelivery(SECRET, body))).toEqual(IGNORED);
	}
	const other = JSON.stringify({ id: 'evt_x', type: 'generation.completed', job_id: 'gen_2' });
	expect(await take(world, signedDelivery(SECRET, other))).toEqual(IGNORED);
	expect(world.warnings).toEqual([
		expect.stringMatching(
			/starts nothing for an event, because neither .* Its fields: id, type, no te\./,
		),
	]);
});
