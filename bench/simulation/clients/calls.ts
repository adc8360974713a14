import { isNoResponse, type ApiRequest, type Resource } from '../../../src/base/types';
import type { Scene } from './client';

/**
 * How a client takes refusals in a row: how many it bears before it gives the job up, and how long it waits
 * after each, in milliseconds. Whoever uses it starts a job that was given up again a minute later, when the
 * service's window is over, so that every client makes all jobs and the times can be compared.
 */
export interface RetryPolicy {
	most: number;
	delay: (refusals: number) => number;
}

const AGAIN_MS = 60_000;

interface Served {
	job: Resource;
	/** Whether the client has given up on the way. */
	isLost: boolean;
}

/** Sends until it is served. */
export async function call(
	{ clock, send }: Scene,
	request: ApiRequest,
	{ most, delay }: RetryPolicy,
): Promise<Served> {
	let isLost = false;
	for (let refusals = 0; ;) {
		const answer = await send(request);
		if (!isNoResponse(answer) && answer.status < 300) {
			return { job: answer.body as Resource, isLost };
		}
		refusals += 1;
		const givesUp = refusals > most;
		await clock.sleep(givesUp ? AGAIN_MS : delay(refusals));
		if (!givesUp) continue;
		isLost = true;
		refusals = 0;
	}
}

export const creation = (item: number): ApiRequest => ({
	method: 'POST',
	path: '/generations',
	body: { mode: 'image', model: 'm', prompt: `item ${item}` },
	headers: { 'Idempotency-Key': `naive ${item}` },
});

const reading = (id: string): ApiRequest => ({ method: 'GET', path: `/generations/${id}` });

/** How a client waits for one job. Milliseconds. */
export interface Polling {
	/** From the answer of the creation to the first poll. */
	firstMs: number;
	/** From an answer to the next poll. */
	everyMs: number;
	retry: RetryPolicy;
	/**
	 * Polls that show the job running before the client gives it up; it is started again as after refusals.
	 */
	mostPolls?: number;
}

/** Creates one job and polls it by itself. `false` when it would have been given up on the way. */
export async function createAndPoll(
	scene: Scene,
	item: number,
	{ firstMs, everyMs, retry, mostPolls = Infinity }: Polling,
): Promise<boolean> {
	let served = await call(scene, creation(item), retry);
	let { isLost } = served;
	for (let polls = 0; served.job.status === 'queued'; polls += 1) {
		isLost ||= polls >= mostPolls;
		await scene.clock.sleep(polls === 0 ? firstMs : everyMs);
		served = await call(scene, reading(served.job.id), retry);
		isLost ||= served.isLost;
	}
	return !isLost;
}
