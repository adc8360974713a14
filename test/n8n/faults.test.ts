import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { JobPoller } from '../../src/transport/jobPoller';
import { LostOfWorkflow } from '../../src/creation/idempotency/lostRequests';
import { Run } from '../../src/creation/run';
import { byId, clock, ended, setUp } from '../support/serviceRun';

/*
 * Whatever of our own throws once a job is paid for: the error names the job, the next try goes on with it,
 * and the other rows are there. Each step after the creation is made to throw.
 */

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

const FAULT = "Cannot read properties of undefined (reading 'x')";

/** The function that throws, once, and of an event only where it is that one. */
const mockBroken = { name: '', event: '', next: '' };

function mockThrowIfBroken(name: string, given: unknown[]): void {
	if (mockBroken.name !== name) return;
	const { kind } = (given[1] ?? {}) as { kind?: string };
	if (mockBroken.event !== '' && kind !== mockBroken.event) return;
	mockBroken.name = mockBroken.next;
	mockBroken.next = '';
	throw new TypeError(FAULT);
}

/** A module of which each function may throw. */
function mockBreakable(path: string): object {
	const actual = jest.requireActual<Record<string, unknown>>(path);
	const wrapped = Object.entries(actual).map(([name, value]) => {
		const isPlain = typeof value === 'function' && !String(value).startsWith('class');
		if (!isPlain) return [name, value];
		const breakable = (...given: unknown[]): unknown => {
			mockThrowIfBroken(name, given);
			return (value as (...all: unknown[]) => unknown)(...given);
		};
		return [name, breakable];
	});
	return Object.fromEntries(wrapped) as object;
}

jest.mock('../../src/creation/answer', () => mockBreakable('../../src/creation/answer'));
jest.mock('../../src/creation/idempotency/itemState', () =>
	mockBreakable('../../src/creation/idempotency/itemState'),
);
jest.mock('../../src/creation/outputs', () => mockBreakable('../../src/creation/outputs'));
jest.mock('../../src/files/transfer', () => mockBreakable('../../src/files/transfer'));
jest.mock('../../src/files/fileTypes', () => mockBreakable('../../src/files/fileTypes'));
jest.mock('../../src/n8n/output/failedRows', () =>
	mockBreakable('../../src/n8n/output/failedRows'),
);
jest.mock('../../src/n8n/output/receipt', () => mockBreakable('../../src/n8n/output/receipt'));
jest.mock('../../src/n8n/output/rows', () => mockBreakable('../../src/n8n/output/rows'));
jest.mock('../../src/transport/jobState', () => mockBreakable('../../src/transport/jobState'));

/** Methods that may throw. */
const METHODS = {
	wait: jest.spyOn(JobPoller.prototype, 'wait'),
	addJob: jest.spyOn(Run.prototype, 'addJob'),
	endedRun: jest.spyOn(LostOfWorkflow.prototype, 'runEnded'),
};

afterEach(() => {
	mockBroken.name = '';
});

/** The next call throws. */
function breakMethod(name: keyof typeof METHODS): void {
	METHODS[name].mockImplementationOnce(() => {
		throw new TypeError(FAULT);
	});
}

/** Two items, of which the first to get there meets the fault. */
function node(more: Parameters<typeof setUp>[0] = {}) {
	const nodeMemory: IDataObject = {};
	const t = setUp({
		json: [{ prompt: 'a cat' }, { prompt: 'a dog' }],
		given: { model: byId('m') },
		own: (item) => ({ prompt: ['a cat', 'a dog'][item] }),
		nodeMemory,
		...more,
	});
	const creations = () => t.posts().filter(({ path }) => path === '/generations');
	return { ...t, creations };
}

type Break = () => void;

const named =
	(name: string, event = ''): Break =>
	() =>
		Object.assign(mockBroken, { name, event });

/** Steps after the answer, with the function of ours that throws there. */
const STEPS: Array<[string, Break]> = [
	['the wait for the job', () => breakMethod('wait')],
	['the list of its jobs', () => breakMethod('addJob')],
	['what is remembered of its end', named('recordEvent', 'jobSucceeded')],
	['a further read of its outputs', named('withOutputs')],
	['its files', named('fetchFiles')],
	['a download', named('download')],
	['what type its file is of', named('detect')],
	['that it has ended well', named('recordEnd')],
	['its rows', named('goodRows')],
];

test.each(STEPS)(
	'%s: the error names the job, and the next try goes on with it',
	async (_, breakIt) => {
		const t = node();
		breakIt();
		const { error } = await ended(t.run());
		expect(error?.message).toMatch(
			/^A fault of this node: TypeError: Cannot read .*\(job gen_\d\)/,
		);
		expect(error?.description).toMatch(
			/The job .* at the service: fetch it by its ID, or retry this/,
		);
		const data = (error as NodeApiError).context.data as IDataObject;
		expect(data).toMatchObject({
			credits: 'reserved or spent',
			jobId: expect.stringMatching(/^gen_/) as string,
		});
		expect(data.otherJobs).toHaveLength(1);
		const rows = await t.run();
		expect(rows.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
		expect(t.creations()).toHaveLength(2);
	},
);

test.each(STEPS)('%s: with On Error: Continue the other row is there', async (_, breakIt) => {
	const t = node({ continueOnFail: true });
	breakIt();
	const rows = await t.run();
	expect(rows.map(({ json }) => json.status).sort()).toEqual(['completed', 'failed']);
	const failed = rows.find(({ json }) => json.status === 'failed');
	expect(failed?.json).toMatchObject({
		error: expect.stringMatching(/^A fault of this node/) as string,
		details: { jobId: expect.stringMatching(/^gen_/) as string, tryAgain: 'later' },
	});
});

test('a row whose words fail too takes no other with it', async () => {
	const t = node({ continueOnFail: true });
	Object.assign(mockBroken, { name: 'goodRows', next: 'failedRow' });
	const rows = await t.run();
	expect(rows.map(({ json }) => json.status).sort()).toEqual(['completed', 'failed']);
	expect(rows.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	const again = await t.run();
	expect(again.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
	expect(t.creations()).toHaveLength(2);
});

test('before the answer is understood: what is not known is said, and the next try finds the job', async () => {
	const t = node();
	named('applyAnswer')();
	const { error } = await ended(t.run());
	expect(error?.message).toMatch(/^A fault of this node/);
	expect(error?.description).toMatch(
		/^This is not your mistake: .*Whether the request was carried out is not known/,
	);
	const rows = await t.run();
	expect(rows.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
	expect(t.model.jobs).toHaveLength(2);
});

test.each<[string, Break]>([
	['the sentence above the output', named('receiptOf')],
	['what the next click may need', () => breakMethod('endedRun')],
])('%s is nothing that a run may fail by', async (_, breakIt) => {
	const t = node();
	breakIt();
	expect((await t.run()).map(({ json }) => json.status)).toEqual(['completed', 'completed']);
});

test('what an item has had before is named also where it cannot even be opened', async () => {
	const t = node();
	named('itemMemory')();
	const { error } = await ended(t.run());
	expect(error?.message).toMatch(/^A fault of this node/);
	expect(error?.description).toMatch(/1 other job exists/);
});

test('an AI agent is told of it, and the same call goes on', async () => {
	const nodeType = 'n8n-nodes-mediagen.mediaGenTool';
	const t = node({ json: [{ prompt: 'a cat' }], nodeType });
	breakMethod('wait');
	const { error } = await ended(t.run());
	expect(error?.message).toMatch(/^A fault of this node: TypeError.*call this tool again/s);
	expect((await t.run()).map(({ json }) => json.status)).toEqual(['completed']);
	expect(t.creations()).toHaveLength(1);
});

test('a slot is given back by whoever meets a fault', async () => {
	const t = node({
		json: Array.from({ length: 8 }, () => ({})),
		own: (item) => ({ prompt: `cat ${item}` }),
		continueOnFail: true,
	});
	METHODS.wait.mockImplementationOnce(() => {
		throw new TypeError(FAULT);
	});
	const rows = await t.run();
	expect(rows.filter(({ json }) => json.status === 'completed')).toHaveLength(7);
	await clock.pass(1_000);
});

test('what is thrown by others than the language says only what it is: it may hold an address or a key', async () => {
	const t = node();
	METHODS.wait.mockImplementationOnce(() => {
		throw new Error('GET https://put.example/?signature=canary-signature');
	});
	const { error } = await ended(t.run());
	expect(error?.message).toMatch(/^A fault of this node: Error \(job gen_\d\)/);
	expect(JSON.stringify(error)).not.toContain('canary-signature');
});
