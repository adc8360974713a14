import { RateLimiter } from '../../../src/service/rateLimiter';
import type { ApiRequest, Resource } from '../../../src/base/types';
import { channelOf } from '../../../test/model/answers';
import { PLAN } from '../../../test/model/run';
import { call, creation } from './calls';
import { inLanes, type Client, type Scene } from './client';

const LIST: ApiRequest = { method: 'GET', path: '/generations', query: { limit: 100 } };

/** Our gate, five workers, and one list request in a fixed time: what listing at a good time is worth. */
const listerEvery = (listMs: number): Client => ({
	name: `list every ${listMs / 1_000} s`,
	async run(scene) {
		const { clock, service } = scene;
		const retry = { most: Infinity, delay: () => listMs };
		const rateLimiter = new RateLimiter(clock, PLAN.requestsPerMinute);
		const channel = channelOf(service.send);
		const gated: Scene = {
			...scene,
			service: Object.assign(Object.create(service) as typeof service, {
				async send(request: ApiRequest) {
					await rateLimiter.acquire(channel);
					const answer = await service.send(request);
					rateLimiter.release();
					return answer;
				},
			}),
		};
		const waiting = new Map<string, () => void>();
		let isOver = false;
		const list = async () => {
			while (!isOver) {
				await clock.sleep(listMs);
				if (waiting.size === 0) continue;
				const page = await call(gated, LIST, retry);
				for (const { id, status } of page.job.data as Resource[]) {
					if (status === 'completed') waiting.get(id)?.();
				}
			}
		};
		const listing = list();
		await inLanes(scene.jobs, PLAN.concurrentJobs, async (item) => {
			const { job } = await call(gated, creation(item), retry);
			await new Promise<void>((resolve) => waiting.set(job.id, resolve));
			waiting.delete(job.id);
		});
		isOver = true;
		void listing;
		return 0;
	},
});

export const lister = listerEvery(2_000);
