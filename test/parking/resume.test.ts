import type { INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';
import { resume } from '../../src/parking/resume';
import { encryptSecret } from '../../src/webhook/encryptSecret';
import { systemClock } from '../../src/transport/base/clock';
import type { VirtualClock } from '../../testing/virtualClock';
import {
	deliveryContext,
	FakeResponse,
	signedDelivery,
	triggerFixture,
	type FakeDelivery,
} from '../support/triggerContext';

jest.mock('../../src/transport/base/clock', () => {
	const { VirtualClock: Clock } = jest.requireActual<{ VirtualClock: typeof VirtualClock }>(
		'../../testing/virtualClock',
	);
	return { systemClock: new Clock() };
});

const clock = systemClock as VirtualClock;

const SECRET = 'whsec_of_this_test';
const TERMINAL_STATUSES = { good: ['completed'], bad: ['failed'] };

const generation = (id: string, status: string) => ({
	id,
	object: 'generation',
	status,
	mode: 'image',
	model: 'm',
	...(status === 'completed' && { outputs: [{ id: 'out', url: 'https://x/1' }] }),
});

let events = 0;

interface Scenario {
	/** Statuses of the jobs that are waited for, by id. */
	jobs: Record<string, string>;
	/** Of the newest generations; by default all of them are. */
	listed?: string[];
	/** What the service answers instead. */
	ill?: number;
	baseUrl?: string;
	delivery?: (body: string) => FakeDelivery;
	event?: object;
}

/**
 * An execution that is parked for these jobs, behind one that had ended, and an event that reaches
 * it.
 */
function scenario({ jobs, listed = Object.keys(jobs), ill, baseUrl, delivery, event }: Scenario) {
	const world = triggerFixture({
		answer: ({ url, method }) => {
			if (method === 'DELETE') return { statusCode: 200, body: {} };
			if (ill !== undefined) return { statusCode: ill, body: {} };
			if (url === '/generations')
				return {
					statusCode: 200,
					body: { data: listed.map((id) => generation(id, jobs[id] ?? '')) },
				};
			const id = url.replace('/jobs/', '');
			const status = jobs[id];
			return status === undefined
				? { statusCode: 404, body: {} }
				: { statusCode: 200, body: generation(id, status) };
		},
	});
	const apiKey = String(world.credential.apiKey);
	const parked = ['done', ...Object.keys(jobs)].map((id, item) => ({
		json: { id, status: id === 'done' ? 'completed' : 'queued', finished: id === 'done' },
		pairedItem: { item },
	}));
	const state = {
		webhookId: 'wh_1',
		secret: encryptSecret(SECRET, apiKey, 'wh_1'),
		baseUrl: baseUrl ?? world.credential.baseUrl,
		jobs: Object.keys(jobs).map((id, index) => ({
			index: index + 1,
			id,
			path: `/jobs/${id}`,
			object: 'generation',
			terminalStatuses: TERMINAL_STATUSES,
		})),
	};
	events += 1;
	const [first = ''] = Object.keys(jobs);
	const resource = { id: first, object: 'generation', status: 'completed', ...event };
	const body = JSON.stringify({ id: `evt_${events}`, data: { object: resource } });
	/** @param answer what n8n answers once it has the items to resume with */
	const deliver = async (text = body, answer = 200) => {
		const response = new FakeResponse();
		const sent = { ...(delivery?.(text) ?? signedDelivery(SECRET, text)), response };
		const context = deliveryContext<IWebhookFunctions>(world, sent);
		Object.assign(context, {
			runExecutionData: {
				executionData: {
					contextData: { 'node:Trigger': { mediaGenParked: state } },
					nodeExecutionStack: [{ data: { main: [parked] } }],
				},
			},
		});
		const result = await clock.run(resume.call(context));
		if (!result.noWebhookResponse) {
			// As n8n does: other calls go on before it has started the execution.
			await null;
			response.status(result.workflowData ? answer : 200).end();
		}
		await clock.run(Promise.resolve());
		const status = response.statusCode;
		return { status, items: result.workflowData?.[0] as INodeExecutionData[] | undefined };
	};
	const asked = () => world.requests.map(({ method, url }) => `${method} ${url}`);
	return { world, deliver, asked, body };
}

test('once all jobs have ended the execution resumes with all items and the current state of the jobs', async () => {
	const { deliver, asked } = scenario({ jobs: { a: 'completed', b: 'failed' } });
	const { status, items } = await deliver();
	expect(status).toBe(200);
	expect(
		items?.map(({ json, pairedItem }) => [json.id, json.status, json.finished, pairedItem]),
	).toEqual([
		['done', 'completed', true, { item: 0 }],
		['a', 'completed', true, { item: 1 }],
		['b', 'failed', true, { item: 2 }],
	]);
	// The list says nothing of why b failed.
	expect(asked()).toEqual(['GET /generations', 'GET /jobs/b', 'DELETE /webhooks/wh_1']);
});

test('as long as one runs it stays parked; a repeat of the event costs nothing', async () => {
	const { deliver, asked } = scenario({ jobs: { a: 'completed', b: 'queued' } });
	expect(await deliver()).toEqual({ status: 200, items: undefined });
	expect(await deliver()).toEqual({ status: 200, items: undefined });
	expect(asked()).toEqual(['GET /generations']);
});

test('what the newest generations lack is read by itself, the last one first, until one is found running', async () => {
	const { deliver, asked } = scenario({
		jobs: { a: 'completed', b: 'completed', c: 'queued' },
		listed: [],
	});
	expect((await deliver()).items).toBeUndefined();
	expect(asked()).toEqual(['GET /generations', 'GET /jobs/c']);
	const last = scenario({ jobs: { a: 'completed', b: 'completed' }, listed: [] });
	expect((await last.deliver()).items).toHaveLength(3);
});

test('events that come at once resume it once: n8n 1.x would resume it for each', async () => {
	const { deliver, body } = scenario({ jobs: { a: 'completed', b: 'completed' } });
	const bodies = [body, body.replace('evt_', 'evt_other_'), body.replace('evt_', 'evt_third_')];
	const answers = await Promise.all(bodies.map(async (text) => await deliver(text)));
	expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
	expect(answers.filter(({ items }) => items)).toHaveLength(1);
	expect((await deliver(body.replace('evt_', 'evt_late_'))).items).toBeUndefined();
});

test('if n8n cannot resume it, the webhook stays, and the event that comes again resumes it', async () => {
	const { deliver, asked } = scenario({ jobs: { a: 'completed' } });
	expect((await deliver(undefined, 500)).status).toBe(500);
	expect(asked()).not.toContain('DELETE /webhooks/wh_1');
	expect((await deliver()).items).toHaveLength(2);
	expect(asked()).toContain('DELETE /webhooks/wh_1');
});

test('a service that is asked for longer than a sender listens: the webhook stays for the repeat', async () => {
	const { deliver, asked, world } = scenario({ jobs: { a: 'completed' } });
	world.delay = async () => await clock.sleep(25_000);
	expect(await deliver()).toEqual({ status: 503, items: undefined });
	await clock.run(clock.sleep(60_000));
	expect(asked()).not.toContain('DELETE /webhooks/wh_1');
	world.delay = async () => {};
	expect((await deliver()).items).toHaveLength(2);
});

test.each<[string, Partial<Scenario>]>([
	['of a job that nobody here waits for', { event: { id: 'another' } }],
	['of a job that has been read already', { event: { id: 'done' } }],
])('an event %s asks nothing', async (_name, part) => {
	const { deliver, asked } = scenario({ jobs: { a: 'completed' }, ...part });
	expect(await deliver()).toEqual({ status: 200, items: undefined });
	expect(asked()).toEqual([]);
});

test('an event that only has the id of such a job asks nothing either', async () => {
	const { deliver, asked } = scenario({ jobs: { a: 'completed' } });
	const of = (id: string) =>
		JSON.stringify({ id: 'evt', type: 'generation.completed', data: { generation_id: id } });
	expect(await deliver(of('another'))).toEqual({ status: 200, items: undefined });
	expect(asked()).toEqual([]);
	expect((await deliver(of('a'))).items).toHaveLength(2);
});

test.each<[string, object]>([
	['names no resource', { id: undefined }],
	['has the id in a place that is not known', { id: undefined, generation_id: 'a' }],
])('an event that %s may be about any of them', async (_name, event) => {
	const { deliver } = scenario({ jobs: { a: 'completed' }, event });
	expect((await deliver()).items).toHaveLength(2);
});

const now = () => Math.floor(Date.now() / 1_000);

test.each<[string, Partial<Scenario>]>([
	['signed by somebody else', { delivery: (body) => signedDelivery('another', body) }],
	['unsigned', { delivery: (body) => ({ rawBody: Buffer.from(body), headers: {} }) }],
	['older than 300 seconds', { delivery: (body) => signedDelivery(SECRET, body, now() - 302) }],
	[
		'with other bytes than were signed',
		{ delivery: (body) => ({ ...signedDelivery(SECRET, body), rawBody: Buffer.from(`${body} `) }) },
	],
	['without bytes', { delivery: (body) => ({ ...signedDelivery(SECRET, body), broken: true }) }],
	['whose credential leads to another service now', { baseUrl: 'https://old.example/v1' }],
])('a call %s is refused and asks nothing', async (_name, part) => {
	const { deliver, asked } = scenario({ jobs: { a: 'completed' }, ...part });
	expect(await deliver()).toEqual({ status: 401, items: undefined });
	expect(asked()).toEqual([]);
});

test('a changed API key makes no secret of the stored one: the call is refused, and nothing is thrown', async () => {
	const { deliver, world } = scenario({ jobs: { a: 'completed' } });
	world.credential = { ...world.credential, apiKey: 'another key' };
	expect((await deliver()).status).toBe(401);
});

test.each([500, 503, 429])(
	'a service that answers %i has the event delivered again, which then counts',
	async (ill) => {
		const broken = scenario({ jobs: { a: 'completed' }, ill });
		expect(await broken.deliver()).toEqual({ status: 503, items: undefined });
		expect(await broken.deliver()).toEqual({ status: 503, items: undefined });
	},
);

test('if a part of the service does not know of the end yet, the event is delivered again', async () => {
	const { deliver, asked } = scenario({ jobs: { a: 'queued', b: 'completed' } });
	expect(await deliver()).toEqual({ status: 503, items: undefined });
	expect(asked()).toEqual(['GET /generations', 'GET /jobs/a']);
});

test('a list that is behind the event does not keep it parked: the job itself is read', async () => {
	const { deliver, asked, world } = scenario({ jobs: { a: 'completed', b: 'completed' } });
	const { answer } = world;
	world.answer = (request) =>
		request.url === '/generations'
			? {
					statusCode: 200,
					body: { data: [generation('a', 'queued'), generation('b', 'completed')] },
				}
			: answer(request);
	expect((await deliver()).items).toHaveLength(3);
	expect(asked()).toContain('GET /jobs/a');
	const other = scenario({ jobs: { a: 'completed', b: 'queued' } });
	expect(await other.deliver()).toEqual({ status: 200, items: undefined });
	expect(other.asked()).toEqual(['GET /generations']);
});

test('a list that never changes keeps nothing parked: all jobs are read by themselves then', async () => {
	const { deliver, world } = scenario({ jobs: { a: 'completed', b: 'completed' } });
	const { answer } = world;
	world.answer = (request) =>
		request.url === '/generations'
			? { statusCode: 200, body: { data: [generation('a', 'queued'), generation('b', 'queued')] } }
			: answer(request);
	expect((await deliver()).items).toHaveLength(3);
});

test('a service that gives every webhook the same id: an event is a repeat for its own execution only', async () => {
	const first = scenario({ jobs: { a: 'completed', b: 'queued' } });
	expect(await first.deliver()).toEqual({ status: 200, items: undefined });
	const second = scenario({ jobs: { a: 'completed' } });
	expect((await second.deliver(first.body)).items).toHaveLength(2);
});

test('a job that is gone ends nothing: the timer does', async () => {
	const { deliver, world } = scenario({ jobs: { a: 'completed', b: 'completed' }, listed: ['a'] });
	const { answer } = world;
	world.answer = (request) =>
		request.url === '/jobs/b' ? { statusCode: 404, body: {} } : answer(request);
	expect(await deliver()).toEqual({ status: 200, items: undefined });
});

test('a credential that cannot be read throws nothing', async () => {
	const { deliver, world } = scenario({ jobs: { a: 'completed' } });
	Object.defineProperty(world, 'credential', {
		get: () => {
			throw new Error('no key to decrypt it with');
		},
	});
	expect(await deliver()).toEqual({ status: 503, items: undefined });
});

test('an execution that does not wait for events refuses every call', async () => {
	const world = triggerFixture();
	const response = new FakeResponse();
	const sent = { ...signedDelivery(SECRET, '{}'), response };
	await clock.run(resume.call(deliveryContext<IWebhookFunctions>(world, sent)));
	expect(response.statusCode).toBe(401);
});
