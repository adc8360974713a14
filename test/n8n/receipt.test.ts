import type { NodeExecutionHint } from 'n8n-workflow';
import { MediaGenSpeech } from '../../nodes/Speech/MediaGenSpeech.node';
import { MediaGenVoice } from '../../nodes/Voice/MediaGenVoice.node';
import { answer, errorBody } from '../model/answers';
import { byId, ended, setUp, type Part } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

/** What n8n shows above the output. */
interface Shown {
	message?: string;
	type?: string;
}

const OF_TWO = { price: () => 2 };

function withRows(prompts: string[], { given, ...more }: Part = {}) {
	const { run, model } = setUp({
		service: OF_TWO,
		json: prompts.map(() => ({})),
		own: (item) => ({ prompt: prompts[item] }),
		given: { model: byId('m'), downloadOutputs: false, ...given },
		continueOnFail: true,
		...more,
	});
	return {
		model,
		/** A new execution, unless the parts say which. */
		async receipt(...[more, changed]: Parameters<typeof run>): Promise<Shown> {
			const hints: NodeExecutionHint[] = [];
			const { error } = await ended(run({ nodeMemory: {}, ...more, hints }, changed));
			if (error) throw error;
			expect(hints.length).toBeLessThan(2);
			return hints[0] ?? {};
		},
	};
}

const dice = (prompts: string[]) => (prompt: string) =>
	prompts.includes(prompt)
		? { status: 'failed', errors: [{ message: 'the <b>prompt</b> & "that"' }] }
		: { status: 'completed' };

test('what was made, for how many credits; the first of what has failed, whose words are no markup', async () => {
	const prompts = Array.from({ length: 14 }, (_, item) => `p${item}`);
	const service = { ...OF_TWO, ending: dice(['p9', 'p11']) };
	const { message, type } = await withRows(prompts, { service }).receipt();
	expect(type).toBe('warning');
	expect(message).toMatch(
		/^<b>12 of 14 made, for 24 credits\.<\/b> 2 failed\. The first: The job failed: /,
	);
	expect(message).toContain('the prompt &amp; &quot;that&quot;');
	expect(message).toMatch(/\[item 10 of 14\]\. Failed jobs had reserved 4 credits\.$/);
	expect(await withRows(['a']).receipt()).toMatchObject({
		message: '<b>1 picture made, for 2 credits.</b>',
		type: 'info',
		location: 'outputPane',
	});
});

test('a single item may make several: their number is said', async () => {
	const outputs = [1, 2].map((id) => ({ id: `o${id}`, url: 'https://media.example/x.png' }));
	const service = { ...OF_TWO, ending: () => ({ status: 'completed', outputs }) };
	const given = { parameters: { count: 2 } };
	const { message } = await withRows(['a'], { service, given }).receipt();
	expect(message).toBe('<b>2 pictures made, for 2 credits.</b>');
});

test('jobs that nobody waits for were started', async () => {
	const { message } = await withRows(['a', 'b'], { given: { waitForCompletion: false } }).receipt();
	expect(message).toBe('<b>2 of 2 started, for 4 credits.</b>');
});

test('a dry run says that nothing was made', async () => {
	const options = { dryRun: true };
	const t = withRows(['a', 'b', 'c']);
	await t.receipt();
	expect(await t.receipt({}, { options, parameters: { count: 7 } })).toMatchObject({
		message:
			'<b>Dry run: nothing was sent, nothing was paid.</b> 3 jobs, about 42 credits, at the prices of last time.',
		type: 'warning',
	});
});

test('where an expression makes a dry run of some items only, what was paid for the others is said first', async () => {
	const own = (item: number) => ({ prompt: 'a', options: item === 0 ? { dryRun: true } : {} });
	const t = withRows(['a', 'b', 'c'], { own });
	await t.receipt();
	const { message, type } = await t.receipt();
	expect(type).toBe('warning');
	expect(message).toBe(
		'<b>2 of 2 made, for 4 credits.</b> 1 as a dry run, not sent: 1 job, about 2 credits, at the prices of last time.',
	);
});

test('files of a dry run are told apart by their names', async () => {
	const given = {
		model: byId('m'),
		prompt: 'A cat',
		options: { dryRun: true },
		downloadOutputs: true,
	};
	const [item] = await setUp({ given }).run();
	expect(item?.binary?.data?.fileName).toBe('dry-run-a-cat-1.png');
});

test('a part of what was asked for', async () => {
	const ending = () => ({
		status: 'partially_completed',
		output_ids: ['o1', 'o2', 'o3'],
		outputs: [1, 2].map((id) => ({ id: `o${id}`, url: 'https://media.example/x.png' })),
		errors: [{ message: 'no third one' }],
	});
	const given = { parameters: { count: 3 } };
	const one = await withRows(['a'], { service: { ...OF_TWO, ending }, given }).receipt();
	expect(one.type).toBe('warning');
	expect(one.message).toMatch(
		/^<b>2 of 3 pictures, for 2 credits\.<\/b> Only a part .*no third one$/,
	);
	const two = await withRows(['a', 'b'], { service: { ...OF_TWO, ending }, given }).receipt();
	expect(two.message).toMatch(
		/^<b>2 of 2 made, for 4 credits\.<\/b> 2 in part\. The first: 2 of 3 pictures: .*\[item 1 of 2\]$/,
	);
});

const SAME = '<b>The same picture as before: 0 credits</b>';

const GIVEN_AGAIN =
	'Same in the Editor: for a day, executing the same again here gives the same, for 0 credits.';

describe('which choice of Avoid Paying Twice has given the same again', () => {
	test.each([
		[
			'content',
			'trigger',
			'change the prompt for a new one. Avoid Paying Twice: Same Request Within 24 Hours.',
		],
		['custom', 'trigger', 'another Own Key makes a new one. Avoid Paying Twice: Own Key.'],
		['editor', 'manual', `change the prompt for a new one. ${GIVEN_AGAIN}`],
	] as const)('%s (%s): in another execution', async (idempotency, mode, words) => {
		const options = { idempotency, idempotencyKey: 'order 7' };
		const { receipt, model } = withRows(['a'], { given: { options }, mode });
		const first = await receipt({ executionId: 'e1' });
		expect(first.message).toMatch(/^<b>1 picture made, for 2 credits\.<\/b>/);
		const again = await receipt({ executionId: 'e2' });
		expect(again).toMatchObject({ message: `${SAME}; ${words}`, type: 'info' });
		expect(model.jobs).toHaveLength(1);
	});

	test.each(['execution', 'content', 'custom', 'editor'])('%s: in a retry', async (idempotency) => {
		const options = { idempotency, idempotencyKey: 'order 7' };
		const nodeMemory = {};
		const { receipt, model } = withRows(['a'], { given: { options } });
		await receipt({ nodeMemory, executionId: 'e1' });
		const { message } = await receipt({ nodeMemory, executionId: 'e2', mode: 'retry' });
		expect(message).toContain(SAME);
		expect(model.jobs).toHaveLength(1);
	});

	test('Same in the Editor says which of its two meanings it had, of new ones too', async () => {
		const given = { options: { idempotency: 'editor' } };
		const { receipt } = withRows(['a'], { given });
		const made = '<b>1 picture made, for 2 credits.</b>';
		expect((await receipt({ mode: 'manual' })).message).toBe(`${made} ${GIVEN_AGAIN}`);
		expect((await receipt({ mode: 'trigger', executionId: 'e2' })).message).toBe(
			`${made} Same in the Editor: outside of the editor, each execution makes new ones.`,
		);
	});

	test('beside a row that has failed too', async () => {
		const options = { idempotency: 'content' };
		const service = { ...OF_TWO, ending: dice(['b']) };
		const t = withRows(['a', 'b'], { service, given: { options } });
		await t.receipt({ executionId: 'e1' }, { prompt: 'a' });
		const { message } = await t.receipt({ executionId: 'e2' });
		expect(message).toContain('1 was there before, for 0 credits.');
	});
});

test('the same again costs nothing, and how to get a new one', async () => {
	const options = { idempotency: 'content' };
	const one = withRows(['a'], { given: { options } });
	expect((await one.receipt()).message).toBe('<b>1 picture made, for 2 credits.</b>');
	expect(await one.receipt({ executionId: 'another' })).toMatchObject({
		message: `${SAME}; change the prompt for a new one. Avoid Paying Twice: Same Request Within 24 Hours.`,
		type: 'info',
	});
	const two = withRows(['a', 'b'], { given: { options } });
	await two.receipt();
	expect((await two.receipt({ executionId: 'another' })).message).toContain(
		'The same pictures as before',
	);
	const more = await two.receipt({ executionId: 'third' }, { prompt: 'another' });
	expect(more.message).toMatch(/^<b>2 of 2 made, for 2 credits/);
	expect(one.model.jobs).toHaveLength(1);
});

test('a job that is still running is not paid for again either', async () => {
	const given = { waitForCompletion: false, options: { idempotency: 'content' } };
	const { receipt } = withRows(['a'], { given });
	expect((await receipt()).message).toBe('<b>1 job started, for 2 credits.</b>');
	const again = await receipt({ executionId: 'another' });
	expect(again.message).toContain('The same picture as before: 0 credits');
});

test('with the same request in a process that has seen nothing, a job that is older tells it', async () => {
	const created_at = '2026-03-11T09:00:00Z';
	const job = { id: 'gen_7', object: 'generation', mode: 'image', status: 'completed', created_at };
	const date = 'Wed, 11 Mar 2026 11:00:00 GMT';
	const answers: Part['answers'] = ({ method }) =>
		answer(method === 'POST' ? 202 : 200, { ...job, estimated_credits: 2, outputs: [] }, { date });
	const { receipt } = withRows(['a'], { answers, given: { options: { idempotency: 'content' } } });
	expect((await receipt()).message).toContain('The same picture as before: 0 credits');
});

test('what an earlier try has made is not paid for again', async () => {
	const service = { ...OF_TWO, ending: dice(['b']) };
	const t = withRows(['a', 'b'], { service, continueOnFail: false });
	const nodeMemory = {};
	await expect(t.receipt({ nodeMemory })).rejects.toMatchObject({
		description: expect.stringMatching(
			/This run has reserved 4 credits, 2 of them for failed jobs: .* Get Credits shows whether they came back\.$/,
		) as string,
	});
	const { message } = await t.receipt({ nodeMemory, continueOnFail: true });
	expect(message).toMatch(
		/^<b>1 of 2 made\.<\/b> 1 failed: .* Failed jobs had reserved 2 credits\. 1 was there before, for 0 credits\.$/,
	);
});

test('a service that does not say', async () => {
	const { message } = await withRows(['a'], { service: {} }).receipt();
	expect(message).toBe('<b>1 picture made; the service does not say for how many credits.</b>');
});

test('nothing where nothing is created, or where an agent is answered from within another node', async () => {
	expect(await withRows(['a']).receipt({}, { operation: 'getAll' })).toEqual({});
	const inputData = { ai_tool: [[{ json: {} }]] };
	expect(await withRows(['a']).receipt({ inputData })).toEqual({});
});

test('other nodes: a speech, a voice', async () => {
	const speech = withRows(['a'], {
		node: new MediaGenSpeech(),
		given: { model: byId('service/speech-lite'), text: 'Hello', waitForCompletion: false },
		answers: () => answer(202, { id: 's', status: 'queued', estimated_credits: 1 }),
	});
	expect((await speech.receipt()).message).toBe('<b>1 of 1 started, for 1 credit.</b>');
	const voice = withRows(['a'], {
		node: new MediaGenVoice(),
		given: { operation: 'design', name: 'Ann', description: 'warm' },
		answers: () => answer(201, { id: 'v', object: 'voice', name: 'Ann', credits_charged: 30 }),
	});
	expect((await voice.receipt()).message).toBe('<b>1 of 1 made, for 30 credits.</b>');
	const refused = withRows(['a'], { answers: () => answer(400, errorBody('no')) });
	expect((await refused.receipt()).message).toMatch(/^<b>0 of 1 made\.<\/b> 1 failed: /);
});
