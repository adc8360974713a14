import { RateLimiter } from '../../../src/transport/sharing';
import type { ApiRequest, Resource } from '../../../src/base/types';
import { channelOf } from '../../../test/model/answers';
import { PLAN } from '../../../test/model/run';
import { call, creation } from './calls';
import { inLanes, type Client, type Scene } from './client';

const LIST: ApiRequest = { method: 'GET', path: '/generations', query: { limit: 100 } };

const EVERY_MS = 2_000;

/** Our gate, five workers, and one list request in a fixed time: what listing at a good time is worth. */
export const lister: Client = {
	name: `list every ${EVERY_MS / 1_000} s`,
	async run(scene) {
		const { clock, send } = scene;
		const retry = { most: Infinity, delay: () => EVERY_MS };
		const rateLimiter = new RateLimiter(clock, PLAN.requestsPerMinute);
		const channel = channelOf(send);
		const gated: Scene = {
			...scene,
			async send(request) {
				await rateLimiter.acquire(channel);
				const answer = await send(request);
				rateLimiter.release();
				return answer;
			},
		};
		const waiting = new Map<string, () => void>();
		let isOver = false;
		const list = async () => {
			while (!isOver) {
				await clock.sleep(EVERY_MS);
				if (waiting.size === 0) continue;
				const page = await call(gated, LIST, retry);
				for (const { id, status } of page.job.data as Resource[]) {
					if (status === 'completed') waiting.get(id)?.();
				}
			}
		};
		void list();
		await inLanes(scene.jobs, PLAN.concurrentJobs, async (item) => {
			const { job } = await call(gated, creation(item), retry);
			await new Promise<void>((resolve) => waiting.set(job.id, resolve));
			waiting.delete(job.id);
		});
		isOver = true;
		return 0;
	},
};
