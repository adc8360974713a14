import type { Channel } from '../../src/base/types';
import { workspaceOf, type Workspace } from '../../src/transport/workspace';
import { answer, channelOf } from '../model/answers';
import { workspaceWith as workspaceAt } from '../model/run';
import { VirtualClock } from '../model/virtualClock';
import { accessTo } from '../support/nodeContext';

const HOUR = 3_600_000;

/** The workspace of a credential with these limits. */
const workspaceWith = (
	baseUrl: string,
	apiKey: string,
	[requestsPerMinute, concurrentJobs]: [number, number],
	credential?: string,
) => {
	const limits = { requestsPerMinute, concurrentJobs };
	return workspaceOf({ ...accessTo(baseUrl, apiKey), limits }, credential);
};

/** Each test has a service of its own, because workspaces are kept. */
let services = 0;
const service = () => {
	services += 1;
	return `https://api${services}.example/v1`;
};

test('credentials with one base URL and key share a workspace', () => {
	const url = service();
	const workspace = workspaceWith(url, 'key', [60, 5], 'a');
	expect(workspaceWith(url, 'key', [60, 5], 'b')).toBe(workspace);
	expect(workspaceWith(url, 'other key', [60, 5], 'a')).not.toBe(workspace);
});

test('of credentials with different limits the smaller count, whichever was read last', () => {
	const url = service();
	const { rateLimiter, slots } = workspaceWith(url, 'key', [30, 5], 'a');
	workspaceWith(url, 'key', [120, 2], 'b');
	expect([rateLimiter.limit, slots.limit]).toEqual([30, 2]);
	workspaceWith(url, 'key', [30, 5], 'a');
	expect([rateLimiter.limit, slots.limit]).toEqual([30, 2]);
});

test('a limit that is changed in its credential counts from then on, up or down, and is at least 1', () => {
	const url = service();
	const { rateLimiter, slots } = workspaceWith(url, 'key', [60, 5], 'a');
	workspaceWith(url, 'key', [120, 10], 'a');
	expect([rateLimiter.limit, slots.limit]).toEqual([120, 10]);
	workspaceWith(url, 'key', [0, 0], 'a');
	expect([rateLimiter.limit, slots.limit]).toEqual([1, 1]);
});

test('a workspace that nobody has used for an hour is forgotten, but not while somebody waits for a job', async () => {
	const url = service();
	let now = performance.now();
	const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
	const open = (key: string) => workspaceWith(url, key, [60, 5]);
	const [unused, used, waiting] = [open('unused'), open('used'), open('waiting')];
	const abort = new AbortController();
	const channel = channelOf(async () => answer(200), 'a', abort.signal);
	const job = { id: 'gen_1', object: 'generation', status: 'queued' };
	const wait = waiting.poller.wait(channel, job, 5 * HOUR);
	now += HOUR - 1;
	expect(open('unused')).toBe(unused);
	await used.rateLimiter.acquire(channel);
	now += 1;
	expect(open('used')).toBe(used);
	expect(open('waiting')).toBe(waiting);
	expect(open('unused')).not.toBe(unused);
	abort.abort();
	await wait;
	clock.mockRestore();
});

type Wait = (workspace: Workspace, channel: Channel) => Promise<unknown>;

/** Waits that a timer ends, by what waits: it begins once all is taken, and then it waits. */
const WAITS: Array<[string, Wait, Wait]> = [
	[
		'a request for its turn',
		async ({ rateLimiter }, channel) => {
			await rateLimiter.acquire(channel);
			rateLimiter.release();
		},
		({ rateLimiter }, channel) => rateLimiter.acquire(channel),
	],
	[
		'a creation for a slot',
		({ slots }, channel) => slots.acquire(channel, { timeoutMs: 60_000, takesSlot: 'media' }),
		({ slots }, channel) => slots.acquire(channel, { timeoutMs: 60_000, takesSlot: 'media' }),
	],
	[
		'a creation for a top-up',
		async ({ topUpGate }) => topUpGate.refused(),
		({ topUpGate }, channel) => topUpGate.mayTry(channel, Infinity),
	],
];

test.each(WAITS)(
	'what our own code throws in a timer ends the wait of %s',
	async (_, take, wait) => {
		const clock = new VirtualClock();
		const limits = { requestsPerMinute: 1, concurrentJobs: 1 };
		const workspace = workspaceAt(clock, limits);
		const channel = channelOf(async () => answer(200));
		await take(workspace, channel);
		const waiting = Promise.allSettled([wait(workspace, channel)]);
		await clock.quiet();
		const fault = new TypeError('Cannot read properties of undefined');
		// The clock is asked first by whatever a timer calls.
		clock.after(0.5, () => {
			jest.spyOn(clock, 'monotonic').mockImplementationOnce(() => {
				throw fault;
			});
		});
		expect(await clock.run(waiting)).toEqual([{ status: 'rejected', reason: fault }]);
	},
);
