/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf, type ParkedRuns } from './parkedRuns';
import { outputOf } from './parkedJobs';
import { signedHeaders } from './signed';
import { until } from './until';

/**
 * How many calls of strangers, and as many repeats, an execution gets; the figure in
 * docs/waiting.md is of 10,000.
 */
const FORGED = Number(process.env.MEDIAGEN_PARKED_FORGED ?? 20);

/** Calls that a sender has under way at a time. */
const AT_ONCE = 20;

/** What the calls were answered, each status once. */
async function statusesOf(
	calls: Array<() => Promise<number>>,
	count: number,
): Promise<Set<number>> {
	const statuses = new Set<number>();
	let made = 0;
	const sender = async () => {
		for (let next = made++; next < count; next = made++) {
			const call = calls[next % calls.length];
			if (call) statuses.add(await call());
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, sender));
	return statuses;
}

/** What must hold of events at parked executions, in every mode of n8n. */
export function parkedEventRules(given: () => ParkedRuns): void {
	it('a job that ends before the webhook stands is found by the second look: nothing is parked, nothing left', async () => {
		const runs = given();
		const { jobs, instance } = runs;
		instance.faults([{ kind: 'slow', operations: ['createWebhook'], seconds: 120, times: 1 }]);
		const ids = await jobs.make(2);
		const id = await runs.park(ids);
		await until(() => jobs.requests().at(-1) === 'GET /webhooks');
		jobs.end(...ids);
		const execution = await runs.ended(id);
		instance.faults([]);
		expect(outputOf(execution).map(({ json }) => json.finished)).toEqual([true, true]);
		expect(runs.noWebhookOf(id)).toBe(true);
	});

	it('an event while the execution is being saved comes again and resumes it', async () => {
		const runs = given();
		const { jobs, instance } = runs;
		const [job = ''] = await jobs.make(1);
		// The second look brings no answer, and takes so long that the event comes while n8n still runs
		// the execution.
		const second = { operations: ['getJob'], skip: 1, times: 1 };
		instance.faults([
			{ kind: 'slow', seconds: 120, ...second },
			{ kind: 'status_before', status: 503, ...second },
		]);
		const id = await runs.park([job]);
		await until(() => !runs.noWebhookOf(id));
		expect(await runs.deliver(id, bodyOf(job, 'evt_early'))).toBeGreaterThanOrEqual(400);
		jobs.end(job);
		await runs.isParked(id);
		instance.faults([]);
		const [item] = outputOf(await runs.ended(id));
		expect(item?.json).toMatchObject({ status: 'completed', finished: true });
	});

	it('strangers, replays, foreign events and events of jobs already read resume nothing and ask the service nothing', async () => {
		const runs = given();
		const { jobs } = runs;
		const [done = '', first = '', second = ''] = await jobs.make(3);
		jobs.end(done);
		await sleep(300);
		const id = await runs.park([done, first, second]);
		await runs.isParked(id);
		const { secret } = runs.webhookOf(id);
		const at = () => Math.floor(Date.now() / 1_000);
		const end = bodyOf(first, 'evt_forged');
		const before = jobs.requests().length;
		const old = signedHeaders(secret, end, at() - 301);
		const forged = [
			{},
			signedHeaders('another secret', end),
			old,
			signedHeaders(secret, `${end} `),
		].map((headers) => async () => await runs.deliver(id, end, headers));
		expect([...(await statusesOf(forged, FORGED))]).toEqual([401]);
		expect(await runs.deliver(id, bodyOf('gen_foreign', 'evt_foreign'))).toBe(200);
		expect(await runs.deliver(id, bodyOf(done, 'evt_done'))).toBe(200);
		expect(runs.askedAbout([done, first, second], before)).toEqual([]);
		// Genuine, and true of one of the two: each process asks once, however often it is sent.
		const processes = runs.processes;
		jobs.end(first);
		await until(() => runs.isDelivered(id, first));
		const asked = jobs.requests().length;
		const genuine = bodyOf(first, 'evt_replayed');
		const replay = async () => await runs.deliver(id, genuine);
		expect([...(await statusesOf([replay], FORGED))]).toEqual([200]);
		expect(runs.askedAbout([first, second], asked).length).toBeLessThanOrEqual(processes);
		expect(await runs.status(id)).toBe('waiting');
		jobs.end(second);
		expect((await runs.ended(id)).status).toBe('success');
	});
}
