import { RateLimiter } from '../../../src/transport/limits/rateLimiter';
import type { ApiRequest, Resource } from '../../../src/transport/base/types';
import { lineOf } from '../../../testing/answers';
import { PLAN } from '../../../testing/run';
import { call, creation } from './calls';
import { inLanes, type Client, type Scene } from './client';

const LIST_MS = 2_000;

const PATIENCE = { most: Infinity, delay: () => LIST_MS };

const LIST: ApiRequest = { method: 'GET', path: '/generations', query: { limit: 100 } };

/** Our gate, five workers, and one list request every 2 s: what looking at a good time is worth. */
export const lister: Client = {
	name: 'list every 2 s',
	async run(scene) {
		const { clock, service } = scene;
		const rateLimiter = new RateLimiter(clock, PLAN.requestsPerMinute);
		const channel = lineOf(service.send);
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
		const look = async () => {
			while (!isOver) {
				await clock.sleep(LIST_MS);
				if (waiting.size === 0) continue;
				const page = await call(gated, LIST, PATIENCE);
				for (const { id, status } of page.job.data as Resource[]) {
					if (status === 'completed') waiting.get(id)?.();
				}
			}
		};
		const looking = look();
		await inLanes(scene.jobs, PLAN.concurrentJobs, async (item) => {
			const { job } = await call(gated, creation(item), PATIENCE);
			await new Promise<void>((resolve) => waiting.set(job.id, resolve));
			waiting.delete(job.id);
		});
		isOver = true;
		void looking;
		return 0;
	},
};
