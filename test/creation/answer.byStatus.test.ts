import { MediaGenAgentRun } from '../../nodes/AgentRun/MediaGenAgentRun.node';
import { MediaGenPersona } from '../../nodes/Persona/MediaGenPersona.node';
import type { ApiRequest, SendResult } from '../../src/base/types';
import { byId, clock, ended, setUp, type Part } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

const MINUTE = 60_000;

const answer = (status: number, body: unknown): SendResult => ({ status, headers: {}, body });

/** A service that answers a creation with this status and word, and shows that word when it is read. */
const saying =
	(status: number, body: Record<string, unknown>, shown = body) =>
	({ method }: ApiRequest) =>
		method === 'POST' ? answer(status, body) : answer(200, shown);

const review: Part = {
	node: new MediaGenAgentRun(),
	given: { operation: 'review', agentRunId: byId('run_1'), decision: 'assemble' },
};
const ofPictures: Part = {
	node: new MediaGenPersona(),
	given: { operation: 'createFromImages', name: 'Nia', referenceImages: 'https://a.example/a.png' },
};
const planned: Part = {
	node: new MediaGenAgentRun(),
	given: { operation: 'create', brief: 'A spot' },
};

const run = { id: 'run_1', object: 'agent_run' };
const persona = { id: 'persona_1', object: 'persona' };

/** What the specification says by the status alone, with a word that no document names. */
const OVER: Array<[name: string, part: Part, status: number, body: Record<string, unknown>]> = [
	['a review that is answered with 200', review, 200, { ...run, status: 'assembled' }],
	['a persona of pictures, 201', ofPictures, 201, { ...persona, status: 'usable' }],
	['a plan, 201', planned, 201, { ...run, status: 'drafted' }],
	[
		'a review whose 200 has the word from before',
		review,
		200,
		{ ...run, status: 'awaiting_review' },
	],
];

test.each(OVER)('%s is over at once, whatever word stands in it', async (_, part, status, body) => {
	const began = clock.monotonic();
	const t = setUp({ ...part, answers: saying(status, body) });
	const { items, error } = await ended(t.run());
	expect(error?.message).toBeUndefined();
	expect(items).toMatchObject([{ json: { id: body.id, status: body.status } }]);
	expect(clock.monotonic() - began).toBeLessThan(MINUTE);
	expect(t.posts()).toHaveLength(1);
});

test('a run that is answered with 202 is approved: its plan is no end, even if that word still stands there', async () => {
	let reads = 0;
	const t = setUp({
		...planned,
		given: { ...planned.given, autoApprove: true, additionalFields: { maxCredits: 50 } },
		answers({ method }) {
			if (method === 'POST') return answer(202, { ...run, status: 'plan_proposed' });
			reads += 1;
			const status = reads < 3 ? 'running' : 'awaiting_review';
			return answer(200, { ...run, status });
		},
	});
	const { items } = await ended(t.run());
	expect(items).toMatchObject([{ json: { id: 'run_1', status: 'awaiting_review' } }]);
});

test('that a job has failed is not taken from the 202 which says that it was accepted', async () => {
	const job = { id: 'gen_1', object: 'generation', mode: 'image', model: 'm' };
	const outputs = [{ id: 'out_1', url: 'https://media.example/gen_1.png' }];
	const t = setUp({
		given: {
			operation: 'generateImage',
			model: byId('m'),
			prompt: 'a cat',
			options: { downloadOutputs: false },
		},
		answers: saying(202, { ...job, status: 'failed' }, { ...job, status: 'completed', outputs }),
	});
	const { items, error } = await ended(t.run());
	expect(error?.message).toBeUndefined();
	expect(items).toMatchObject([{ json: { id: 'gen_1', status: 'completed' } }]);
	expect(t.posts()).toHaveLength(1);
});

describe('a key that the service says is of another request', () => {
	const conflict = {
		error: { type: 'conflict', message: 'This Idempotency-Key was used for another request' },
	};
	const picture = { operation: 'generateImage', model: byId('m'), prompt: 'a cat' };
	const choices: Array<[string, Record<string, unknown>]> = [
		['execution', {}],
		['content', {}],
		['custom', { idempotencyKey: 'order 7' }],
	];

	test.each(choices)(
		'%s: it is final, nothing was made, and that is said',
		async (choice, more) => {
			const began = clock.monotonic();
			const t = setUp({
				given: { ...picture, options: { idempotency: choice, ...more } },
				answers: saying(409, conflict),
			});
			const { error } = await ended(t.run());
			expect(error?.message).toMatch(/^The idempotency key belongs to another request: This Idem/);
			expect(error?.description).toMatch(/Nothing was created and no credits were spent/);
			expect(t.posts()).toHaveLength(1);
			expect(clock.monotonic() - began).toBeLessThan(MINUTE);
		},
	);

	test('after an answer that was lost nobody knows whether a job was made', async () => {
		let number = 0;
		const t = setUp({
			given: picture,
			answers: () => {
				number += 1;
				return number === 1 ? { noResponse: 'ECONNRESET' } : answer(409, conflict);
			},
		});
		const { error } = await ended(t.run());
		expect(error?.description).toMatch(/Whether the request was carried out is not known/);
		expect(t.posts()).toHaveLength(2);
	});
});

describe('an end that nobody knows', () => {
	const canceled = { status: 'canceled', error: { message: 'stopped by a moderator' } };
	const picture = { model: byId('m'), prompt: 'a cat' };

	test('the message says the status, for how long, and the error beside it', async () => {
		const t = setUp({ given: picture, service: { ending: () => canceled } });
		const { error } = await ended(t.run());
		expect(error?.message).toMatch(
			/^Not finished after 30 minutes: its status has been "Canceled" for 2\d(\.\d)? minutes: stopped by a moderator \(job gen_1\)$/,
		);
		expect(error?.description).toMatch(
			/does not document this status\. If it means the end, a new execution makes a new one\./,
		);
	});

	test('of an agent run the message names the fields in which to enter it', async () => {
		const t = setUp({
			...planned,
			answers: saying(202, { ...run, status: 'queued' }, { ...run, status: 'halted' }),
		});
		const { error } = await ended(t.run());
		expect(error?.message).toMatch(
			/its status has been "halted" for \d+(\.\d)? minutes \(job run_1\)$/,
		);
		expect(error?.description).toMatch(
			/Statuses That End the Wait or in Statuses That Mean Failure/,
		);
	});

	test('a model hears of it when its time is over', async () => {
		const t = setUp({
			given: picture,
			service: { ending: () => canceled },
			nodeType: 'n8n-nodes-mediagen.mediaGenTool',
		});
		const { items } = await ended(t.run());
		expect(items).toMatchObject([
			{
				json: {
					id: 'gen_1',
					status: 'canceled',
					failure: { message: 'stopped by a moderator' },
					next: expect.stringMatching(/call with other arguments makes a new one/) as string,
				},
			},
		]);
	});
});
