import type { INodeExecutionData } from 'n8n-workflow';
import type { Json } from '../contract';
import { isRecord, type Resource } from '../transport/base/types';
import { itemsOf } from '../transport/runner/items';
import type { Service } from '../trigger/connection';
import { readEvent, type MediaGenEvent } from '../webhook/event';
import { readJobsState } from './jobsState';
import type { Parked } from './parkedState';
import { hasEnded, outcomeOf, textOf } from './pendingWaits';

/**
 * The items that the execution resumes with: those of the parking run, with the current state of
 * the jobs waited for.
 */
async function itemsWith(
	service: Service,
	{ state, items }: Parked,
	ended: Map<string, Resource>,
): Promise<INodeExecutionData[]> {
	const output = [...items];
	for (const { index, id } of state.jobs) {
		const job = ended.get(id);
		const outcome = job && (await outcomeOf(service, job, true));
		const parked = items[index];
		if (!outcome?.ok || !parked) continue;
		const settings = { splitOutputs: false, outputBinaryField: 'data' } as const;
		const [item] = itemsOf(outcome.value, settings, index);
		output[index] = { ...item, json: item?.json ?? {}, pairedItem: parked.pairedItem };
	}
	return output;
}

/** Whether the payload names its resource, in one of the known shapes. */
const namesResource = ({ resource, resourceId }: MediaGenEvent, payload: Json): boolean =>
	resourceId !== undefined && (resource !== payload || textOf(payload.object) !== undefined);

/**
 * Whether an event may be about one of the jobs: it has a job's id anywhere, as the specification
 * does not show the shape of events (Events), or it names no resource at all.
 */
export function concerns({ state }: Parked, payload: Json, rawBody: Buffer): boolean {
	const text = rawBody.toString();
	if (state.jobs.some(({ id }) => text.includes(JSON.stringify(id)))) return true;
	return !namesResource(readEvent(payload), payload);
}

/** The job of which the event reports the end, if it is one of those waited for. */
function reportedEnd({ state }: Parked, { resource, resourceId }: MediaGenEvent) {
	const job = state.jobs.find(({ id }) => id === resourceId);
	if (!job || !isRecord(resource) || textOf(resource.status) === undefined) return undefined;
	const isEnd = hasEnded({ object: job.object, ...resource, id: job.id }, job.terminalStatuses);
	return isEnd ? job.id : undefined;
}

/** What becomes of an event: the items to resume with, nothing yet, or another delivery of it. */
type Verdict = INodeExecutionData[] | 'parked' | 'again';

/**
 * Decides what a genuine event that {@link concerns} a parked execution does to it, by asking
 * the service about all of its jobs. What cannot be asked for at the moment is `again`, so that
 * the service delivers the event once more.
 */
export async function judge(
	service: Service,
	parked: Parked,
	event: MediaGenEvent,
): Promise<Verdict> {
	// Events are not counted: each time, the service is asked whether all jobs have ended.
	const reported = reportedEnd(parked, event);
	const seen = await readJobsState(service, parked, reported);
	if (!seen) return 'again';
	if ('ended' in seen) return await itemsWith(service, parked, seen.ended);
	// A part of the service does not know of the end yet: the event must be delivered again.
	return seen.running === reported ? 'again' : 'parked';
}
