import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest, SendResult } from '../../../src/base/types';
import { newMemory, isOutcomeOpen } from '../../../src/creation/idempotency/itemState';
import { answer, errorBody, LOST } from '../../model/answers';
import { CREATE, oneItem, type RunParts } from '../../model/run';
import { byId, clock, ended, setUp } from '../../support/serviceRun';

jest.mock('../../../src/base/clock', () => jest.requireActual('../../support/virtualTime'));

/*
 * docs/paid-once.md: what is paid for once and what again, first of one item, then of whole runs of a node.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('a run of the node again, in this execution or a retried one, gets the same job', async () => {
	const { model, keys, make } = oneItem();
	for (const executionId of ['execution 1', 'execution 1', 'execution 2'])
		expect(await make({ origin: { executionId } })).toMatchObject({
			value: { id: 'gen_1', status: 'completed' },
		});
	expect(model.jobs).toHaveLength(1);
	expect(keys()).toHaveLength(1);
});

test('lost answers are repeated under the same key, ever more rarely as long as Wait Timeout lasts, and by the next try of the node', async () => {
	let isAway = true;
	const { clock, model, keys, make } = oneItem({
		fault: ({ method }) => (method === 'POST' && isAway ? 'after' : undefined),
	});
	const settings = { waitTimeoutMs: 20 * MINUTE };
	const began = clock.monotonic();
	expect(await make({ settings })).toMatchObject({ failure: { kind: 'noResponse' } });
	const tookMs = clock.monotonic() - began;
	expect(tookMs).toBeGreaterThan(18 * MINUTE);
	expect(tookMs).toBeLessThanOrEqual(20 * MINUTE);
	expect(keys().length).toBeLessThan(60);
	isAway = false;
	expect((await make({ settings })).ok).toBe(true);
	expect(model.jobs).toHaveLength(1);
	expect(new Set(keys()).size).toBe(1);
});

test('a request that was changed before Retry Execution is another one', async () => {
	const { keys, make } = oneItem();
	await make({ prompt: 'a cat' });
	const changed = await make({ prompt: 'a dog', origin: { executionId: 'execution 2' } });
	expect(changed).toMatchObject({ value: { id: 'gen_2', prompt: 'a dog' } });
	expect(new Set(keys()).size).toBe(2);
});

test('a request that reads differently each time is read in a retried execution', async () => {
	const { model, make } = oneItem();
	const userInputHash = 'a cat at {{ $now }}';
	await make({ userInputHash, prompt: 'a cat at 10:00' });
	const origin = { executionId: 'execution 2' };
	const retried = await make({ userInputHash, prompt: 'a cat at 10:01', origin });
	expect(retried).toMatchObject({ value: { id: 'gen_1' } });
	expect(model.jobs).toHaveLength(1);
});

test('past the 24 hours of a key its job is read instead of asked for', async () => {
	const { clock, keys, make } = oneItem();
	await make();
	await clock.pass(24 * HOUR);
	expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
	expect(keys()).toHaveLength(1);
});

test('Off: without a key nothing is sent again in a try, and each try of the node pays again', async () => {
	const { model, keys, make } = oneItem({ fault: () => 'after' });
	const settings = { idempotency: 'none' as const };
	expect(await make({ settings })).toMatchObject({ failure: { kind: 'noResponse', attempts: 1 } });
	model.settings.fault = () => undefined;
	for (let time = 0; time < 2; time += 1) expect((await make({ settings })).ok).toBe(true);
	expect(keys()).toEqual([undefined, undefined, undefined]);
	expect(model.jobs).toHaveLength(3);
});

test('a job that cannot be read for a while is named by the error, and stays known', async () => {
	const { make, through, keys } = oneItem({ jobMs: () => 300_000 });
	const settings = { waitTimeoutMs: 60_000 };
	await make({ settings });
	for (const status of [403, 404]) {
		through(() => answer(status, errorBody('No')));
		expect(await make({ settings })).toMatchObject({ ok: false, job: { id: 'gen_1' } });
	}
	through(() => undefined);
	expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
	expect(keys()).toHaveLength(1);
});

/** An item whose creation is carried out, and answered so. */
async function answeredWith(status: number, body: unknown) {
	const item = oneItem();
	item.through((request) => {
		if (request.method !== 'POST') return undefined;
		void item.model.send(request);
		return answer(status, body);
	});
	expect(await item.make()).toMatchObject({ failure: { status } });
	item.through(() => undefined);
	return item;
}

test.each([
	[200, 'a page of a proxy', true],
	[302, errorBody('Strange'), true],
	[403, '<html>', true],
	// A proxy or a network that wants a sign-in has let nothing through.
	[407, '', false],
	[511, '<html>', false],
])('after a %i (%j) the outcome is open: %s', async (status, body, isOpen) => {
	const { memory } = await answeredWith(status, body);
	expect(isOutcomeOpen(memory.state)).toBe(isOpen);
});

test.each([
	['changed', { prompt: 'a dog' }, 0],
	['expired', {}, 24 * HOUR],
])(
	'an open outcome that the key can no longer settle (%s) is told before anything is paid',
	async (because, change, ms) => {
		const { clock, model, make } = await answeredWith(200, 'a page of a proxy');
		await clock.pass(1_000 + ms);
		const again = async (executionId: string) => await make({ ...change, origin: { executionId } });
		// Retry On Fail stays in the execution that was told.
		for (let time = 0; time < 2; time += 1)
			expect(await again('execution 2')).toMatchObject({
				failure: { kind: 'possibleDuplicate', because },
			});
		expect(model.jobs).toHaveLength(1);
		expect(await again('execution 3')).toMatchObject({ value: { id: 'gen_2' } });
	},
);

test('a 422 says nothing of what was done: the same request keeps its key', async () => {
	const { model, make, through, keys } = oneItem();
	through(({ method }) => (method === 'POST' ? answer(422, errorBody('No')) : undefined));
	expect(await make()).toMatchObject({ failure: { status: 422 } });
	through(() => undefined);
	expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
	expect([keys().length, new Set(keys()).size, model.jobs.length]).toEqual([2, 1, 1]);
});

test.each<[name: string, settings: RunParts['settings'], tried: number, paid: number]>([
	['On Retries takes the next key', {}, 2, 1],
	['Same Request keeps the key, which other executions share', { idempotency: 'content' }, 1, 0],
	['so does Own Key', { idempotency: 'custom', idempotencyKey: 'order 7' }, 1, 0],
])(
	'after three 429, which a service may keep for the key, %s',
	async (_, settings, tried, paid) => {
		const { model, make, through, keys } = oneItem();
		through(({ method, headers }) => {
			const isFirstKey = headers?.['Idempotency-Key'] === keys()[0];
			return method === 'POST' && isFirstKey ? answer(429, errorBody('Busy')) : undefined;
		});
		expect((await make({ settings })).ok).toBe(paid > 0);
		expect(keys().length).toBeGreaterThan(3);
		expect([new Set(keys()).size, model.jobs.length]).toEqual([tried, paid]);
	},
);

test('what needs no slot and was refused with 429 for a whole try takes the next key in the next one', async () => {
	const { model, make, through, keys } = oneItem();
	const spec = { ...CREATE, takesSlot: undefined };
	through(({ method }) => (method === 'POST' ? answer(429, errorBody('Busy')) : undefined));
	expect(await make({ spec })).toMatchObject({ failure: { kind: 'status', status: 429 } });
	expect(new Set(keys()).size).toBe(1);
	through(() => undefined);
	expect((await make({ spec })).ok).toBe(true);
	expect([new Set(keys()).size, model.jobs.length]).toEqual([2, 1]);
});

describe('with a key of the user', () => {
	const settings = { idempotency: 'custom' as const, idempotencyKey: 'order 7' };

	test('items of one node that ask for different things are refused, in rounds of a loop too', async () => {
		const { model, make } = oneItem();
		await make({ settings, prompt: 'a cat' });
		const round = { memory: newMemory(), origin: { place: '1:0' }, settings };
		expect(await make({ ...round, prompt: 'a dog' })).toMatchObject({
			failure: { kind: 'input', problem: 'was used in this execution for another request' },
		});
		expect(await make({ ...round, prompt: 'a cat' })).toMatchObject({ value: { id: 'gen_1' } });
		expect(model.jobs).toHaveLength(1);
	});

	test('a changed request is refused once something was made under it', async () => {
		const { model, make } = oneItem();
		await make({ settings, prompt: 'a cat' });
		expect(await make({ settings, prompt: 'a dog' })).toMatchObject({
			failure: { kind: 'input' },
			job: { id: 'gen_1' },
		});
		expect(model.jobs).toHaveLength(1);
	});
});

const image = { model: byId('m'), prompt: 'a cat', downloadOutputs: false };

const keysOf = (requests: ApiRequest[]) =>
	requests.map(({ headers }) => headers?.['Idempotency-Key']);

const MODES = {
	editor: 'manual',
	production: 'trigger',
	'sub-workflow': 'integrated',
	retry: 'retry',
} as const;

const SLOW = 5 * MINUTE;

/** How an execution comes to its end. */
const ENDINGS = {
	stopped: { jobMs: SLOW, isStopped: true },
	'stopped as a row': { jobMs: SLOW, isStopped: true, continueOnFail: true },
	failed: { jobMs: SLOW, options: { waitTimeout: 1 } },
	'failed as a row': { jobMs: SLOW, options: { waitTimeout: 1 }, continueOnFail: true },
	'job failed': { status: 'failed' },
	refused: { isRefused: true },
};

interface Ending {
	jobMs?: number;
	options?: object;
	continueOnFail?: boolean;
	status?: string;
	isStopped?: boolean;
	isRefused?: boolean;
}

type Mode = keyof typeof MODES;

/**
 * An execution, or what happens between two of them. `Stop`: the first one is stopped, while a later node is
 * at work.
 */
type Step = Mode | `${Mode}, ${keyof typeof ENDINGS}` | 'restart of n8n' | 'Stop';

test.each<[story: Step[], times: number]>([
	[['editor, stopped', 'editor'], 1],
	[['editor, stopped as a row', 'editor'], 1],
	[['editor, failed', 'editor'], 1],
	[['editor, failed as a row', 'editor'], 1],
	[['editor, failed', 'restart of n8n', 'editor'], 2],
	[['editor', 'editor'], 2],
	[['editor, job failed', 'editor'], 2],
	[['editor, refused', 'editor'], 2],
	// As after Debug in editor.
	[['production, failed', 'editor'], 1],
	[['production, failed as a row', 'editor'], 1],
	[['production, failed', 'editor', 'editor'], 2],
	[['production, failed', 'editor', 'retry'], 1],
	[['production, failed', 'restart of n8n', 'retry'], 1],
	[['production, stopped', 'retry'], 1],
	[['production, stopped', 'restart of n8n', 'retry'], 2],
	[['production', 'Stop', 'retry'], 1],
	[['production', 'editor', 'Stop', 'retry'], 2],
	[['production', 'Stop', 'production', 'retry'], 2],
	[['production', 'production', 'Stop', 'retry'], 2],
	[['production, stopped', 'retry', 'retry'], 1],
	[['production, stopped', 'retry, stopped', 'retry'], 1],
	[['production, stopped', 'retry', 'Stop', 'retry'], 1],
	[['production, stopped', 'production'], 2],
	[['production, failed as a row', 'production'], 2],
	[['sub-workflow, stopped', 'sub-workflow'], 2],
])('executions that ask for the same: %j pay %i times', async (story, times) => {
	let isRefused: boolean | undefined;
	const t = setUp({
		given: image,
		answers: ({ method }) =>
			isRefused && method === 'POST' ? answer(400, errorBody('no')) : undefined,
	});
	const stops: AbortController[] = [];
	// What a process remembers is by workflow: of another one it knows as little as another process does.
	let workflowId = story.join();
	/** Of the first execution. n8n stores nothing of one that was stopped. */
	let stored: IDataObject = {};
	for (const step of story) {
		if (step === 'restart of n8n') {
			workflowId += ' after it';
			continue;
		}
		if (step === 'Stop') {
			stops[0]?.abort();
			stored = {};
			continue;
		}
		const [mode, end] = step.split(', ') as [Mode, keyof typeof ENDINGS | undefined];
		const ending: Ending = end === undefined ? {} : ENDINGS[end];
		const { jobMs = 10_000, status = 'completed', continueOnFail, options = {} } = ending;
		t.model.settings.jobMs = () => jobMs;
		t.model.settings.ending = () => ({ status });
		isRefused = ending.isRefused;
		const stop = new AbortController();
		if (ending.isStopped) clock.after(20_000, () => stop.abort());
		const nodeMemory = mode === 'retry' ? (JSON.parse(JSON.stringify(stored)) as IDataObject) : {};
		stops.push(stop);
		const executionId = `e${stops.length}`;
		const given = { executionId, mode: MODES[mode], nodeMemory, workflowId, continueOnFail };
		await ended(t.run({ ...given, signal: stop.signal }, { options }));
		if (stops.length === 1 && !ending.isStopped) stored = nodeMemory;
		await clock.pass(10 * MINUTE);
	}
	expect(new Set(keysOf(t.posts())).size).toBe(times);
});

test('of two equal rows with lost answers, the one that is left may be the one without a job', async () => {
	let isAway = true;
	const t = setUp({
		json: [{}, {}],
		mode: 'manual',
		workflowId: 'equal rows',
		given: image,
		// Only the request of the second row is carried out.
		answers: async (request) => {
			if (!isAway || request.method !== 'POST') return undefined;
			if (keysOf([request])[0] !== keysOf(t.posts())[0]) await t.model.send(request);
			return LOST;
		},
	});
	await ended(t.run({ nodeMemory: {} }));
	isAway = false;
	await t.run({ nodeMemory: {}, executionId: 'e2', items: [{ json: {} }] });
	expect(t.model.jobs).toHaveLength(2);
});

describe('files', () => {
	/** A node that sends a file, to a service that gives the same URL for the same key. */
	function uploading(options: object, created?: SendResult) {
		const clip = { data: Buffer.from('FLV\x01').toString('base64'), mimeType: 'video/x-flv' };
		const urls: string[] = [];
		const t = setUp({
			items: [{ json: {}, binary: { clip } }],
			given: { ...image, operation: 'generateVideo', input: { video: 'binary:clip' }, options },
			answers: (request) => {
				if (request.path !== '/files') return request.method === 'POST' ? created : undefined;
				const url = `https://files.example/${keysOf([request])[0]}`;
				urls.push(url);
				return answer(201, { upload_url: 'https://put.example/x', upload_headers: {}, url });
			},
		});
		const creations = () => t.posts().filter(({ path }) => path !== '/files');
		return { ...t, urls, creations };
	}

	test.each(['custom', 'content'])(
		'are at the same URL in another execution: %s',
		async (idempotency) => {
			const t = uploading({ idempotency, idempotencyKey: 'order 7' });
			for (const executionId of ['e1', 'e2']) await t.run({ nodeMemory: {}, executionId });
			const [first, second] = t.creations().map(({ body, headers }) => ({ body, headers }));
			expect(second).toEqual(first);
			expect(t.model.jobs).toHaveLength(1);
		},
	);

	test('are uploaded again a day later, and not before', async () => {
		const t = uploading({}, answer(403, errorBody('No')));
		for (const hours of [0, 23, 1]) {
			await clock.pass(hours * HOUR);
			await ended(t.run());
		}
		expect([t.creations().length, t.urls.length]).toEqual([3, 2]);
	});
});
