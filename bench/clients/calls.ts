import { isLost, type Answer, type ApiRequest, type Resource } from '../../src/transport/types';
import type { Scene } from './client';

/** How a client goes on after a refusal: milliseconds until the next try, `undefined` when it gives up. */
export type Retry = (refusals: number) => number | undefined;

/** Sends until it is served or given up; the job that answers. */
export async function call(
	{ clock, service }: Scene,
	request: ApiRequest,
	retry: Retry,
): Promise<Resource | undefined> {
	for (let refusals = 1; ; refusals += 1) {
		const answer: Answer = await service.send(request);
		if (!isLost(answer) && answer.status < 300) return answer.body as Resource;
		const delay = retry(refusals);
		if (delay === undefined) return undefined;
		await clock.sleep(delay);
	}
}

export const creation = (item: number): ApiRequest => ({
	method: 'POST',
	path: '/generations',
	body: { mode: 'image', model: 'm', prompt: `item ${item}` },
	headers: { 'Idempotency-Key': `naive ${item}` },
});

export const reading = (id: string): ApiRequest => ({ method: 'GET', path: `/generations/${id}` });

/** Creates one job and polls it by itself. `false` when it was given up on the way. */
export async function createAndPoll(
	scene: Scene,
	item: number,
	pollMs: number,
	retry: Retry,
): Promise<boolean> {
	let job = await call(scene, creation(item), retry);
	while (job?.status === 'queued') {
		await scene.clock.sleep(pollMs);
		job = await call(scene, reading(job.id), retry);
	}
	return job !== undefined;
}
