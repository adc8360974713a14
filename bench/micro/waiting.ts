/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { setMaxListeners } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Batch } from '../../src/transport/run/batch';
import { executionCredits } from '../../src/transport/run/credits';
import type { Send } from '../../src/transport/base/types';
import { answer } from '../../testing/answers';
import { seeded } from '../../testing/random';
import { hostWith, PLAN, runOf, settingsWith } from '../../testing/run';
import { VirtualClock } from '../../testing/virtualClock';
import type { Figure } from '../report/table';

const ITEMS = 10_000;
const MIB = 1024 ** 2;
const MOST_MIB = 30;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heap(): number {
	collect();
	return process.memoryUsage().heapUsed;
}

/** Accepts every job and never ends one; stores nothing, so that only our code is measured. */
function endless(clock: VirtualClock): Send {
	let jobs = 0;
	return async ({ method }) => {
		await clock.sleep(250);
		if (method === 'GET') return answer(200, { object: 'list', data: [] });
		return answer(202, { id: `gen_${(jobs += 1)}`, object: 'generation', status: 'queued' });
	};
}

/**
 * A part of the transport as it is published, because tsx makes functions larger than they are. It
 * must have been built.
 */
function published<T>(name: string): T {
	return createRequire(__filename)(path.resolve(__dirname, '../../dist/src/transport', name)) as T;
}

async function measure(name: string, limits: typeof PLAN): Promise<Figure> {
	const { createJob } =
		published<typeof import('../../src/transport/run/createJob')>('operations/create');
	const { Workspace } = published<typeof import('../../src/transport/workspace')>('workspace');
	const clock = new VirtualClock();
	const workspace = new Workspace(limits, clock, seeded(1));
	const abort = new AbortController();
	// n8n lifts it likewise for the signal of an execution.
	setMaxListeners(0, abort.signal);
	const batch = new Batch(ITEMS, false);
	const channel = { send: endless(clock), fairnessKey: 'execution 1', signal: abort.signal };
	const host = { ...hostWith(channel.send), channel };
	const before = heap();
	// What the items of a run share in n8n, they share here; each has a prompt of its own.
	const settings = settingsWith();
	const shared = {
		host,
		workspace,
		batch,
		credits: executionCredits({}),
		node: { runId: 'run', items: {} },
	};
	const prompt = (itemIndex: number) => `item ${itemIndex} `.repeat(20);
	const items = Array.from({ length: ITEMS }, (_, itemIndex) =>
		createJob({ ...runOf({ ...shared, itemIndex, prompt: prompt(itemIndex) }), settings }),
	);
	await clock.pass(60_000);
	const mib = (heap() - before) / MIB;
	abort.abort();
	// Cancelled items go on in portions, in real time.
	await Promise.all(items);
	return {
		name,
		value: `${mib.toFixed(1)} MiB`,
		target: `≤ ${MOST_MIB} MiB`,
		isMet: mib <= MOST_MIB,
		note: 'heap after garbage collection, with prompts of 200 characters',
	};
}

/** What 10,000 items cost that wait for a slot, and 10,000 that wait for the end of their jobs. */
export async function waiting(): Promise<Figure[]> {
	const wide = { requestsPerMinute: 1_000_000, concurrentJobs: ITEMS };
	return [
		await measure('10,000 items that wait for a slot', PLAN),
		await measure('10,000 items that wait for their jobs', wide),
	];
}
