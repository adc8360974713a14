import { Run } from '../../src/creation/run';
import { Workspace } from '../../src/transport/workspace';
import { answer, channelOf, LOST } from '../model/answers';
import { ModelService } from '../model/modelService';
import { dice, seeded } from '../model/random';
import { createJob, hostWith, PLAN, runAll } from '../model/run';
import { VirtualClock } from '../model/virtualClock';
import { playSeeds } from '../support/seed';
import { cases } from '../support/thorough';
import type { Send } from '../../src/base/types';

/**
 * Executions of one workspace at a service of random habits: whatever it does, each item ends within
 * what docs/limits.md says, one after the other, and nothing is left behind.
 */
const WORLDS = cases(100);

const MINUTE = 60_000;

/** @returns what was wrong */
async function world(seed: number): Promise<string[]> {
	const { random, pick } = dice(seed);
	const clock = new VirtualClock();
	const badness = pick(0, 0.1, 0.5, 1);
	const model = new ModelService(clock, {
		requestsPerMinute: pick(10, 60, 600),
		concurrentJobs: pick(1, 3, 5),
		latencyMs: pick(50, 2_000),
		credits: pick(3, 20, Infinity),
		jobMs: () => pick(500, 10_000, 120_000, 3_600_000),
		ending: () => ({ status: pick('completed', 'completed', 'failed', 'expired') }),
		fault: () =>
			random() < badness ? pick('before', 'after', 'timeout', 'truncated', 'error') : undefined,
	});
	const isListed = pick(true, true, false);
	const send: Send = async (request) => {
		if (!isListed && request.path === '/generations' && request.method === 'GET')
			return answer(403);
		if (random() < badness / 10)
			return pick(answer(429, undefined, { 'retry-after': '120' }), LOST);
		return await model.send(request);
	};
	const waitTimeoutMs = pick(1, 5, 30) * MINUTE;
	const creditWaitTimeoutMs = pick(1, 30) * MINUTE;
	const workspaces = [1, 2].map((own) => new Workspace(PLAN, clock, seeded(seed + own)));
	if (random() < 0.3)
		clock.after(20 * MINUTE, () => {
			model.settings.credits = 50;
		});
	const cancels = [1, 2, 3].map(() => new AbortController());
	for (const cancel of cancels)
		if (random() < 0.3) clock.after(random() * 20 * MINUTE, () => cancel.abort());
	const tookMs: number[] = [];
	const runs = cancels.map(async ({ signal }, execution) => {
		const workspace = workspaces[execution % 2] as Workspace;
		const count = pick(1, 7, 30);
		const host = hostWith(send, {}, `execution ${execution}`);
		const shared = {
			workspace,
			host: { ...host, channel: { ...host.channel, signal } },
			run: new Run(undefined, pick(true, false), signal),
			nodeMemory: { runId: `run ${execution}`, items: {} },
			settings: {
				waitTimeoutMs,
				creditWaitTimeoutMs,
				waitForCompletion: pick(true, false),
				idempotency: pick('execution', 'content', 'none'),
				onInsufficientCredits: pick('stop', 'wait'),
				maxCredits: pick(0, 0, 10),
			},
		};
		await clock.sleep(random() * 10 * MINUTE);
		const partsOf = (item: number) => ({
			...shared,
			prompt: pick('a', 'b', `${execution} ${item}`),
			model: pick('m', 'n'),
		});
		await runAll(count, partsOf, async (item) => {
			const began = clock.monotonic();
			await createJob(item);
			tookMs.push((clock.monotonic() - began) / count);
		});
	});
	await clock.run(Promise.all(runs));
	await clock.pass(30 * MINUTE);
	const { sleeping } = clock;
	const busy = workspaces.filter(({ poller }) => !poller.isIdle).length;
	let slots = 0;
	const channel = channelOf(async () => answer(200, { object: 'list', data: [] }));
	for (const workspace of [...workspaces, ...workspaces, ...workspaces]) {
		const slot = workspace.slots.acquire(channel, { timeoutMs: 60 * MINUTE, takesSlot: 'media' });
		void slot.then(({ ok }) => {
			slots += Number(ok);
		});
	}
	// Those that a plan with fewer slots than configured seems not to have are tried once a minute.
	await clock.pass(10 * MINUTE);
	const left = JSON.stringify({ sleeping, busy, slots });
	const wrong =
		left === JSON.stringify({ sleeping: 0, busy: 0, slots: 6 }) ? [] : [`Left: ${left}`];
	const longest = Math.max(...tookMs) / MINUTE;
	return longest > 240 ? [...wrong, `An item took ${longest} minutes`] : wrong;
}

test(`${WORLDS} random worlds: every item ends in its time, and nothing is left behind`, async () => {
	await playSeeds(WORLDS, world);
});
