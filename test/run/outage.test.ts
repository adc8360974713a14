import type { INodeExecutionData, NodeApiError } from 'n8n-workflow';
import { MediaGen } from '../../nodes/MediaGen/MediaGen.node';
import { systemClock } from '../../src/base/clock';
import type { ApiRequest, SendResult } from '../../src/base/types';
import { execute } from '../support/engine';
import { n8nRequest } from '../support/n8nRequest';
import { nodeRun } from '../support/nodeContext';
import { cases } from '../support/thorough';
import { answer, errorBody, LOST } from '../../testing/answers';
import { ModelService } from '../../testing/modelService';
import type { VirtualClock } from '../../testing/virtualClock';

jest.mock('../../src/base/clock', () => {
	const { VirtualClock: Clock } = jest.requireActual<{ VirtualClock: typeof VirtualClock }>(
		'../../testing/virtualClock',
	);
	return { systemClock: new Clock() };
});

const clock = systemClock as VirtualClock;
const { description } = new MediaGen();

const ITEMS = cases(250);

/** How long a run may take that meets nothing but silence, in ms. */
const LIMIT_MS = 180_000;

/** How a run says that the service is away. */
const SAID =
	/did not respond|cannot be reached|answered with status|Not found|does not know the job/;

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
		jobMs: () => 3_600_000,
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

const PLACE = { upload_url: 'https://up.example/x', url: 'https://cdn.example/x' };
const WITH_FILE = { input: { reference_images: 'binary:data' } };

const SILENCE: Array<[name: string, gateway: () => Promise<SendResult>]> = [
	['connections that break', async () => LOST],
	[
		'requests that time out',
		async () => {
			await clock.sleep(120_000);
			return { noResponse: 'timeout' };
		},
	],
	['503', async () => answer(503, 'Service Unavailable')],
	['404 without the Error shape', async () => answer(404, '<html>Not found</html>')],
	['301', async () => answer(301, '')],
	['405 without the Error shape', async () => answer(405, { message: 'no' })],
];

describe.each(SILENCE)('a run that meets nothing but %s', (_name, gateway) => {
	test.each([
		[1_000, ITEMS],
		[60, 5],
	])('ends within three minutes, at %i requests a minute and %i jobs', async (...plan) => {
		const [requestsPerMinute, concurrentJobs] = plan;
		const { start, through } = setUp({ requestsPerMinute, concurrentJobs });
		through(gateway);
		const { error, tookMs } = await start();
		expect(error?.message).toMatch(SAID);
		expect(tookMs).toBeLessThanOrEqual(LIMIT_MS);
	});

	test('ends within three minutes where its items send files first, and has paid for nothing', async () => {
		const { start, through } = setUp({ requestsPerMinute: 60, concurrentJobs: 5 });
		through(gateway);
		const { error, tookMs } = await start(WITH_FILE);
		expect(error?.message).toMatch(SAID);
		expect(error?.description).toContain('no credits were spent');
		expect(tookMs).toBeLessThanOrEqual(LIMIT_MS);
	});

	test('ends within three minutes where it searches for what its expired keys may have made', async () => {
		const { model, start, through } = setUp({ requestsPerMinute: 60 });
		// Carried out, and the answer lost on its way.
		through(async (asked) => {
			await model.send(asked);
			return LOST;
		});
		await start();
		await clock.pass(25 * 3_600_000);
		through(gateway);
		const { error, tookMs } = await start();
		expect(error?.message).toMatch(SAID);
		expect(tookMs).toBeLessThanOrEqual(LIMIT_MS);
	});

	test('ends within three minutes where all jobs are known and only read, and goes on with them later', async () => {
		const { model, start, through } = setUp();
		await start({ waitForCompletion: true, options: { waitTimeout: 1 } });
		expect(model.jobs).toHaveLength(ITEMS);
		through(gateway);
		const { error, tookMs } = await start({ waitForCompletion: true });
		expect(error?.message).toMatch(SAID);
		expect(tookMs).toBeLessThanOrEqual(LIMIT_MS);
		through(undefined);
		await start({ waitForCompletion: false });
		expect(model.jobs).toHaveLength(ITEMS);
	});
});

test.each([401, 402])(
	'a %i ends a run whose items send files first before the others have sent theirs',
	async (status) => {
		const { start, through } = setUp({ requestsPerMinute: 60, concurrentJobs: 5 });
		let refused = 0;
		let files = 0;
		through(async (asked) => {
			if (asked.path === '/files') files += 1;
			await clock.sleep(200);
			if (status === 402 && (asked.method as string) === 'PUT') return answer(200, '');
			if (status === 402 && asked.path === '/files') return answer(201, PLACE);
			refused += 1;
			return answer(status, errorBody('No'));
		});
		const { error } = await start(WITH_FILE);
		expect(error?.message).toMatch(status === 401 ? /API key is invalid/ : /Not enough credits/);
		expect(refused).toBeLessThanOrEqual(5);
		expect(files).toBeLessThanOrEqual(30);
	},
);

test('one refusal in the Error shape now and then keeps the run going', async () => {
	const { start, through } = setUp({ items: 500, concurrentJobs: 50, continueOnFail: true });
	let count = 0;
	through(async () => {
		await clock.sleep(1_000);
		count += 1;
		return count % 20 === 0 ? answer(422, errorBody('No')) : answer(503, '');
	});
	const { items, tookMs } = await start();
	const errors = items.map(({ json }) => String(json.error));
	expect(tookMs).toBeGreaterThan(LIMIT_MS);
	expect(errors).toHaveLength(500);
	for (const error of errors) expect(error).toMatch(/answered with status 503|refused the request/);
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

	test('nor is one that hangs before any has had an answer', async () => {
		const { model, start, through } = setUp({ items: 1 });
		model.settings.jobMs = () => 1_000;
		let posts = 0;
		through(async (asked) => {
			if (asked.method === 'POST') posts += 1;
			if (posts > 1) return await model.send(asked);
			await clock.sleep(120_000);
			return { noResponse: 'timeout' };
		});
		const { items, error } = await start({ waitForCompletion: true, downloadOutputs: false });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		expect(posts).toBe(2);
	});
});

test('a run that is halted while its items only wait for slots fails, and names what it has', async () => {
	const { model, start, through } = setUp({ concurrentJobs: 5, items: 20 });
	model.settings.jobMs = () => 60_000;
	const began = clock.monotonic();
	through(async (asked) =>
		asked.method === 'GET' && clock.monotonic() - began < 300_000 ? LOST : await model.send(asked),
	);
	const { items, error } = await start({ waitForCompletion: true, downloadOutputs: false });
	expect(model.jobs).toHaveLength(5);
	expect(items).toEqual([]);
	expect(error?.message).toMatch(/^Not sent: the service gave no answer/);
	for (const { id } of model.jobs) expect(error?.description).toContain(id);
});
