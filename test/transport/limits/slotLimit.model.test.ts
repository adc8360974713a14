import { Batch } from '../../../src/transport/run/batch';
import { create } from '../../../src/transport/run/create';
import { Workspace } from '../../../src/transport/workspace';
import type { ApiRequest } from '../../../src/transport/base/types';
import { ModelService } from '../../../testing/modelService';
import { seeded } from '../../../testing/random';
import { hostWith, PLAN, runOf } from '../../../testing/run';
import { VirtualClock } from '../../../testing/virtualClock';

const MINUTES = 60_000;

describe('a plan with fewer slots than the credential says', () => {
	/** @returns seconds for 20 jobs of 8 s each of these processes, and the refusals */
	async function run(concurrentJobs: number, processes: number) {
		const clock = new VirtualClock();
		const service = new ModelService(clock, { concurrentJobs, jobMs: () => 8_000, latencyMs: 250 });
		let refused = 0;
		const send = async (request: ApiRequest) => {
			const response = await service.send(request);
			if ('status' in response && response.status === 429) refused += 1;
			return response;
		};
		const began = clock.now();
		const all = Array.from({ length: processes }, async (_, process) => {
			const workspace = new Workspace(PLAN, clock, seeded(process));
			const host = hostWith(send);
			const batch = new Batch(20, false);
			const items = Array.from({ length: 20 }, async (__, itemIndex) => {
				const origin = { runId: `process ${process}` };
				return await create(runOf({ host, workspace, batch, itemIndex, origin }));
			});
			return await Promise.all(items);
		});
		const results = (await clock.run(Promise.all(all))).flat();
		expect(results.every(({ ok }) => ok)).toBe(true);
		const bound = (20 * processes * 8) / concurrentJobs;
		return { ratio: (clock.now() - began) / 1_000 / bound, refused };
	}

	test.each([
		[1, 1],
		[2, 1],
		[3, 1],
		[2, 2],
	])('is found out by its first refusals: %i slots, processes: %i', async (slots, processes) => {
		const { ratio, refused } = await run(slots, processes);
		expect(ratio).toBeLessThan(1.4);
		expect(refused).toBeLessThanOrEqual(5 * processes);
	});

	test('is used as soon as it has more slots', async () => {
		const clock = new VirtualClock();
		const service = new ModelService(clock, { concurrentJobs: 2, jobMs: () => 30_000 });
		const workspace = new Workspace(PLAN, clock, seeded(1));
		const host = hostWith(async (request) => await service.send(request));
		const batch = new Batch(200, false);
		const origin = { runId: 'run' };
		const items = Array.from({ length: 200 }, async (_, itemIndex) => {
			return await create(runOf({ host, workspace, batch, itemIndex, origin }));
		});
		const began = clock.now();
		void clock.sleep(10 * MINUTES).then(() => (service.settings.concurrentJobs = 5));
		await clock.run(Promise.all(items));
		// 40 jobs in the first ten minutes, the others in 16 with all five slots, and what a probe takes.
		expect((clock.now() - began) / MINUTES).toBeLessThan(10 + 16 + 7);
	});
});
