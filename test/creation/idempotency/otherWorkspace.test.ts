import type { IDataObject } from 'n8n-workflow';
import { answer, errorBody, LOST } from '../../model/answers';
import { DECIDED, WAYS_TO_ASK_AGAIN } from '../../support/askAgain';
import { byId, clock, ended, setUp } from '../../support/serviceRun';

jest.mock('../../../src/base/clock', () => jest.requireActual('../../support/virtualTime'));

/*
 * What was paid for is in one workspace. The same request is made again after the job was deleted, or with
 * another API key: of another workspace, or of the same.
 */

const MINUTE = 60_000;
const given = { model: byId('m'), prompt: 'a cat', downloadOutputs: false };

let stories = 0;

/** The first time the request is sent, and its answer or the end of its job is not awaited. */
async function story(
	door: string,
	isAnswered: boolean,
	asked: object = given,
	choice: object = {},
) {
	stories += 1;
	const workflowId = `other workspace ${stories}`;
	let isBegun = true;
	let deletedAs: number | undefined;
	const first = setUp({
		given: { ...asked },
		service: { jobMs: () => 90 * MINUTE },
		answers: async (request) => {
			if (request.path === '/models') return answer(200, { data: [{ id: 'm' }] });
			if (deletedAs !== undefined && request.path === '/generations/gen_1')
				return answer(deletedAs, errorBody('No such job'));
			if (request.method !== 'POST' || isAnswered || !isBegun) return undefined;
			await first.model.send(request);
			return LOST;
		},
	});
	const second = setUp({ given });
	const rotated = setUp({ given, answers: async (request) => await first.model.send(request) });
	let time = 0;
	let memory: IDataObject = {};
	/** @returns what went wrong, or the ID of the job */
	const ask = async (by: typeof first, options: object = {}, way = door) => {
		time += 1;
		const run = WAYS_TO_ASK_AGAIN[way]?.(time, memory) ?? {};
		memory = run.nodeMemory ?? memory;
		const { items, error } = await ended(by.run({ workflowId, ...run }, { options }));
		const json = items[0]?.json;
		return error?.message ?? json?.error ?? json?.id;
	};
	await ask(first, { waitTimeout: 1, ...choice });
	await clock.pass(120 * MINUTE);
	// A tool goes on after its answer, and its next call hears how that has ended.
	if (door === 'a tool call') await ask(first, choice);
	isBegun = false;
	return {
		ask,
		first,
		second,
		rotated,
		/** What each workspace has made. */
		made: () => [first.model.jobs.length, second.model.jobs.length],
		deleteJob(status: number) {
			deletedAs = status;
		},
		loseAnswers(isLost: boolean) {
			isBegun = isLost;
		},
	};
}

const text = (said: unknown) => (typeof said === 'string' ? said : JSON.stringify(said));

describe.each(Object.keys(WAYS_TO_ASK_AGAIN))('%s', (door) => {
	const isDeciding = Object.keys(DECIDED).includes(door);

	test('finds a job with another key of its workspace', async () => {
		const t = await story(door, true);
		expect(await t.ask(t.rotated)).toBe('gen_1');
		expect(t.made()).toEqual([1, 0]);
	});

	test('with a key of another workspace: the user is told of the job, and then a new one is made', async () => {
		const t = await story(door, true);
		expect(text(await t.ask(t.second))).toMatch(/service does not know its job/);
		expect(t.made()).toEqual([1, 0]);
		const next = await t.ask(t.second);
		if (isDeciding) expect(next).toBe('gen_1');
		else expect(text(next)).toMatch(/service does not know its job/);
		expect(t.made()).toEqual([1, isDeciding ? 1 : 0]);
	});

	test('with the first key again, after the warning, finds the job', async () => {
		const t = await story(door, true);
		await t.ask(t.second);
		expect(await t.ask(t.first)).toBe('gen_1');
		expect(t.made()).toEqual([1, 0]);
	});

	test.each([404, 410])(
		'after the job was deleted (%i): the user is told, and then a new one is made',
		async (status) => {
			const t = await story(door, true);
			t.deleteJob(status);
			expect(text(await t.ask(t.first))).toMatch(/service does not know its job/);
			expect(t.made()).toEqual([1, 0]);
			if (!isDeciding) return;
			await t.ask(t.first);
			expect(t.made()).toEqual([2, 0]);
		},
	);

	test.each([
		['a chosen model', given],
		['the first model', { ...given, model: undefined }],
	])('after the job was deleted, under Same Request with %s too', async (_, asked) => {
		const content = { idempotency: 'content' };
		const t = await story(door, true, asked, content);
		t.deleteJob(404);
		expect(text(await t.ask(t.first, content))).toMatch(/service does not know its job/);
		expect(t.made()).toEqual([1, 0]);
		if (!isDeciding) return;
		await t.ask(t.first, content);
		expect(t.made()).toEqual([2, 0]);
	});

	test('where the answer was lost, the user is told before it is sent with another API key', async () => {
		const t = await story(door, false);
		expect(text(await t.ask(t.second))).toMatch(/an earlier try may have been carried out/);
		expect(t.made()).toEqual([1, 0]);
		await t.ask(t.second);
		expect(t.made()).toEqual([1, isDeciding ? 1 : 0]);
	});

	test('where the answer was lost, another key of the workspace finds the job after the warning', async () => {
		const t = await story(door, false);
		expect(text(await t.ask(t.rotated))).toMatch(/an earlier try may have been carried out/);
		const next = await t.ask(t.rotated);
		if (isDeciding) expect(next).toBe('gen_1');
		expect(t.made()).toEqual([1, 0]);
	});

	test('who was told of another API key and went back to the first is told once its key has expired', async () => {
		const t = await story(door, false);
		await t.ask(t.second);
		t.loseAnswers(true);
		await t.ask(t.first, { waitTimeout: 1 });
		t.loseAnswers(false);
		await clock.pass(22.5 * 60 * MINUTE);
		const said = text(await t.ask(t.first));
		// The call of a tool goes on meanwhile, and has found the job.
		if (door !== 'a tool call') expect(said).toMatch(/an earlier try may have been carried out/);
		expect(t.made()).toEqual([1, 0]);
	});

	test('where the answer was lost, the same key finds the job at once', async () => {
		const t = await story(door, false);
		expect(await t.ask(t.first)).toBe('gen_1');
		expect(t.made()).toEqual([1, 0]);
	});
});
