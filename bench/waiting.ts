/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { setMaxListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Send } from '../src/base/types';
import { answer } from '../test/model/answers';
import { seeded } from '../test/model/random';
import { PLAN } from '../test/model/run';
import { VirtualClock } from '../test/model/virtualClock';
import { published, startRun } from './ours';
import { atMost, type Figure } from './table';

const ITEMS = 10_000;
const MIB = 1024 ** 2;
const MOST_MIB = 40;

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
		jobs += 1;
		return answer(202, { id: `gen_${jobs}`, object: 'generation', status: 'queued' });
	};
}

async function measure(name: string, limits: typeof PLAN): Promise<Figure> {
	const clock = new VirtualClock();
	const abort = new AbortController();
	// n8n lifts it likewise for the signal of an execution.
	setMaxListeners(0, abort.signal);
	const before = heap();
	const { items } = startRun({
		clock,
		random: seeded(1),
		send: endless(clock),
		jobs: ITEMS,
		limits,
		signal: abort.signal,
		prompt: (item) => `item ${item} `.repeat(20),
		from: published(),
	});
	await clock.pass(60_000);
	const mib = (heap() - before) / MIB;
	abort.abort();
	await items;
	const note = 'heap after garbage collection, with prompts of 200 characters';
	return atMost(name, mib, MOST_MIB, { digits: 1, unit: ' MiB', note });
}

/** What 10,000 items cost that wait for a slot, and 10,000 that wait for the end of their jobs. */
export async function waiting(): Promise<Figure[]> {
	const wide = { requestsPerMinute: 1_000_000, concurrentJobs: ITEMS };
	return [
		await measure('10,000 items that wait for a slot', PLAN),
		await measure('10,000 items that wait for their jobs', wide),
	];
}
