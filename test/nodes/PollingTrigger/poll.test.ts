import type { IExecuteFunctions, IHttpRequestOptions, IPollFunctions } from 'n8n-workflow';
import { execute } from '../../../nodes/PollingTrigger/execute';
import { poll } from '../../../nodes/PollingTrigger/poll';
import { ProcessedItems } from '../../support/processedItems';
import { triggerContext, triggerFixture, type TriggerFixture } from '../../support/triggerContext';

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

/** The same where tries that fail are repeated: what they wait for is over at once. */
async function runThroughRetries(world: TriggerFixture) {
	jest.useFakeTimers();
	try {
		const ended = run(world).then(
			(result) => () => result,
			(error: unknown) => () => {
				throw error;
			},
		);
		await jest.runAllTimersAsync();
		return (await ended)();
	} finally {
		jest.useRealTimers();
	}
}

const ids = (result: Awaited<ReturnType<typeof look>>) => result?.[0]?.map(({ json }) => json.id);

test('the first poll records what exists, later ones emit what has finished since', async () => {
	const jobs = [job('old'), job('running', 'queued')];
	const world = worldOf(jobs);
	expect(await look(world)).toBeNull();
	jobs[1] = job('running');
	jobs.unshift(job('new'));
	expect(ids(await look(world))).toEqual(['running', 'new']);
	expect(await look(world)).toBeNull();
});

test.each([
	[{ statuses: ['completed', 'partially_completed', 'failed'] }, ['a', 'b', 'c', 'd', 'e']],
	[{ statuses: ['failed'] }, ['c']],
	[{ statuses: ['partially_completed', 'failed'] }, ['b', 'c']],
	[{ statuses: ['completed'], options: { modes: ['video'] } }, ['d']],
	[{ statuses: ['completed'], options: { models: ['studio/image-2'] } }, ['e']],
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

test('a change of the filter does not bring back what was passed over', async () => {
	const jobs: object[] = [];
	const world = worldOf(jobs);
	await look(world);
	jobs.push(job('a', 'failed'));
	expect(await look(world)).toBeNull();
	world.parameters = { statuses: ['completed', 'failed'] };
	expect(await look(world)).toBeNull();
});

test('a manual run shows ten of the newest that match, and remembers nothing', async () => {
	const jobs = Array.from({ length: 30 }, (_, each) =>
		job(`gen_${each}`, each % 2 ? 'completed' : 'failed'),
	);
	const world = worldOf(jobs, { mode: 'manual', input: [{ json: {} }] });
	expect(ids(await run(world))).toEqual(
		Array.from({ length: 10 }, (_, each) => `gen_${2 * each + 1}`),
	);
	expect(world.staticData).toEqual({});
	await expect(run(worldOf([job('a', 'queued')], { mode: 'manual' }))).rejects.toThrow(
		'No finished generation matches',
	);
});

describe('n8n saves the state of a poll before it creates the execution', () => {
	/** The node in a process of its own: what it remembers beyond n8n's data is gone. */
	function newProcess() {
		let own = { poll, execute };
		jest.isolateModules(() => {
			own = {
				...(jest.requireActual('../../../nodes/PollingTrigger/poll') as { poll: typeof poll }),
				...(jest.requireActual('../../../nodes/PollingTrigger/execute') as {
					execute: typeof execute;
				}),
			};
		});
		return own;
	}

	const items = new ProcessedItems();

	/** A look, and the execution that n8n makes of it if it can. */
	async function pollIn(
		process: ReturnType<typeof newProcess>,
		world: TriggerFixture,
		{ canMake = true, elsewhere = false } = {},
	) {
		const found = await process.poll.call(triggerContext<IPollFunctions>(world));
		// The state survives in n8n's database.
		world.staticData = structuredClone(world.staticData);
		if (!found || !canMake) return [];
		const memory = {};
		const base = triggerContext<{ helpers: object }>(
			{ ...world, input: found[0] as TriggerFixture['input'] },
			{ getExecutionCancelSignal: () => undefined, getContext: () => memory },
		);
		const runs = elsewhere ? newProcess() : process;
		return ids(await runs.execute.call(items.contextOf(world.node, base))) ?? [];
	}

	test('what was given and died with n8n comes again, once', async () => {
		const jobs = [job('old')];
		const world = worldOf(jobs);
		const process = newProcess();
		await pollIn(process, world);
		jobs.push(job('a'), job('b'), job('failed', 'failed'));
		expect(await pollIn(process, world, { canMake: false })).toEqual([]);
		const next = newProcess();
		expect((await pollIn(next, world)).sort()).toEqual(['a', 'b']);
		expect(await pollIn(next, world)).toEqual([]);
		expect(await pollIn(newProcess(), world)).toEqual([]);
	});

	test('what had arrived before n8n died does not start anything again', async () => {
		const jobs = [job('old')];
		const world = worldOf(jobs);
		const process = newProcess();
		await pollIn(process, world);
		jobs.push(job('c'));
		expect(await pollIn(process, world)).toEqual(['c']);
		expect(await pollIn(newProcess(), world)).toEqual([]);
	});

	test('what n8n could not make an execution of comes again until it can', async () => {
		const jobs = [job('old')];
		const world = worldOf(jobs);
		const process = newProcess();
		await pollIn(process, world);
		jobs.push(job('d'));
		expect(await pollIn(process, world)).toEqual(['d']);
		jobs.push(job('e'));
		expect(await pollIn(process, world, { canMake: false })).toEqual([]);
		expect(await pollIn(process, world, { canMake: false })).toEqual([]);
		expect(await pollIn(process, world)).toEqual(['e']);
		expect(await pollIn(process, world)).toEqual([]);
		expect(world.staticData.state).not.toHaveProperty('given');
	});

	test('a poll that fails does not make what has arrived come again', async () => {
		const jobs = [job('old')];
		const world = worldOf(jobs);
		const process = newProcess();
		await pollIn(process, world);
		jobs.push(job('i'));
		expect(await pollIn(process, world)).toEqual(['i']);
		const { answer } = world;
		world.answer = () => ({ statusCode: 401, body: {} });
		await expect(pollIn(process, world)).rejects.toThrow('cannot be listed');
		world.answer = answer;
		expect(await process.poll.call(triggerContext<IPollFunctions>(world))).toBeNull();
	});

	test('in queue mode, where executions run elsewhere, nothing is given twice without need', async () => {
		const jobs = [job('old')];
		const world = worldOf(jobs);
		const process = newProcess();
		await pollIn(process, world, { elsewhere: true });
		jobs.push(job('f'));
		expect(await pollIn(process, world, { elsewhere: true })).toEqual(['f']);
		expect(await process.poll.call(triggerContext<IPollFunctions>(world))).toBeNull();
	});

	test('a database that fails lets everything through', async () => {
		const jobs = [job('old')];
		const world = worldOf(jobs);
		const process = newProcess();
		await pollIn(process, world);
		jobs.push(job('g'), job('h'));
		items.fail = () => {
			throw new Error('the database is gone');
		};
		expect((await pollIn(process, world)).sort()).toEqual(['g', 'h']);
		items.fail = () => {};
	});
});

describe('the execution that a poll has started', () => {
	const found = [{ json: job('a') }, { json: job('b') }];

	test('passes on what was found and asks nothing', async () => {
		const world = worldOf([], { input: found });
		expect(await run(world)).toEqual([found]);
		expect(world.requests).toEqual([]);
	});

	const unreadable = { outputs: [{ id: 'o', url: 'https://files.example/o.png' }] };
	const options = { options: { downloadOutputs: true } };

	test('fails with Download Outputs when a file cannot be had, and names its generation', async () => {
		const input = [{ json: { ...job('gen_lost'), ...unreadable } }];
		const world = worldOf([], { input, parameters: options });
		await expect(runThroughRetries(world)).rejects.toThrow(/gen_lost/);
	});

	test('reads a completed generation whose outputs the list does not show', async () => {
		const input = [{ json: job('gen_lean') }];
		const world = worldOf([], { input, parameters: options, continueOnFail: true });
		world.answer = () => ({ statusCode: 200, body: { ...job('gen_lean'), ...unreadable } });
		const [[item] = []] = await runThroughRetries(world);
		expect(world.requests[0]?.url).toBe('/generations/gen_lean');
		expect(item?.json.error).toContain('Output o could not be downloaded');
	});

	test('with Continue On Fail the row stays, and those without files pass', async () => {
		const input = [{ json: { ...job('gen_lost'), ...unreadable } }, ...found];
		const world = worldOf([], { input, parameters: options, continueOnFail: true });
		const [items = []] = await runThroughRetries(world);
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

test('another workspace is not replayed; a new key of the same one loses nothing', async () => {
	const world = worldOf([job('old')]);
	await look(world);
	const { credential } = world;
	world.credential = { ...credential, apiKey: 'a new key of the same' };
	const list =
		(...jobs: object[]) =>
		() => ({ statusCode: 200, body: { data: jobs } });
	world.answer = list(job('new'), job('old'));
	expect(ids(await look(world))).toEqual(['new']);
	world.credential = { ...credential, apiKey: 'a key of another workspace' };
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

test('a field named error does not make n8n take the item for a failure', async () => {
	const jobs: object[] = [];
	const world = worldOf(jobs, { parameters: { statuses: ['failed'] } });
	await look(world);
	jobs.push({ ...job('a', 'failed'), error: { message: 'no light' } });
	const [[item] = []] = (await look(world)) ?? [];
	expect(item?.json).toMatchObject({ id: 'a', failure: { message: 'no light' } });
	expect(item?.json).not.toHaveProperty('error');
});

test('a key without the scope to list is refused before anything is sent', async () => {
	const world = worldOf([]);
	world.credential = { ...world.credential, scopes: ['models:read'] };
	await expect(look(world)).rejects.toThrow('generations:read');
	expect(world.requests).toEqual([]);
});

test('pages are asked for at their largest', async () => {
	const world = worldOf([]);
	await look(world);
	const [{ qs } = {} as IHttpRequestOptions] = world.requests;
	expect(qs).toEqual({ limit: 100 });
});
