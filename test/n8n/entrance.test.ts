import type { IExecuteFunctions, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { MediaGen } from '../../nodes/MediaGen/MediaGen.node';
import { callOf } from '../../src/n8n/entrance';
import { sendOptionsOf } from '../../src/n8n/check';
import { executeContext } from '../support/engine';
import { nodeRun, valueAt } from '../support/nodeContext';
import { byId, clock, setUp } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

const given = { model: byId('m'), prompt: 'a cat' };
const asTool = { nodeType: 'n8n-nodes-mediagen.mediaGenTool' };
const nested = { ...asTool, inputData: { ai_tool: [[{ json: {} }]] } };

test.each([
	['a workflow', {}],
	['an agent from version 3 on, which runs a tool as a node', asTool],
	['an agent up to version 2, another node or MCP', nested],
	["one of n8n's own Agents", { mode: 'internal' as never, executionId: '' }],
])('the same operation is run, and paid for once, for %s', async (_, more) => {
	const { model, run } = setUp({ given });
	const rows = await run(more);
	expect(rows).toHaveLength(1);
	expect(rows[0]).toMatchObject({
		json: { id: 'gen_1', status: 'completed' },
		pairedItem: { item: 0 },
	});
	expect(model.jobs).toHaveLength(1);
});

/** What a context of n8n may lack, or throw: the operation has a stated value for it. */
const LACKING: Record<string, Partial<IExecuteSingleFunctions>> = {
	'the id of the execution': { getExecutionId: () => undefined as never },
	'the memory of the node': {
		getContext() {
			throw new Error('`executionData` is not initialized');
		},
	},
	'the workflow': { getWorkflow: () => ({}) as never },
	'its settings': { getWorkflowSettings: undefined as never },
	'a signal for the cancel': { getExecutionCancelSignal: () => undefined },
	'the index of the run': {
		getWorkflowDataProxy() {
			throw new Error('no run data');
		},
	},
	'the time zone': {
		getTimezone() {
			throw new Error('no settings');
		},
	},
};

describe.each(Object.entries(LACKING))('without %s', (_, lacking) => {
	test('an operation runs, by either door', async () => {
		const { model, run } = setUp({ given });
		for (const more of [{}, nested]) await run({ ...more, lacking, nodeMemory: {} });
		expect(model.jobs.length).toBeGreaterThan(0);
	});
});

test('an operation that the node does not have is named, with those that it has', async () => {
	const { posts, run } = setUp({ given: { ...given, operation: 'makeTea' } });
	await expect(run()).rejects.toThrow(
		/^This node has no operation "makeTea"; it has generateImage, /,
	);
	expect(posts()).toEqual([]);
});

test.each([
	['a row', { continueOnFail: true }, { status: 'failed', prompt: 'a dog' }],
	['a row of the error output', { continueOnFail: true, errorOutput: true }, {}],
	['what a nested tool tells its model', nested, { status: 'failed', credits: 'none spent' }],
])(
	'an operation that the node does not have fails as any item does where the run goes on: as %s',
	async (_, more, fields) => {
		const { posts, run } = setUp({ given: { ...given, operation: 'makeTea' } });
		const [row] = await run({ items: [{ json: { prompt: 'a dog' } }], ...more });
		expect(row).toMatchObject({
			json: { error: expect.stringContaining('has no operation "makeTea"') as string, ...fields },
			pairedItem: { item: 0 },
		});
		expect(posts()).toEqual([]);
	},
);

test.each([
	['a text', 'a cat', 'a cat'],
	['a collection of values', { waitTimeout: 5, persona: { value: 'p' } }, undefined],
	['an expression', '={{ $json.prompt }}', 'evaluated'],
	['a collection with an expression', { waitTimeout: '={{ 5 }}' }, 'evaluated'],
	['a locator in a collection', { persona: { __rl: true, value: '={{ 5 }}' } }, 'evaluated'],
	['nothing', undefined, 'fallback'],
])('a parameter is evaluated where there is something to evaluate: %s', (_, stored, read) => {
	const getNodeParameter = (
		name: string,
		_item: number,
		fallback?: unknown,
		options?: { rawExpressions?: boolean },
	) => (options?.rawExpressions ? (valueAt({ field: stored }, name) ?? fallback) : 'evaluated');
	const context = Object.assign(executeContext(nodeRun()), { getNodeParameter });
	const call = callOf(context as IExecuteFunctions);
	expect(call.parameter(0, 'field', 'fallback')).toEqual(read ?? stored);
});

describe('Request Options', () => {
	test('a proxy, a timeout and whether certificates are checked go with each request', () => {
		const proxy = 'http://me:pass%20word@proxy.example:3128';
		expect(sendOptionsOf({ proxy, timeout: 5_000, allowUnauthorizedCerts: true })).toEqual({
			ok: true,
			value: {
				timeoutMs: 5_000,
				skipSslCertificateValidation: true,
				proxy: {
					protocol: 'http',
					host: 'proxy.example',
					port: 3128,
					auth: { username: 'me', password: 'pass word' },
				},
			},
		});
		expect(sendOptionsOf({})).toEqual({ ok: true, value: { timeoutMs: 0 } });
	});

	test.each([
		['http://proxy.example:80', 80],
		['https://proxy.example:443/', 443],
		['http://proxy.example:443', 443],
	])('a port that is usual for its protocol is one: %s', (proxy, port) => {
		expect(sendOptionsOf({ proxy })).toMatchObject({ ok: true, value: { proxy: { port } } });
	});

	test.each(['proxy.example', 'http://proxy.example', 'not a proxy'])(
		'a proxy that is no address with a port is a wrong field: %s',
		(proxy) => {
			expect(sendOptionsOf({ proxy })).toMatchObject({
				failure: { kind: 'input', field: 'Proxy' },
			});
		},
	);

	test.each([
		'http://me:pass%20@w@rd@proxy.example',
		'http://me:pa/w@rd@proxy.example:3128',
		'me:w@rd@proxy.example:3128',
		'w@rd me',
	])('an error about a proxy shows neither its user nor its password: %s', (proxy) => {
		const made = sendOptionsOf({ proxy });
		expect(made.ok).toBe(false);
		expect(JSON.stringify(made)).not.toMatch(/me:|pass|pa\/|w@rd/);
	});

	test('with Batching all items are checked before the first portion goes', async () => {
		const requestOptions = { batching: { batch: { batchSize: 1, batchInterval: 1_000 } } };
		const own = (item: number) => ({ prompt: item === 2 ? '' : `p${item}`, requestOptions });
		const json = [{}, {}, {}];
		const { posts, run } = setUp({ given, own, json });
		await expect(run()).rejects.toThrow(/Prompt is empty \[item 3 of 3\]/);
		expect(posts()).toEqual([]);
	});

	/** As n8n's panel says: -1 switches the size off, 0 is 1, and 0 switches the interval off. */
	test.each<[string, batch: object, minutes: number[]]>([
		['two at a time', { batchSize: 2, batchInterval: 60_000 }, [0, 0, 1, 1, 2]],
		['texts, as of an expression', { batchSize: '2', batchInterval: '60000' }, [0, 0, 1, 1, 2]],
		['-1, which is off', { batchSize: -1, batchInterval: 60_000 }, [0, 0, 0, 0, 0]],
		['0, which is 1', { batchSize: 0, batchInterval: 60_000 }, [0, 1, 2, 3, 4]],
		['no size', { batchInterval: 60_000 }, [0, 1, 2, 3, 4]],
		['a size that is no number', { batchSize: 'x', batchInterval: 60_000 }, [0, 1, 2, 3, 4]],
		['no interval', { batchSize: 1, batchInterval: 0 }, [0, 0, 0, 0, 0]],
		['an interval below 0', { batchSize: 1, batchInterval: -1 }, [0, 0, 0, 0, 0]],
	])('with Batching a portion begins after each interval: %s', async (_name, batch, minutes) => {
		const requestOptions = { batching: { batch } };
		const json = [{}, {}, {}, {}, {}];
		const began = clock.monotonic();
		const at: number[] = [];
		const own = (item: number) => ({ prompt: `p${item}`, requestOptions });
		const { run } = setUp({
			given,
			own,
			json,
			answers({ method }) {
				if (method === 'POST') at.push(Math.floor((clock.monotonic() - began) / 60_000));
				return undefined;
			},
		});
		await run();
		expect(at).toEqual(minutes);
	});
});

test('each item is sent with the credential that its own expression gives', async () => {
	const keys = ['key-of-the-first', 'key-of-the-second'];
	const used: unknown[] = [];
	const run = nodeRun({
		items: [{ json: {} }, { json: {} }] as INodeExecutionData[],
		async request(options) {
			used.push(options.headers?.Authorization);
			return { statusCode: 202, headers: {}, body: { id: `gen_${used.length}`, status: 'queued' } };
		},
	});
	const parameters = () => ({
		resource: 'generation',
		operation: 'generateImage',
		...given,
		options: {},
		waitForCompletion: false,
	});
	const context = executeContext({ ...run, parameters });
	Object.assign(context, {
		getCredentials: async (_type: string, item: number) => ({
			apiKey: keys[item],
			baseUrl: 'https://api.example/v1',
		}),
	});
	const helpers = {
		...context.helpers,
		async httpRequestWithAuthentication(this: IExecuteFunctions, type: string, options: object) {
			// As n8n does: without an item.
			const { apiKey } = await this.getCredentials(type);
			return await run.request({
				...options,
				headers: { Authorization: `Bearer ${String(apiKey)}` },
			} as never);
		},
	};
	Object.assign(context, { helpers });
	await new MediaGen().customOperations.generation?.generateImage?.call(context);
	expect(used.sort()).toEqual(keys.map((key) => `Bearer ${key}`));
});
