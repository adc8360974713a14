import type { IExecuteSingleFunctions } from 'n8n-workflow';
import type { ApiRequest, SendResult } from '../../src/base/types';
import type { NodeRun } from '../support/nodeContext';
import { byId, clock, ended, setUp, type Part } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

const HOUR = 3_600_000;

/** What n8n's own Agents have nothing of; the id of the node is new in each call. */
const WITHOUT: Partial<IExecuteSingleFunctions> = {
	getExecutionId: () => undefined as never,
	getWorkflow: () => ({}) as never,
	getContext() {
		throw new Error('`executionData` is not initialized');
	},
};

const nodeType = 'n8n-nodes-mediagen.mediaGenTool';

/** The doors by which a model calls a node, and what each of them passes on of what comes back. */
const DOORS: Array<[door: string, run: Partial<NodeRun>]> = [
	[
		'an agent up to version 2, a node that messages a model, MCP',
		{ nodeType, inputData: { ai_tool: [[{ json: {} }]] } },
	],
	['an agent from version 3 on', { nodeType }],
	["n8n's own Agents", { nodeType, mode: 'internal' as never, lacking: WITHOUT }],
];

let talks = 0;

/** A service, and what the model hears of each call by a door. */
function talk(door: Partial<NodeRun>, part: Part = {}) {
	// What a test has lost, another one must not go on with.
	talks += 1;
	const isOwn = door.lacking !== undefined;
	const own: Partial<NodeRun> = isOwn
		? { inputData: { main: [[{ json: { talk: talks } }]] } }
		: { workflowId: `workflow-${talks}` };
	const { run, model, posts } = setUp({
		...part,
		service: { price: () => 2, ...part.service },
		given: { model: byId('m'), prompt: 'a cat', ...part.given },
	});
	const hear = async (given: Record<string, unknown> = {}, more: Partial<NodeRun> = {}) => {
		const { items, error } = await ended(run({ ...door, ...own, ...more }, given));
		// The first of these doors tells its model nothing of what is thrown.
		if (door.inputData?.ai_tool) expect(error).toBeUndefined();
		return error ? error.message : JSON.stringify(items.map(({ json }) => json));
	};
	return { hear, model, posts };
}

const answer = (status: number): SendResult => ({
	status,
	headers: {},
	body: { error: { type: 'some_type', message: 'No' } },
});

const onCreation = (given: SendResult) => (request: ApiRequest) =>
	request.method === 'POST' ? given : undefined;
const onRead = (given: SendResult) => (request: ApiRequest) =>
	request.method === 'GET' ? given : undefined;

const withoutKeys = { given: { options: { idempotency: 'none' } } };

const UNPAID = /no credits were spent/;
const NOT_KNOWN = /Whether the request was carried out is not known/;
const PAYS = /The same call again would be paid for again/;
const SAME_CALL = /call this tool again with exactly the same arguments/i;

/** What goes wrong, what a model has to hear of the credits, and how it goes on. */
const FAILURES: Array<[name: string, part: Part, credits: RegExp, next: RegExp]> = [
	['402', { answers: onCreation(answer(402)) }, UNPAID, SAME_CALL],
	['400', { answers: onCreation(answer(400)) }, UNPAID, /Correct what the service names/],
	['401', { answers: onCreation(answer(401)) }, UNPAID, /enter a valid key/],
	['429', { answers: onCreation(answer(429)) }, /Not sent yet/, SAME_CALL],
	['500', { answers: onCreation(answer(500)) }, /nothing is paid for twice/, SAME_CALL],
	['500 without keys', { ...withoutKeys, answers: onCreation(answer(500)) }, NOT_KNOWN, PAYS],
	[
		'a cut connection',
		{ answers: onCreation({ noResponse: 'ECONNRESET' }) },
		/nothing is paid for twice/,
		SAME_CALL,
	],
	[
		'a cut connection without keys',
		{ ...withoutKeys, answers: onCreation({ noResponse: 'ECONNRESET' }) },
		NOT_KNOWN,
		PAYS,
	],
	[
		'a time that is over',
		{ service: { jobMs: () => HOUR / 4 } },
		/nothing is paid for twice/,
		SAME_CALL,
	],
	['a job that may not be read', { answers: onRead(answer(403)) }, /reserved 2 credits/, SAME_CALL],
	[
		'a job that fails',
		{ service: { ending: () => ({ status: 'failed' }) } },
		/reserved 2 credits/,
		/Another call creates a new job, which is paid for/,
	],
	['a wrong argument', { given: { prompt: '' } }, UNPAID, /Prompt is empty/],
];

describe.each(DOORS)('by %s', (_, door) => {
	test.each(FAILURES)(
		'a model hears of %s what is known of the credits, and how to go on',
		async (_name, part, credits, next) => {
			const heard = await talk(door, part).hear();
			expect(heard).toMatch(credits);
			expect(heard).toMatch(next);
			expect(heard).not.toMatch(/execute the node|retry this execution|A new execution/i);
		},
	);

	test('a model is told to get by its id only what has one', async () => {
		const slow = { service: { jobMs: () => HOUR } };
		expect(await talk(door, slow).hear()).toMatch(/gen_1.*get it by its id/);
		const heard = await talk(door, { answers: onCreation(answer(500)) }).hear();
		expect(heard).toMatch(SAME_CALL);
		expect(heard).not.toMatch(/by its id/);
	});

	test('the same call goes on after a failure and pays once; after a good one it makes new media', async () => {
		let isRefused = true;
		const { hear, model } = talk(door, {
			answers: ({ method }) => (method === 'GET' && isRefused ? answer(403) : undefined),
		});
		expect(await hear()).toMatch(/gen_1/);
		isRefused = false;
		expect(await hear()).toMatch(/"id":"gen_1","status":"completed"/);
		expect(model.jobs).toHaveLength(1);
		expect(await hear()).toMatch(/"id":"gen_2","status":"completed"/);
	});

	/** The call has no arguments of its own: what it asks for comes from an expression. */
	const byExpression = (prompt: string): Partial<NodeRun> => ({
		rawParameters: {
			resource: 'image',
			operation: 'generate',
			waitForCompletion: true,
			model: byId('m'),
			prompt,
		} as NodeRun['rawParameters'],
	});

	test.each([
		"={{ $('Sheet').item.json.prompt }}",
		"=A save-the-date card: {{ $('Sheet').item.json.uuid_of_date }}, a random pose",
		"={{ $node['Sheet'].json.Date }}",
		"={{ $('Sheet').item.json.random_day.toDateTime().toFormat('yyyy') }}",
		"={{ DateTime.fromISO($('Sheet').item.json.day).year }} {{ new Date(2026, 1) }}",
		"={{ $items('Sheet')[$itemIndex].json.prompt }}",
	])('what an expression reads of another row is another call: %s', async (prompt) => {
		const { hear, model } = talk(door, { service: { jobMs: () => 60_000 } });
		const ofRow = byExpression(prompt);
		expect(await hear({ prompt: 'a cat' }, ofRow)).toMatch(/gen_1/);
		expect(await hear({ prompt: 'a dog' }, ofRow)).toMatch(/gen_2/);
		expect(await hear({ prompt: 'a cat' }, ofRow)).toMatch(/"id":"gen_1","status":"completed"/);
		expect(model.jobs.map((job) => job.prompt)).toEqual(['a cat', 'a dog']);
	});

	test.each([
		'=A clock at {{ $now }}',
		"={{ '2020-01-01'.toDateTime().diffToNow('seconds') }}",
		'=A cat {{ $runIndex }}',
		'=A cat {{ $execution.id }}',
		"={{ $('Sheet').item.json.prompt }} {{ $now.toMillis() }}",
		"={{ $('Sheet').item.json.prompt }} {{ DateTime.utc( ) }} {{ new Date( ) }}",
		"={{ $('Sheet').item.json.prompt }} {{ Date.now() }}",
		"={{ $('Sheet').item.json.poses.randomItem() }}",
		"={{ $('Sheet').item.json.prompt }} {{ $execution.id }}",
		"={{ DateTime.fromISO($('Sheet').item.json.day).diffNow('seconds').seconds }}",
		"={{ $('Sheet').item.json.prompt }} {{ DateTime.local({ zone: 'utc' }) }}",
	])('what gives something else each time is the same call: %s', async (prompt) => {
		const { hear, model } = talk(door, { service: { jobMs: () => 60_000 } });
		const ofNow = byExpression(prompt);
		expect(await hear({ prompt: 'A clock at 10:00' }, ofNow)).toMatch(/gen_1/);
		expect(await hear({ prompt: 'A clock at 10:01' }, ofNow)).toMatch(/gen_1.*completed/);
		expect(model.jobs).toHaveLength(1);
	});

	test('a call that failed makes no other call of the conversation get an old picture', async () => {
		let isRefused = false;
		const { hear } = talk(door, {
			answers: ({ method }) => (method === 'GET' && isRefused ? answer(403) : undefined),
		});
		const manual = door.mode === undefined ? ({ mode: 'manual' } as const) : {};
		const message = (id: string) => ({ ...manual, executionId: id, nodeMemory: {} });
		const [first, second] = [message('1'), message('2')];
		expect(await hear({ prompt: 'a cat' }, first)).toMatch(/gen_1/);
		isRefused = true;
		expect(await hear({ prompt: 'a dog' }, first)).toMatch(/gen_2/);
		isRefused = false;
		expect(await hear({ prompt: 'a cat' }, second)).toMatch(/gen_3/);
		// What was paid for and not given to anybody.
		expect(await hear({ prompt: 'a dog' }, second)).toMatch(/gen_2/);
		expect(await hear({ prompt: 'a dog' }, second)).toMatch(/gen_4/);
	});
});

describe("in n8n's own Agents, which have no execution", () => {
	const [, [, agents] = ['', {}]] = DOORS.slice(1);

	test('what was lost is known for a day, which begins with it', async () => {
		let isRefused = false;
		const { hear } = talk(agents, {
			answers: ({ method }) => (method === 'GET' && isRefused ? answer(403) : undefined),
		});
		expect(await hear()).toMatch(/gen_1.*completed/);
		await clock.pass(23 * HOUR);
		isRefused = true;
		expect(await hear()).toMatch(/gen_2/);
		await clock.pass(23 * HOUR);
		expect(await hear()).toMatch(/gen_2/);
		isRefused = false;
		await clock.pass(HOUR);
		expect(await hear()).toMatch(/gen_3.*completed/);
	});

	test('other parameters or arguments are another call', async () => {
		const { hear } = talk(agents, { service: { jobMs: () => HOUR } });
		expect(await hear({ prompt: 'a cat' })).toMatch(/gen_1/);
		expect(await hear({ prompt: 'a dog' })).toMatch(/gen_2/);
		expect(await hear({ prompt: 'a cat' })).toMatch(/gen_1/);
		const args = { inputData: { main: [[{ json: { prompt: 'a cat' } }]] } };
		expect(await hear({ prompt: 'a cat' }, args)).toMatch(/gen_3/);
	});

	test('Same Request gives the same picture again, and Max Credits says that it counts each call by itself', async () => {
		const same = { given: { options: { idempotency: 'content', maxCredits: 5 } } };
		const { hear, model } = talk(agents, same);
		expect(await hear()).toMatch(/"id":"gen_1".*counts each call by itself/);
		expect(await hear()).toMatch(/"id":"gen_1"/);
		expect(model.jobs).toHaveLength(1);
	});
});
