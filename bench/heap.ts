/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { setMaxListeners } from 'node:events';
import type { Send } from '../src/base/types';
import type { IdempotencyMode } from '../src/creation/item';
import { answer } from '../test/model/answers';
import { seeded } from '../test/model/random';
import { PLAN } from '../test/model/run';
import { VirtualClock } from '../test/model/virtualClock';
import { published, startRun } from './ours';

/*
 * `node --expose-gc --import tsx bench/heap.ts job content` prints the bytes of heap that waiting items take:
 * for a `slot` or for their `job`, with a choice of Avoid Paying Twice. `waiting.ts` starts a process for
 * each figure, because what one run leaves behind would be taken for memory of the next.
 */

const ITEMS = 10_000;

/** After that all items have the slot, and each job was read that is read before its item waits for it. */
const WAIT_MS = 15 * 60_000;

function heap(): number {
	global.gc?.();
	return process.memoryUsage().heapUsed;
}

/** Accepts every job and never ends one; stores nothing, so that only our code is measured. */
function endless(clock: VirtualClock): Send {
	let jobs = 0;
	return async ({ method, path }) => {
		await clock.sleep(250);
		const [, id] = /\/(gen_\d+)$/.exec(path) ?? [];
		if (method === 'GET' && id === undefined) return answer(200, { object: 'list', data: [] });
		if (id === undefined) jobs += 1;
		return answer(202, { id: id ?? `gen_${jobs}`, object: 'generation', status: 'queued' });
	};
}

async function bytes(waitsFor: string, idempotency: IdempotencyMode): Promise<number> {
	const clock = new VirtualClock();
	const { signal } = new AbortController();
	// n8n lifts it likewise for the signal of an execution.
	setMaxListeners(0, signal);
	const before = heap();
	startRun({
		clock,
		random: seeded(1),
		send: endless(clock),
		jobs: ITEMS,
		limits: waitsFor === 'job' ? { requestsPerMinute: 1_000_000, concurrentJobs: ITEMS } : PLAN,
		signal,
		idempotency,
		prompt: (item) => `item ${item} `.repeat(20),
		from: published(),
	});
	await clock.pass(WAIT_MS);
	return heap() - before;
}

const [waitsFor = '', idempotency = ''] = process.argv.slice(2);
void bytes(waitsFor, idempotency as IdempotencyMode).then((size) =>
	process.stdout.write(`${size}`),
);
