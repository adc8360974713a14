import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';
import { execute } from '../../../nodes/PollingTrigger/execute';
import { poll } from '../../../nodes/PollingTrigger/poll';
import {
	stateIn,
	triggerContext,
	triggerFixture,
	type TriggerFixture,
} from '../../support/triggerContext';
import { errorBody } from '../../model/answers';
import type { InstantClock } from '../../model/instantClock';

// A read that is refused is tried again seconds later.
jest.mock('../../../src/base/clock', () => {
	const { InstantClock: Clock } = jest.requireActual<{ InstantClock: typeof InstantClock }>(
		'../../model/instantClock',
	);
	return { systemClock: new Clock() };
});

const job = (id: string, status = 'completed', mode = 'image', model = 'studio/image-1') => ({
	id,
	object: 'generation',
	status,
	mode,
	model,
});

/** A service that lists these generations on one page. */
function worldOf(jobs: object[], more: Partial<TriggerFixture> = {}): TriggerFixture {
	const answer = () => ({ statusCode: 200, body: { object: 'list', data: jobs, has_more: false } });
	return triggerFixture({
		answer,
		mode: 'trigger',
		parameters: { statuses: ['completed'] },
		...more,
	});
}

const look = async (world: TriggerFixture) =>
	await poll.call(triggerContext<IPollFunctions>(world));

/** What the node does in the execution that a poll has started, or in the editor. */
const run = async (world: TriggerFixture) =>
	await execute.call(
		triggerContext<IExecuteFunctions>(world, { getExecutionCancelSignal: () => undefined }),
	);

const ids = (result: Awaited<ReturnType<typeof look>>) => result?.[0]?.map(({ json }) => json.id);

test('the first poll records what exists, later ones emit what has finished since', async () => {
	const jobs = [job('old'), job('running', 'queued')];
	const world = worldOf(jobs);
	expect(await look(world)).toBeNull();
	jobs[1] = job('running');
	jobs.unshift(job('new'));
	expect(ids(await look(world))).toEqual(['running', 'new']);
	expect(await look(world)).toBeNull();
	expect(world.requests[0]?.qs).toEqual({ limit: 100 });
});

test.each([
	[{ statuses: ['completed', 'partially_completed', 'failed'] }, ['a', 'b', 'c', 'd', 'e']],
	[{ statuses: ['partially_completed', 'failed'] }, ['b', 'c']],
	[{ statuses: ['completed'], options: { modes: ['video'] } }, ['d']],
	[{ statuses: [], options: { modes: ['image'], models: ['studio/image-1'] } }, ['a', 'b', 'c']],
])('%j gives %j', async (parameters, expected) => {
	const jobs: object[] = [];
	const world = worldOf(jobs, { parameters });
	await look(world);
	jobs.push(job('a'), job('b', 'partially_completed'), job('c', 'failed'));
	jobs.push(
		job('d', 'completed', 'video', 'studio/video-1'),
		job('e', 'completed', 'image', 'studio/image-2'),
	);
	expect(ids(await look(world))?.sort()).toEqual(expected);
});

test('a manual run shows three of the newest that match, what tells them apart first, and remembers nothing', async () => {
	const jobs = Array.from({ length: 30 }, (_, each) => ({
		...job(`gen_${each}`, each % 2 ? 'completed' : 'failed'),
		prompt: `Hill ${each}`,
	}));
	const parameters = { statuses: ['completed'], downloadOutputs: false };
	const world = worldOf(jobs, { mode: 'manual', input: [{ json: {} }], parameters });
	const shown = await run(world);
	expect(ids(shown)).toEqual(['gen_1', 'gen_3', 'gen_5']);
	const names = Object.keys(shown[0]?.[0]?.json ?? {});
	expect(names.slice(0, 4)).toEqual(['prompt', 'status', 'model', 'mode']);
	expect(world.staticData).toEqual({});
	await expect(run(worldOf([job('a', 'queued')], { mode: 'manual' }))).rejects.toThrow(
		'Nothing that has finished matches',
	);
});

test('a poll that fails over a filter leaves what has finished to the next', async () => {
	const jobs = [job('old')];
	const world = worldOf(jobs);
	await look(world);
	jobs.push(job('a'));
	const { parameters } = world;
	world.parameters = { ...parameters, statuses: [true] };
	await expect(look(world)).rejects.toThrow('Statuses');
	world.parameters = parameters;
	expect(ids(await look(world))).toEqual(['a']);
});

describe('the execution that a poll has started', () => {
	const found = [{ json: job('a') }, { json: job('b') }];

	test('passes on what was found and asks nothing', async () => {
		const world = worldOf([], { input: found, parameters: { downloadOutputs: false } });
		expect(await run(world)).toEqual([found]);
		expect(world.requests).toEqual([]);
	});

	const unreadable = { outputs: [{ id: 'o', url: 'https://files.example/o.png' }] };
	const parameters = {};

	test.each([
		['whose outputs the list does not show', {}],
		[
			'of which the list shows one output of two',
			{ output_ids: ['n', 'o'], outputs: unreadable.outputs },
		],
	])('reads a completed generation %s', async (_, shown) => {
		const input = [{ json: { ...job('gen_lean'), ...shown } }];
		const world = worldOf([], { input, parameters, continueOnFail: true });
		world.answer = () => ({ statusCode: 200, body: { ...job('gen_lean'), ...unreadable } });
		const [[item] = []] = await run(world);
		expect(world.requests[0]?.url).toBe('/generations/gen_lean');
		expect(item?.json.error).toContain('Output o could not be downloaded');
	});

	test('with Continue On Fail the row stays, and those without files pass', async () => {
		const input = [{ json: { ...job('gen_lost'), ...unreadable } }, ...found];
		const world = worldOf([], { input, parameters, continueOnFail: true });
		const [items = []] = await run(world);
		expect(items.map(({ json }) => json.id)).toEqual(['gen_lost', 'a', 'b']);
		expect(items.map(({ json }) => json.error)).toEqual([
			expect.stringContaining('gen_lost'),
			undefined,
			undefined,
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
	});
});

describe('the state', () => {
	test('lies under the id of the node, so that a rename loses and repeats nothing', async () => {
		const jobs = [job('old')];
		const world = worldOf(jobs);
		await look(world);
		jobs.unshift(job('a'));
		expect(ids(await look(world))).toEqual(['a']);
		jobs.unshift(job('between'));
		world.node = { ...world.node, name: 'Renamed' };
		expect(ids(await look(world))).toEqual(['between']);
		expect(stateIn(world)).toMatchObject({ seen: ['between', 'a', 'old'] });
	});

	test('of two triggers in one workflow is not mixed up', async () => {
		const jobs = [job('old')];
		const first = worldOf(jobs);
		const second = { ...first, node: { ...first.node, id: `${first.node.id}-2` } };
		await look(first);
		jobs.unshift(job('a'));
		await look(second);
		jobs.unshift(job('b'));
		expect(ids(await look(first))).toEqual(['a', 'b']);
		expect(ids(await look(second))).toEqual(['b']);
	});
});

test('another workspace is not replayed; a new key of the same one loses nothing', async () => {
	const world = worldOf([job('old')]);
	await look(world);
	const { credential } = world;
	world.credential = { ...credential, apiKey: 'a-new-key-of-the-same' };
	const list =
		(...jobs: object[]) =>
		() => ({ statusCode: 200, body: { data: jobs } });
	world.answer = list(job('new'), job('old'));
	expect(ids(await look(world))).toEqual(['new']);
	world.credential = { ...credential, apiKey: 'a-key-of-another-workspace' };
	world.answer = list(job('theirs_1'), job('theirs_2'));
	expect(await look(world)).toBeNull();
	world.answer = list(job('theirs_3'), job('theirs_1'), job('theirs_2'));
	expect(ids(await look(world))).toEqual(['theirs_3']);
});

test('a poll that fails gives the reason and changes nothing', async () => {
	const world = worldOf([job('old')]);
	await look(world);
	const before = JSON.stringify(world.staticData);
	world.answer = () => ({ statusCode: 401, body: {} });
	await expect(look(world)).rejects.toThrow(
		'The generations cannot be listed: The API key is invalid',
	);
	expect(JSON.stringify(world.staticData)).toBe(before);
});

test('a poll that begins while another is running does nothing', async () => {
	const jobs: object[] = [];
	const world = worldOf(jobs);
	await look(world);
	jobs.push(job('a'));
	const results = await Promise.all([look(world), look(world), look(world)]);
	expect(results.flatMap((result) => ids(result) ?? [])).toEqual(['a']);
});

test('a page of a gateway in place of a running generation does not lose it', async () => {
	const slow = job('slow', 'queued');
	const listed = [slow];
	let hasGateway = false;
	const world = worldOf(listed, {
		answer: ({ url }) => {
			if (url === '/generations')
				return { statusCode: 200, body: { object: 'list', data: listed, has_more: false } };
			return hasGateway ? { statusCode: 404, body: '<html>' } : { statusCode: 200, body: slow };
		},
	});
	await look(world);
	// The list shows newer ones only.
	listed.splice(0, 1, job('new'));
	hasGateway = true;
	await look(world);
	hasGateway = false;
	slow.status = 'completed';
	const [items] = (await look(world)) ?? [];
	expect(items?.map(({ json }) => json.id)).toEqual(['slow']);
});

test('a generation that the service does not know any more is not asked for again', async () => {
	const listed = [job('lost', 'queued')];
	const world = worldOf(listed, {
		answer: ({ url }) =>
			url === '/generations'
				? { statusCode: 200, body: { object: 'list', data: listed, has_more: false } }
				: { statusCode: 404, body: errorBody('No such generation') },
	});
	await look(world);
	listed.splice(0, 1, job('new'));
	await look(world);
	await look(world);
	const reads = world.requests.filter(({ url }) => url === '/generations/lost');
	expect(reads).toHaveLength(1);
});
