import type { INodeExecutionData, NodeApiError } from 'n8n-workflow';
import { MediaGen } from '../../nodes/MediaGen/MediaGen.node';
import { systemClock } from '../../src/base/clock';
import type { ApiRequest, SendResult } from '../../src/base/types';
import { execute } from '../support/engine';
import { n8nRequest } from '../support/n8nRequest';
import { nodeRun } from '../support/nodeContext';
import { cases } from '../support/thorough';
import { answer, LOST } from '../model/answers';
import { ModelService } from '../model/modelService';
import type { VirtualClock } from '../model/virtualClock';

jest.mock('../../src/base/clock', () => {
	const { VirtualClock: Clock } = jest.requireActual<{ VirtualClock: typeof VirtualClock }>(
		'../model/virtualClock',
	);
	return { systemClock: new Clock() };
});

const clock = systemClock as VirtualClock;
const { description } = new MediaGen();

const ITEMS = cases(250);

/** How long a run may take that meets nothing but silence, in ms, if the silence comes at once. */
const LIMIT_MS = 180_000;

/**
 * And if each request hangs for two minutes: two attempts, and two more of one that was sent just
 * before the outage was found out, because an answer that may come is waited for.
 */
const HANGING_LIMIT_MS = 500_000;

/** How a run says that the service is away. */
const SAID =
	/did not respond|cannot be reached|answered with status|answered instead of|could not answer|Not found|does not know the job/;

let keys = 0;

/** A run of many items before a gateway, which may stand in for the service. */
function setUp({
	items: count = ITEMS,
	concurrentJobs = ITEMS,
	requestsPerMinute = 1_000,
	continueOnFail = false,
} = {}) {
	const model = new ModelService(clock, {
		requestsPerMinute: 1_000_000,
		concurrentJobs: ITEMS,
		jobMs: () => 900_000,
	});
	let gateway: ((asked: ApiRequest) => Promise<SendResult>) | undefined;
	let requests = 0;
	const request = n8nRequest(async (asked) => {
		requests += 1;
		return await (gateway ? gateway(asked) : model.send(asked));
	});
	const items = Array.from({ length: count }, (_, item) => ({
		json: { prompt: `no. ${item}` },
		binary: { data: { data: btoa(`picture ${item}`), mimeType: 'image/png', fileName: 'a.png' } },
	})) as INodeExecutionData[];
	keys += 1;
	const apiKey = `canary-key-${keys}-of-an-outage`;
	const limits = { requestsPerMinute, concurrentJobs };
	const run = nodeRun({
		items,
		request,
		continueOnFail,
		credential: { apiKey, baseUrl: 'https://api.example/v1', ...limits },
	});
	const parameters = (item: number) => ({
		model: { __rl: true, mode: 'id', value: 'm' },
		prompt: `no. ${item}`,
	});
	/** n8n collects the input anew for each try. */
	const start = async (more: Record<string, unknown> = {}) => {
		const data = { main: [items] };
		const executeData = { ...run.executeData, data };
		const began = clock.monotonic();
		const before = requests;
		const ended = await clock.run(
			execute(description, { ...run, executeData }, (item) => ({
				...parameters(item),
				...more,
			})).then(
				(made) => ({ items: made, error: undefined }),
				(error: NodeApiError) => ({ items: [], error }),
			),
		);
		return { ...ended, tookMs: clock.monotonic() - began, requests: requests - before };
	};
	const through = (rule: typeof gateway) => {
		gateway = rule;
	};
	return { model, start, through };
}

const WITH_FILE = { input: { reference_images: 'binary:data' } };

const SILENCE: Array<[name: string, gateway: () => Promise<SendResult>, limitMs?: number]> = [
	['connections that break', async () => LOST],
	[
		'requests that time out',
		async () => {
			await clock.sleep(120_000);
			return { noResponse: 'timeout' };
		},
		HANGING_LIMIT_MS,
	],
	['503', async () => answer(503, 'Service Unavailable')],
	['404 without the Error shape', async () => answer(404, '<html>Not found</html>')],
];

describe.each(SILENCE)('a run that meets nothing but %s', (_name, gateway, limitMs = LIMIT_MS) => {
	test.each([
		[1_000, ITEMS],
		[60, 5],
	])('ends in its time, at %i requests a minute and %i jobs', async (...plan) => {
		const [requestsPerMinute, concurrentJobs] = plan;
		const { start, through } = setUp({ requestsPerMinute, concurrentJobs });
		through(gateway);
		const { error, tookMs } = await start();
		expect(error?.message).toMatch(SAID);
		expect(tookMs).toBeLessThanOrEqual(limitMs);
	});

	test('ends in its time where its items send files first, and has paid for nothing', async () => {
		const { start, through } = setUp({ requestsPerMinute: 60, concurrentJobs: 5 });
		through(gateway);
		const { error, tookMs } = await start(WITH_FILE);
		expect(error?.message).toMatch(SAID);
		expect(error?.description).toContain('no credits were spent');
		expect(tookMs).toBeLessThanOrEqual(limitMs);
	});

	test('ends in its time where all jobs are known and only read, and goes on with them later', async () => {
		const { model, start, through } = setUp();
		await start({ waitForCompletion: true, options: { waitTimeout: 1 } });
		expect(model.jobs).toHaveLength(ITEMS);
		through(gateway);
		const { error, tookMs } = await start({ waitForCompletion: true });
		expect(error?.message).toMatch(SAID);
		expect(tookMs).toBeLessThanOrEqual(limitMs);
		through(undefined);
		await start({ waitForCompletion: false });
		expect(model.jobs).toHaveLength(ITEMS);
	});
});

describe('an item that the service never answers', () => {
	/** A service that breaks down over some of the items, and answers the others. */
	async function setUpBad(isBad: (prompt: string) => boolean) {
		const { model, start, through } = setUp({ items: 12, concurrentJobs: 1, continueOnFail: true });
		model.settings.jobMs = () => 1_000;
		through(async (asked) => {
			const { prompt = '' } = (asked.body ?? {}) as { prompt?: string };
			return asked.method === 'POST' && isBad(prompt) ? answer(503, '') : await model.send(asked);
		});
		const { items } = await start({ waitForCompletion: true, downloadOutputs: false });
		return items.map(({ json }) => String(json.error ?? 'done').replace(/ \[.*/, ''));
	}

	const NO_ANSWER = 'The service answered with status 503';

	test('halts nothing by itself', async () => {
		const said = await setUpBad((prompt) => prompt === 'no. 4');
		expect(said).toEqual(said.map((_, item) => (item === 4 ? NO_ANSWER : 'done')));
	});

	test('five in a row halt the run', async () => {
		const said = await setUpBad((prompt) => /^no\. [3-7]$/.test(prompt));
		expect(said.slice(0, 8)).toEqual([...Array(3).fill('done'), ...Array(5).fill(NO_ANSWER)]);
		expect(new Set(said.slice(8))).toEqual(new Set(['Not sent: the service gave no answer']));
	});
});

describe('one request that hangs is no outage', () => {
	test.each(['GET', 'POST'])('a %s', async (method) => {
		const { model, start, through } = setUp({ concurrentJobs: 5 });
		model.settings.jobMs = () => 10_000;
		let hasHung = false;
		through(async (asked) => {
			if (hasHung || asked.method !== method) return await model.send(asked);
			hasHung = true;
			await clock.sleep(120_000);
			return { noResponse: 'timeout' };
		});
		const { items, error } = await start({ waitForCompletion: true, downloadOutputs: false });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(ITEMS);
		expect(model.jobs).toHaveLength(ITEMS);
	});
});

test('a run whose jobs cannot be looked at for five minutes goes on once they can', async () => {
	const { model, start, through } = setUp({ concurrentJobs: 5, items: 20 });
	model.settings.jobMs = () => 60_000;
	const began = clock.monotonic();
	through(async (asked) =>
		asked.method === 'GET' && clock.monotonic() - began < 300_000 ? LOST : await model.send(asked),
	);
	const { items, error } = await start({ waitForCompletion: true, downloadOutputs: false });
	expect(error).toBeUndefined();
	expect(items).toHaveLength(20);
	expect(model.jobs).toHaveLength(20);
});
