/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import type { AwaitEnd } from '../../src/transport/limits/abandonedJobs';
import { JobSemaphore } from '../../src/transport/limits/jobSemaphore';
import type { Permit } from '../../src/transport/limits/permit';
import { SharedUse } from '../../src/transport/limits/sharedUse';
import type { Resource } from '../../src/transport/base/types';
import { channelOf } from '../../testing/answers';
import { seeded } from '../../testing/random';
import { VirtualClock } from '../../testing/virtualClock';

/** What waits for a slot, and sends nothing. */
export const channel = (fairnessKey = 'a', signal?: AbortSignal) =>
	channelOf(async () => ({ noResponse: 'nothing is sent here' }), fairnessKey, signal);

/** Abandoned jobs that nothing ends. */
export const never: AwaitEnd = async () => await new Promise(() => {});

/** Alone in its workspace, as a list has just shown. */
export function semaphoreOf(limit: number, awaitEnd = never) {
	const clock = new VirtualClock();
	const sharedUse = new SharedUse();
	sharedUse.listed(new Set(), [], clock.monotonic());
	const requestList = async () => false;
	return new JobSemaphore(limit, clock, seeded(1), sharedUse, {
		awaitEnd,
		requestList,
		refused: () => true,
		throttled() {},
	});
}

export const job = (id: string): Resource => ({ id, object: 'generation', status: 'queued' });

/** @throws Error if the channel was cancelled */
export async function permitOf(pending: Promise<Permit | undefined>): Promise<Permit> {
	const permit = await pending;
	if (!permit) throw new Error('no permit');
	return permit;
}

/** Lets the test end abandoned jobs; records for which fairness key each was watched. */
export function jobsThatEnd() {
	const watched: Array<{ id: string; fairnessKey: string; end: () => void; isOn: () => boolean }> =
		[];
	const awaitEnd: AwaitEnd = async ({ fairnessKey, signal }, { id }) =>
		await new Promise((resolve) => {
			signal?.addEventListener('abort', () => resolve(false));
			const isOn = () => !signal?.aborted;
			watched.push({ id, fairnessKey, end: () => resolve(true), isOn });
		});
	return {
		watched,
		awaitEnd,
		idsOn: () => watched.filter(({ isOn }) => isOn()).map(({ id }) => id),
	};
}

/** Whether a promise has settled by now. */
export async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
	const waiting = Symbol('waiting');
	await new Promise((resolve) => setImmediate(resolve));
	return (await Promise.race([promise, Promise.resolve(waiting)])) !== waiting;
}
