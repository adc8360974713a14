import type { INodeParameters } from 'n8n-workflow';
import { ModelServer } from '../../lab/model/server';
import { nodeName, triggerName, workflowOf, type NodeRun } from '../../lab/n8n/nodeWorkflow';
import { read } from '../support/sources';
import { agentWorkflow, type Caller } from './support/agentWorkflow';
import { rest } from './support/harness';
import { createParameters } from './support/media';
import { closing, ownSandbox } from './support/ownSandbox';
import { until } from './support/until';
import { travel, type Way } from './support/ways';

/*
 * The table of docs/paid-once.md, each of its cells played as whole runs in a real n8n, of one process.
 */

const PROMPT = 'A lighthouse at dawn';

/** *Avoid Paying Twice*, by the heading of its column. */
const MODES: Record<string, INodeParameters> = {
	'On Retries (default)': {},
	'Same Request Within 24 Hours': { idempotency: 'content' },
	'Own Key': { idempotency: 'custom', idempotencyKey: 'lighthouse-1' },
	Off: { idempotency: 'none' },
};

type World = Awaited<ReturnType<typeof ownSandbox>>;

/** Somebody who asks for the same picture twice: the node is run once, and then once more. */
interface Door {
	name: string;
	/** @param options those of the node, with the mode of the column */
	ask(world: World, options: INodeParameters): Promise<unknown>;
}

/**
 * The job is made and paid for, but so many tries of the node cannot read it. Under a key that executions
 * share it is read once more, as it may be an earlier one.
 */
async function lose({ sandbox }: World, { idempotency }: INodeParameters, tries = 1) {
	const isShared = idempotency === 'content' || idempotency === 'custom';
	const times = isShared ? 2 * tries : tries;
	await sandbox.setFaults([
		{ kind: 'status_before', operations: ['getGeneration'], status: 403, times },
	]);
}

/** So many requests for a job are refused, and nothing is made. */
async function refuse({ sandbox }: World, times: number) {
	await sandbox.setFaults([
		{ kind: 'status_before', operations: ['createGeneration'], status: 403, times },
	]);
}

const pictureOf = (options: INodeParameters, more: Record<string, unknown> = {}) =>
	createParameters({ prompt: PROMPT, downloadOutputs: false, options, ...more });

const ended = async (execution: string, status: string) => {
	const run = await rest.executions.wait(execution, { timeoutMs: 100_000 });
	expect(run.status).toBe(status);
};

const journeyOf = async ({ credential }: World, way: Way, options: INodeParameters, rows = 1) =>
	await travel({
		way,
		node: 'mediaGen',
		parameters: pictureOf(options),
		credential,
		rows: Array.from({ length: rows }, () => ({ p: PROMPT })),
	});

/** Runs a workflow with our node alone. */
async function runAlone({ credential }: World, options: INodeParameters, more: Partial<NodeRun>) {
	const type = 'n8n-nodes-mediagen.mediaGen';
	const workflow = workflowOf({ type, credential, parameters: pictureOf(options), ...more });
	if (more.onError === 'continueErrorOutput')
		workflow.connections[nodeName] = {
			main: [[], [{ node: nodeName, type: 'main', index: 0 }]],
		};
	const { id } = await rest.workflows.create(workflow);
	await ended(await rest.workflows.run(id, triggerName), 'success');
}

/** Two calls of an AI agent with the same arguments, one after the other. */
async function callTwice(world: World, caller: Caller, options: INodeParameters) {
	const model = await ModelServer.start();
	closing.push(model.close);
	const openAi = { apiKey: 'none', url: model.baseUrl };
	const script = { rounds: [[{ args: { prompt: PROMPT } }], [{ args: { prompt: PROMPT } }]] };
	const workflow = agentWorkflow({
		caller,
		scripts: [script],
		parameters: pictureOf(options, { prompt: "={{ $fromAI('prompt') }}" }),
		model: await rest.credentials.create('openAiApi', 'Scripted model', openAi),
		mediaGen: world.credential,
	});
	const { id } = await rest.workflows.create(workflow);
	await ended(await rest.workflows.run(id, triggerName), 'success');
	expect(model.takeCalls()).toHaveLength(2);
}

const clickTwice = async (world: World, options: INodeParameters, first: 'error' | 'success') => {
	const journey = await journeyOf(world, 'editor', options);
	const execution = await journey.begin();
	await ended(execution, first);
	await journey.goOn(execution);
};

const callers: Caller[] = ['Agent 2.2', 'Agent 3.1'];

/** Who asks again, by the row of the page. */
const DOORS: Record<string, Door[]> = {
	'another try of the node (_Retry On Fail_)': [
		{
			name: 'Retry On Fail',
			async ask(world, options) {
				await lose(world, options);
				await runAlone(world, options, { retry: { maxTries: 2, waitBetweenTries: 10 } });
			},
		},
	],
	'another round of the same execution, after a failed row': [
		{
			name: 'the error output leads back into the node',
			async ask(world, options) {
				await lose(world, options);
				await runAlone(world, options, { onError: 'continueErrorOutput' });
			},
		},
	],
	'an AI agent that repeats a call which has not ended': callers.map((caller) => ({
		name: caller,
		async ask(world, options) {
			await world.sandbox.settings({ jobSeconds: { image: 300 }, jobJitter: 0 });
			await callTwice(world, caller, { ...options, waitTimeout: 0.04 });
		},
	})),
	'_Retry_ of a failed execution, however often': [
		{
			name: 'Retry of a published workflow that fails once more',
			async ask(world, options) {
				// With the mode Off the retry pays, and is not refused.
				await lose(world, options, 2);
				const journey = await journeyOf(world, 'production', options);
				const execution = await journey.begin();
				await ended(execution, 'error');
				const again = await journey.goOn(execution);
				expect(again.status).toBe('error');
				await world.sandbox.setFaults([]);
				if (options.idempotency === 'none') return;
				expect((await journey.goOn(again.id)).status).toBe('success');
			},
		},
		{
			name: 'Retry of the first execution once more, after a retry of its retry has made the job',
			async ask(world, options) {
				await refuse(world, 2);
				const journey = await journeyOf(world, 'production', options);
				const execution = await journey.begin();
				await ended(execution, 'error');
				const retry = await journey.goOn(execution);
				expect(retry.status).toBe('error');
				// However often a retry reads it.
				await lose(world, options, 10);
				expect((await journey.goOn(retry.id)).status).toBe('error');
				await world.sandbox.setFaults([]);
				expect((await journey.goOn(execution)).status).toBe('success');
			},
		},
		{
			name: 'Retry of a sub-workflow',
			async ask(world, options) {
				await lose(world, options);
				const journey = await journeyOf(world, 'nested', options);
				const execution = await journey.begin();
				await ended(execution, 'error');
				await journey.goOn(execution);
			},
		},
	],
	'_Retry_ of a stopped execution, however often': [
		{
			name: 'Retry of a published workflow that was stopped',
			async ask(world, options) {
				await world.sandbox.settings({ jobSeconds: { image: 600 }, jobJitter: 0 });
				const journey = await journeyOf(world, 'production', options);
				const execution = await journey.begin();
				await until(async () => (await world.charged()).length === 1, 60_000);
				await journey.stop(execution);
				await journey.goOn(execution);
			},
		},
	],
	'the next click in the editor, after an error, a stop or a failed row': [
		{
			name: 'a click after an error',
			async ask(world, options) {
				await lose(world, options);
				await clickTwice(world, options, 'error');
			},
		},
		{
			name: 'Debug in editor after an error in production',
			async ask(world, options) {
				await lose(world, options);
				const journey = await journeyOf(world, 'production', options);
				await ended(await journey.begin(), 'error');
				expect((await journey.debug()).status).toBe('success');
			},
		},
	],
	'a click, a round or a call after a good one': [
		{
			name: 'a click',
			ask: async (world, options) => await clickTwice(world, options, 'success'),
		},
		{
			name: 'a round of Loop Over Items',
			async ask(world, options) {
				const journey = await journeyOf(world, 'loop', options, 2);
				expect((await journey.ended(await journey.begin())).status).toBe('success');
			},
		},
		...callers.map((caller) => ({
			name: caller,
			ask: async (world: World, options: INodeParameters) =>
				await callTwice(world, caller, options),
		})),
	],
	'another execution in production, or another call of a sub-workflow': (
		[
			['another call of a webhook', 'production'],
			['another call of a sub-workflow', 'nested'],
		] as const
	).map(([name, way]) => ({
		name,
		async ask(world, options) {
			const journey = await journeyOf(world, way, options);
			await ended(await journey.begin(), 'success');
			await ended(await journey.begin(), 'success');
		},
	})),
};

/** The rows of the page: who asks, and what is said of each mode. */
function rowsOfPage(): Array<[who: string, said: Record<string, string>]> {
	const lines = read('docs/paid-once.md')
		.split('\n')
		.filter((line) => line.startsWith('|'));
	const [head = [], , ...rows] = lines.map((line) =>
		line
			.split('|')
			.slice(1, -1)
			.map((cell) => cell.trim()),
	);
	return rows.map(([who = '', ...cells]) => [
		who,
		Object.fromEntries(cells.map((cell, index) => [head[index + 1] ?? '', cell])),
	]);
}

const ROWS = rowsOfPage();

test('each row of the page is played', () => {
	expect(ROWS.map(([who]) => who)).toEqual(Object.keys(DOORS));
	for (const [, said] of ROWS) expect(Object.keys(said)).toEqual(Object.keys(MODES));
});

const CELLS = ROWS.flatMap(([who, said]) =>
	(DOORS[who] ?? []).flatMap((door) =>
		Object.entries(MODES).map(
			([mode, options]): [string, string, string, INodeParameters, Door] => [
				door.name,
				mode,
				said[mode] ?? '',
				options,
				door,
			],
		),
	),
);

it.concurrent.each(CELLS)(
	'%s, %s: %s',
	async (_name, _mode, said, options, door) => {
		const world = await ownSandbox({ jobSeconds: { image: 1 } });
		await door.ask(world, options);
		expect(await world.charged()).toHaveLength(said === 'pays' ? 2 : 1);
	},
	240_000,
);
