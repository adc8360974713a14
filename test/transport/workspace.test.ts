import { workspaceOf } from '../../src/transport/workspace';
import { answer, channelOf } from '../model/answers';

const HOUR = 3_600_000;

const limits = (requestsPerMinute: number, concurrentJobs: number) => ({
	requestsPerMinute,
	concurrentJobs,
});

/** Each test has a service of its own, because workspaces are kept. */
let services = 0;
const service = () => {
	services += 1;
	return `https://api${services}.example/v1`;
};

test('credentials with one base URL and key share a workspace', () => {
	const url = service();
	const workspace = workspaceOf(url, 'key', limits(60, 5), 'a');
	expect(workspaceOf(url, 'key', limits(60, 5), 'b')).toBe(workspace);
	expect(workspaceOf(url, 'other key', limits(60, 5), 'a')).not.toBe(workspace);
});

test('of credentials with different limits the smaller count, whichever was read last', () => {
	const url = service();
	const { rateLimiter, slots } = workspaceOf(url, 'key', limits(30, 5), 'a');
	workspaceOf(url, 'key', limits(120, 2), 'b');
	expect([rateLimiter.limit, slots.limit]).toEqual([30, 2]);
	workspaceOf(url, 'key', limits(30, 5), 'a');
	expect([rateLimiter.limit, slots.limit]).toEqual([30, 2]);
});

test('a limit that is changed in its credential counts from then on, up or down, and is at least 1', () => {
	const url = service();
	const { rateLimiter, slots } = workspaceOf(url, 'key', limits(60, 5), 'a');
	workspaceOf(url, 'key', limits(120, 10), 'a');
	expect([rateLimiter.limit, slots.limit]).toEqual([120, 10]);
	workspaceOf(url, 'key', limits(0, 0), 'a');
	expect([rateLimiter.limit, slots.limit]).toEqual([1, 1]);
});

test('a workspace that nobody has used for an hour is forgotten, but not while somebody waits for a job', async () => {
	const url = service();
	let now = performance.now();
	const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
	const open = (key: string) => workspaceOf(url, key, limits(60, 5));
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
