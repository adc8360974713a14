/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import execa from 'execa';
import { availableParallelism } from 'node:os';
import { inLanes } from './clients/client';

/**
 * Works tasks off in virtual time, each in a process of its own, as many at once as the machine has
 * cores; the last first, which should be the slowest.
 * @param script ends with a call of {@link answer}
 */
export async function inProcesses<T>(script: string, tasks: number): Promise<T[]> {
	const all: T[] = [];
	await inLanes(tasks, availableParallelism(), async (started) => {
		const task = tasks - 1 - started;
		const { stdout } = await execa.node(script, [String(task)], {
			nodeOptions: ['--import', 'tsx'],
		});
		all[task] = JSON.parse(stdout) as T;
	});
	return all;
}

/** Does the task that this process was started for, if its script is this module. */
export async function answer(module: NodeModule, work: (task: number) => Promise<unknown>) {
	if (require.main === module) console.log(JSON.stringify(await work(Number(process.argv[2]))));
}
