/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import type {
	DeclarativeRestApiSettings,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import { nodeContext, nodeRun, type NodeRun } from '../../test/support/nodeContext';
import { median, type Figure } from '../report/table';

/**
 * What our code does in one go with many items: the time of the hooks that prepare them, and the longest turn of the event loop
 * afterwards. n8n's own work is left out: its parameters cost nothing here, and each answer, from the service as from n8n's
 * database, comes in a turn of its own. Run with
 * n8n's Node: `node --single-threaded-gc --max-semi-space-size=128 --import tsx bench/micro/steps.ts`.
 */

const FEW = 1_000;
const MANY = 10_000;

const UNLIMITED = 1_000_000_000;

type Answer = { status: number; body: Record<string, unknown> };

interface Scene {
	name: string;
	answer: (options: IHttpRequestOptions, item: number) => Answer;
	continueOnFail?: boolean;
	/** Requests a minute and jobs at a time; default: no limit. */
	limits?: { requestsPerMinute: number; concurrentJobs: number };
	/** Cancels the execution after this many requests, or once each item has sent one. */
	cancelAfter?: number | 'each';
}

const job = (item: number, status: string) => ({
	id: `gen_${item}`,
	object: 'generation',
	model: 'm',
	status,
});

const ended =
	(status: string) =>
	(_: unknown, item: number): Answer => ({ status: 202, body: job(item, status) });

const SCENES: Scene[] = [
	{ name: 'all succeed', answer: ended('completed') },
	{ name: 'all jobs fail, Continue On Fail', answer: ended('failed'), continueOnFail: true },
	{ name: 'all jobs fail', answer: ended('failed') },
	{
		name: 'all are refused, Continue On Fail',
		answer: () => ({ status: 422, body: { error: { message: 'no' } } }),
		continueOnFail: true,
	},
	{
		name: 'the first is refused, and the run halts',
		answer: () => ({ status: 401, body: { error: { message: 'no' } } }),
	},
	{
		name: 'the same with Continue On Fail',
		answer: () => ({ status: 401, body: { error: { message: 'no' } } }),
		continueOnFail: true,
	},
	{
		name: 'cancelled while all wait',
		answer: ended('queued'),
		limits: { requestsPerMinute: 60, concurrentJobs: 5 },
		cancelAfter: 5,
	},
	{
		name: 'cancelled while all wait, Continue On Fail',
		answer: ended('queued'),
		limits: { requestsPerMinute: 60, concurrentJobs: 5 },
		cancelAfter: 5,
		continueOnFail: true,
	},
	{ name: 'cancelled while all jobs run', answer: ended('queued'), cancelAfter: 'each' },
	{
		name: 'cancelled while all jobs run, Continue On Fail',
		answer: ended('queued'),
		cancelAfter: 'each',
		continueOnFail: true,
	},
];

/** Resolves one promise in each turn of the event loop. */
class OnePerTurn {
	private readonly queue: Array<() => void> = [];

	private isRunning = false;

	next(): Promise<void> {
		return new Promise((resolve) => {
			this.queue.push(resolve);
			this.run();
		});
	}

	private run(): void {
		if (this.isRunning) return;
		this.isRunning = true;
		let at = 0;
		const turn = () => {
			this.queue[at]?.();
			at += 1;
			if (at < this.queue.length) setImmediate(turn);
			else {
				this.queue.length = 0;
				this.isRunning = false;
			}
		};
		setImmediate(turn);
	}
}

/** Times of V8's garbage collector, which runs when it wants and is not one of our steps. */
const collections: Array<{ from: number; to: number }> = [];

new PerformanceObserver((list) => {
	for (const { startTime, duration } of list.getEntries())
		collections.push({ from: startTime, to: startTime + duration });
}).observe({ entryTypes: ['gc'] });

const collecting = (from: number, to: number) =>
	collections.reduce(
		(sum, one) => sum + Math.max(0, Math.min(to, one.to) - Math.max(from, one.from)),
		0,
	);

/** One turn of the event loop. */
interface LoopTurn {
	from: number;
	to: number;
	/** Milliseconds of this process's CPU, so that other work on the machine does not count. */
	cpu: number;
}

/** Watches every turn of the event loop until stopped. @returns the longest without the collector, in milliseconds */
function watchTurns(): () => Promise<number> {
	const long: LoopTurn[] = [];
	let isOver = false;
	let from = performance.now();
	let used = process.cpuUsage();
	const observe = () => {
		const to = performance.now();
		const { user, system } = process.cpuUsage(used);
		if (to - from > 5) long.push({ from, to, cpu: (user + system) / 1_000 });
		from = to;
		used = process.cpuUsage();
		if (!isOver) setImmediate(observe);
	};
	setImmediate(observe);
	return async () => {
		isOver = true;
		// The collections are announced later.
		await new Promise((resolve) => setTimeout(resolve, 50));
		return Math.max(0, ...long.map((turn) => turn.cpu - collecting(turn.from, turn.to)));
	};
}

type Pagination = (
	this: IExecutePaginationFunctions,
	data: DeclarativeRestApiSettings.ResultOptions,
) => Promise<INodeExecutionData[]>;

/** Of the node as it is published; it must have been built. */
function createRouting(): INodePropertyRouting {
	const file = path.resolve(__dirname, '../../dist/nodes/MediaGen/MediaGen.node.js');
	const { MediaGen } = createRequire(__filename)(
		file,
	) as typeof import('../../nodes/MediaGen/MediaGen.node');
	const { properties } = new MediaGen().description;
	const options = properties.find(({ name }) => name === 'operation')?.options ?? [];
	for (const option of options)
		if ('value' in option && option.value === 'create' && option.routing) return option.routing;
	throw new Error('The node has no operation create');
}

let keys = 0;

interface Measured {
	/** Milliseconds of CPU until all items are prepared, without the collector. */
	prepared: number;
	/** Milliseconds of CPU of the longest turn afterwards. */
	longest: number;
	/** Milliseconds of CPU in all. */
	whole: number;
}

async function measure(scene: Scene, count: number): Promise<Measured> {
	const { send, operations } = createRouting();
	const pagination = operations?.pagination as Pagination;
	const onePerTurn = new OnePerTurn();
	const abort = new AbortController();
	let requests = 0;
	const cancelAfter = scene.cancelAfter === 'each' ? count : scene.cancelAfter;
	keys += 1;
	const request = async (options: IHttpRequestOptions) => {
		requests += 1;
		if (requests === cancelAfter) setTimeout(() => abort.abort(), 500);
		await onePerTurn.next();
		const { prompt = '' } = JSON.parse((options.body as string | undefined) ?? '{}') as {
			prompt?: string;
		};
		const given = scene.answer(options, Number(prompt.split(' ')[1]));
		return { statusCode: given.status, headers: {}, body: given.body };
	};
	const limits = scene.limits ?? { requestsPerMinute: UNLIMITED, concurrentJobs: UNLIMITED };
	const items = Array.from({ length: count }, (_, item) => ({ json: { item } }));
	const parameters = (item: number) => ({
		operation: 'generateImage',
		model: { __rl: true, mode: 'id', value: 'm' },
		prompt: `item ${item} `,
		downloadOutputs: false,
		waitForCompletion: true,
	});
	const run: NodeRun = nodeRun({
		items,
		parameters,
		request,
		rawParameters: parameters(0),
		continueOnFail: scene.continueOnFail ?? false,
		signal: abort.signal,
		credential: { apiKey: `bench-key-${keys}`, baseUrl: 'https://api.example/v1', ...limits },
	});
	const contexts = items.map((_, item) => {
		const context = nodeContext(run, item) as IExecutePaginationFunctions;
		return Object.assign(context, {
			async getCredentials() {
				await onePerTurn.next();
				return run.credential;
			},
		});
	});
	const before = process.cpuUsage();
	const spent = () => {
		const { user, system } = process.cpuUsage(before);
		return (user + system) / 1_000;
	};
	const begunAt = performance.now();
	const bodies = items.map((_, item) => ({ mode: 'image', model: 'm', prompt: `item ${item} ` }));
	for (const [item, context] of contexts.entries()) {
		const options = { url: '', qs: {}, body: bodies[item], headers: {} };
		for (const hook of send?.preSend ?? []) void hook.call(context, options);
	}
	const prepared = { cpu: spent(), from: begunAt, to: performance.now() };
	// n8n's own: it begins all runners in one go.
	const all = contexts.map(async (context, item) => {
		const options = { url: '', qs: {}, body: bodies[item], headers: {} };
		return await pagination.call(context, {
			options,
		} as unknown as DeclarativeRestApiSettings.ResultOptions);
	});
	const settled = Promise.allSettled(all);
	const stop = watchTurns();
	await settled;
	const whole = spent();
	const longest = await stop();
	return { prepared: prepared.cpu - collecting(prepared.from, prepared.to), longest, whole };
}

/** Of each scene, with 10,000 items, and how much more than a thousand of them cost. */
async function steps(): Promise<Figure[]> {
	const figures: Figure[] = [];
	const ratios: number[] = [];
	for (const scene of SCENES) {
		await measure(scene, FEW);
		const few = await measure(scene, FEW);
		const many = await measure(scene, MANY);
		ratios.push(many.prepared / few.prepared);
		figures.push({
			name: `our longest step with 10,000 items: ${scene.name}`,
			value: `${many.longest.toFixed(0)} ms`,
			target: '≤ 50 ms',
			isMet: many.longest <= 50,
			note: `CPU time; ${few.longest.toFixed(0)} ms with 1,000. In all ${(many.whole / few.whole).toFixed(1)} times as much`,
		});
	}
	const linear = median(ratios);
	return [
		{
			name: 'preparing 10,000 items against 1,000',
			value: linear.toFixed(1),
			target: '≤ 12',
			isMet: linear <= 12,
			note: 'CPU time without the collector; 10 is linear; the median of the runs below',
		},
		...figures,
	];
}

async function main(): Promise<void> {
	const figures = await steps();
	if (process.argv.includes('--json')) return console.log(JSON.stringify(figures));
	for (const { name, value, note } of figures)
		console.log(`${value.padStart(8)}  ${name} (${note})`);
}

if (require.main === module) void main();
