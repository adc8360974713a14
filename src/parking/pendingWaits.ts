import { inputItems } from '../transport/host/nodeInput';
import type { Item, Outcome, Park } from '../transport/item/item';
import { jobState, type TerminalStatuses } from '../transport/jobs/jobState';
import { readJobs, type JobRef, type ReadOptions } from '../transport/jobs/readJobs';
import { collect } from '../transport/operations/outputs';
import { fail, type Failed, type Result } from '../transport/base/result';
import type { Resource } from '../transport/base/types';

/** One item's wait for a job. */
export interface Wait {
	item: Item;
	ref: JobRef;
	/** As last read; `undefined` before the first read. */
	job?: Resource;
	/** Why it cannot be read. */
	failed?: Failed;
}

/** A text, empty or not; `undefined` for everything else. */
export const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** The kind of the job according to the input item: a hint which endpoint to try first. */
function objectIn(row: Record<string, unknown> | undefined, id: string): string | undefined {
	return row?.id === id ? textOf(row.object) : undefined;
}

/** The waits of a run, in the order of its items; nothing is read yet. */
export function waitsOf(context: Parameters<Park>[0], items: Item[]): Wait[] {
	const rows = inputItems(context);
	return items.map((item) => {
		const { path } = item.request;
		const id = decodeURIComponent(path.split('/').at(-1) ?? '');
		const object = objectIn(rows[item.itemIndex]?.json, id);
		return { item, ref: { id, path, object, terminalStatuses: item.settings.terminalStatuses } };
	});
}

/** Whether there is nothing left to wait for. */
export const isOver = ({ job, failed, ref }: Wait): boolean =>
	failed !== undefined || (job !== undefined && hasEnded(job, ref.terminalStatuses));

/** Whether the job is in a terminal status, good or bad. */
export const hasEnded = (job: Resource, terminalStatuses: TerminalStatuses | undefined): boolean =>
	jobState(job, terminalStatuses) !== 'running';

/** Reads all pending jobs; several items may wait for the same one. */
export async function readPending(waits: Wait[], options: ReadOptions = {}): Promise<void> {
	const pending = waits.filter((wait) => !isOver(wait));
	const [first] = pending;
	if (!first) return;
	const refs = new Map(pending.map(({ ref }) => [ref.id, ref]));
	const { workspace, host } = first.item;
	const read = await readJobs(workspace.client, host.channel, [...refs.values()], options);
	for (const wait of pending) {
		const seen = read.get(wait.ref.id);
		if (seen?.ok) {
			wait.job = seen.value;
			wait.ref.object = textOf(seen.value.object);
		} else if (!wait.job) {
			// A job that has been read before exists: a later read may succeed again.
			wait.failed = seen ?? fail({ kind: 'cancelled' });
		}
	}
}

/** A job as a parked wait outputs it: even a failed one is data, however the wait ended. */
export async function outcomeOf(
	run: Pick<Item, 'host' | 'workspace'>,
	job: Resource,
	finished: boolean,
): Promise<Result<Outcome>> {
	const bare = await collect({ ...run, settings: { downloadOutputs: false } }, job);
	return bare.ok ? { ok: true, value: { ...bare.value, finished } } : bare;
}
