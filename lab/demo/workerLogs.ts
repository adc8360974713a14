/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import type { Worker } from '../n8n/queue';

/** What n8n writes into a worker's log when it takes an execution from the queue. */
const started = /Worker started execution (\d+)/g;

/** Which worker took an execution, by the workers' logs; `undefined` while none has. */
export function workerOf(execution: string, workers: Worker[]): string | undefined {
	const took = ({ n8n }: Worker) =>
		[...readFileSync(n8n.logFile, 'utf8').matchAll(started)].some(([, id]) => id === execution);
	return workers.find(took)?.name;
}
