import {
	isNoResponse,
	type SendResult,
	type ApiRequest,
	type Resource,
} from '../../../src/transport/base/types';
import type { Scene } from './client';

/**
 * How a client takes refusals in a row: how many it bears before it gives the job up, and how long it waits after each, in
 * milliseconds. Here it goes on all the same, so that every client has to make all jobs and the times can be compared.
 */
export interface Patience {
	most: number;
	delay: (refusals: number) => number;
}

interface Served {
	job: Resource;
	/** Whether the client would have given up. */
	isLost: boolean;
}

/** Sends until it is served. */
export async function call(
	{ clock, service }: Scene,
	request: ApiRequest,
	{ most, delay }: Patience,
): Promise<Served> {
	for (let refusals = 0; ; refusals += 1) {
		if (refusals > 0) await clock.sleep(delay(refusals));
		const answer: SendResult = await service.send(request);
		if (!isNoResponse(answer) && answer.status < 300) {
			return { job: answer.body as Resource, isLost: refusals > most };
		}
	}
}

export const creation = (item: number): ApiRequest => ({
	method: 'POST',
	path: '/generations',
	body: { mode: 'image', model: 'm', prompt: `item ${item}` },
	headers: { 'Idempotency-Key': `naive ${item}` },
});

const reading = (id: string): ApiRequest => ({ method: 'GET', path: `/generations/${id}` });

/** Creates one job and polls it by itself. `false` when it would have been given up on the way. */
export async function createAndPoll(
	scene: Scene,
	item: number,
	pollMs: number,
	patience: Patience,
): Promise<boolean> {
	let served = await call(scene, creation(item), patience);
	let { isLost: isGivenUp } = served;
	while (served.job.status === 'queued') {
		await scene.clock.sleep(pollMs);
		served = await call(scene, reading(served.job.id), patience);
		isGivenUp ||= served.isLost;
	}
	return !isGivenUp;
}
