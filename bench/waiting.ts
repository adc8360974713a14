/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import execa from 'execa';
import path from 'node:path';
import { atMost, type Figure } from './table';

const MIB = 1024 ** 2;
const NOTE = 'heap after garbage collection, with prompts of 200 characters';

/** @param args see `heap.ts` */
function measure(name: string, mostMib: number, ...args: string[]): Figure {
	const script = path.join(__dirname, 'heap.ts');
	const node = ['--expose-gc', '--import', 'tsx', script, ...args];
	const bytes = Number(execa.sync(process.execPath, node).stdout);
	return atMost(name, bytes / MIB, mostMib, { digits: 1, unit: ' MiB', note: NOTE });
}

/** What 10,000 items cost that wait for a slot, and 10,000 that wait for the end of their jobs. */
export const waiting = (): Figure[] => [
	measure('10,000 items that wait for a slot', 40, 'slot', 'execution'),
	measure('10,000 items that wait for their jobs', 40, 'job', 'execution'),
	measure('the same for a slot, Same Request', 40, 'slot', 'content'),
	measure('the same for their jobs, Same Request', 45, 'job', 'content'),
];
