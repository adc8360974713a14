import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';
import { execute, poll } from '../../../nodes/PollingTrigger/poll';
import { triggerContext, triggerFixture, type TriggerFixture } from '../../support/triggerContext';
import type * as Instant from '../../support/instantSystemClock';
import { errorBody } from '../../model/answers';

// A read that is refused is tried again seconds later.
jest.mock('../../../src/base/clock', () =>
	jest.requireActual<typeof Instant>('../../support/instantSystemClock'),
);

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
	// The state lies under the id of the node.
	jobs.unshift(job('later'));
	world.node = { ...world.node, name: 'Renamed' };
	expect(ids(await look(world))).toEqual(['later']);
	expect(world.requests[0]?.qs).toEqual({ limit: 100 });
});

test('of two triggers in one workflow each has its own state', async () => {
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

test.each<[string, string, Partial<TriggerFixture>]>([
	[
		'for the service',
		'The generations cannot be listed: The API key is invalid',
		{ answer: () => ({ statusCode: 401, body: {} }) },
	],
	['over a filter', 'Statuses', { parameters: { statuses: [true] } }],
])('a poll that fails %s leaves what has finished to the next', async (_name, words, failing) => {
	const jobs = [job('old')];
	const world = worldOf(jobs);
	await look(world);
	jobs.push(job('a'));
	await expect(look({ ...world, ...failing })).rejects.toThrow(words);
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

	test.each([
		['whose outputs the list does not show', {}],
		['of which the list shows one output of two', { output_ids: ['n', 'o'], ...unreadable }],
	])('reads a completed generation %s', async (_, shown) => {
		const input = [{ json: { ...job('gen_lean'), ...shown } }];
		const answer = () => ({ statusCode: 200, body: { ...job('gen_lean'), ...unreadable } });
		const world = worldOf([], { input, parameters: {}, continueOnFail: true, answer });
		const [[item] = []] = await run(world);
		expect(world.requests[0]?.url).toBe('/generations/gen_lean');
		expect(item?.json.error).toContain('Output o could not be downloaded');
	});

	test('with Continue On Fail the row stays, and those without files pass', async () => {
		const input = [{ json: { ...job('gen_lost'), ...unreadable } }, ...found];
		const answer = ({ url }: { url: string }) => {
			return { statusCode: 200, body: job(url.slice('/generations/'.length)) };
		};
		const world = worldOf([], { input, parameters: {}, continueOnFail: true, answer });
		const [items] = await run(world);
		const lost = { id: 'gen_lost', error: expect.stringContaining('gen_lost') as string };
		expect(items).toMatchObject([
			{ json: lost, pairedItem: { item: 0 } },
			{ json: { id: 'a' }, pairedItem: { item: 1 } },
			{ json: { id: 'b' }, pairedItem: { item: 2 } },
		]);
		expect(items?.[1]?.json).not.toHaveProperty('error');
	});

	test('a job whose files the list does not show, and that cannot be read, is no job without files', async () => {
		const answer = () => ({ statusCode: 500 });
		const world = worldOf([], { input: found, parameters: {}, answer });
		await expect(run(world)).rejects.toThrow(/status 500 \(job a\)/);
	});

	describe.each<[shows: string, outputs: object]>([
		['no file', {}],
		['a file that is not there any more', unreadable],
	])('of which the list shows %s', (_, outputs) => {
		const input = [{ json: { ...job('gen_gone'), ...outputs } }, ...found];
		const worldWhere = (body: unknown) => {
			const answer = ({ url }: { url: string }) => {
				const id = url.slice('/generations/'.length);
				return id === 'gen_gone' ? { statusCode: 404, body } : { statusCode: 200, body: job(id) };
			};
			return worldOf([], { input, parameters: {}, answer });
		};

		test('a generation that was deleted meanwhile comes as it was, and keeps back no other', async () => {
			const [items] = await run(worldWhere(errorBody('No such generation')));
			expect(ids([items ?? []])).toEqual(['gen_gone', 'a', 'b']);
			expect(items?.map(({ json }) => json.warning)).toEqual([
				expect.stringContaining('The service does not know it any more'),
				undefined,
				undefined,
			]);
		});

		test('a page of a gateway says nothing of the generation: a retry may find its files', async () => {
			await expect(run(worldWhere('<html>Not found</html>'))).rejects.toThrow('gen_gone');
		});
	});
});

test('another workspace is not replayed; a new key of the same one loses nothing', async () => {
	const world = worldOf([]);
	const lookAs = async (apiKey: string, ...jobs: string[]) => {
		const body = { object: 'list', data: jobs.map((id) => job(id)) };
		const credential = { ...world.credential, apiKey };
		return ids(await look({ ...world, credential, answer: () => ({ statusCode: 200, body }) }));
	};
	await lookAs('a-key', 'old');
	expect(await lookAs('a-new-key-of-the-same', 'new', 'old')).toEqual(['new']);
	expect(await lookAs('a-key-of-another-workspace', 'theirs_1')).toBeUndefined();
	expect(await lookAs('a-key-of-another-workspace', 'theirs_2', 'theirs_1')).toEqual(['theirs_2']);
});

test('who comes back to a workspace misses nothing of it, also with a new key; the oldest of four is forgotten', async () => {
	const world = worldOf([]);
	const made = new Map<string, object[]>();
	const lookAt = async (workspace: string, key = workspace) => {
		const body = { object: 'list', data: made.get(workspace) ?? [] };
		const credential = { ...world.credential, apiKey: `key-of-${key}` };
		return ids(await look({ ...world, credential, answer: () => ({ statusCode: 200, body }) }));
	};
	const make = (workspace: string, id: string) =>
		made.set(workspace, [job(id), ...(made.get(workspace) ?? [])]);
	for (const workspace of ['a', 'b', 'c']) {
		make(workspace, `${workspace}_old`);
		expect(await lookAt(workspace)).toBeUndefined();
	}
	make('a', 'a_1');
	expect(await lookAt('a')).toEqual(['a_1']);
	make('b', 'b_1');
	expect(await lookAt('b', 'b-renewed')).toEqual(['b_1']);
	make('c', 'c_1');
	expect(await lookAt('c')).toEqual(['c_1']);
	make('d', 'd_old');
	expect(await lookAt('d')).toBeUndefined();
	make('a', 'a_2');
	make('b', 'b_2');
	expect(await lookAt('b', 'b-renewed')).toEqual(['b_2']);
	expect(await lookAt('a')).toBeUndefined();
});

test('a poll that begins while another is running does nothing', async () => {
	const jobs: object[] = [];
	const world = worldOf(jobs);
	await look(world);
	jobs.push(job('a'));
	const results = await Promise.all([look(world), look(world), look(world)]);
	expect(results.flatMap((result) => ids(result) ?? [])).toEqual(['a']);
});

describe('a running generation that the list does not show any more', () => {
	/** Looks until then, while a read of the generation says that there is none. */
	async function lookAtGone(body: unknown, statusCode = 404) {
		const slow = job('slow', 'queued');
		const listed = [slow];
		const list = { object: 'list', data: listed, has_more: false };
		let read = { statusCode, body };
		const world = worldOf(listed, {
			answer: ({ url }) => (url === '/generations' ? { statusCode: 200, body: list } : read),
		});
		await look(world);
		listed.splice(0, 1, job('new'));
		await look(world);
		slow.status = 'completed';
		read = { statusCode: 200, body: slow };
		return ids(await look(world));
	}

	test('is not lost by a page of a gateway in its place', async () => {
		expect(await lookAtGone('<html>')).toEqual(['slow']);
	});

	test.each([404, 410])('is not asked for again once the service says %i', async (statusCode) => {
		expect(await lookAtGone(errorBody('No such generation'), statusCode)).toBeUndefined();
	});
});
