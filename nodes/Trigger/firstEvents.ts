import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { createHash } from 'crypto';
import { isRecord } from '../../src/transport/base/types';
import {
	canNameRows,
	processedItems,
	withLock,
	withRetries,
} from '../../src/trigger/processedItems';
import { withoutRepeats } from '../../src/trigger/withoutRepeats';
import { readEvent, type MediaGenEvent } from '../../src/webhook/event';
import { deduplicator, eventKey } from './eventMemory';

/** Events that a row holds, of which there are 65,536 for a trigger. */
const EVENTS_A_ROW = 4;

/** Events of the one row where n8n lets there be no more. */
const EVENTS_ALONE = 10_000;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Says, not once: n8n's database is ill then. */
const UNSURE =
	'MediaGen Event Trigger: n8n could not record an event in its database. It starts the workflow; a repeat of it may do so again';

/**
 * What an event is recorded as. One without an id of its own is known by what it says of a resource, which may be said anew on
 * another day: it is recorded for the day of its signature and the day before, as a repeat may come after midnight.
 */
function keysOf(key: string, { eventId }: MediaGenEvent, timestamp: unknown): string[] {
	if (eventId !== undefined) return [key];
	const day = Math.floor(Date.parse(String(timestamp)) / DAY_MS);
	return Number.isNaN(day) ? [key] : [`${key} ${day}`, `${key} ${day - 1}`];
}

/** Whether the event is the first of its kind, over all processes and restarts. In doubt it is. */
async function isFirst(context: IExecuteFunctions, key: string, keys: string[]): Promise<boolean> {
	const isNamed = canNameRows(context);
	const shelf = createHash('sha256').update(key).digest('hex').slice(0, 4);
	const row = processedItems(context, isNamed ? `events ${shelf}` : undefined);
	const most = isNamed ? EVENTS_A_ROW * keys.length : EVENTS_ALONE;
	const record = async () => await withRetries(async () => await row.add(keys, most));
	const added = isNamed
		? await withLock(processedItems(context, `events ${shelf} held`), record)
		: await record();
	if (!added) context.logger.warn(UNSURE);
	return added?.every((isNew) => isNew) ?? true;
}

async function isFirstItem(
	context: IExecuteFunctions,
	{ json }: INodeExecutionData,
): Promise<boolean> {
	const payload = isRecord(json.payload) ? json.payload : {};
	const event = readEvent(payload);
	const key = eventKey(context, event, payload);
	// A crash before the answer makes the service repeat the event, which must not be known then.
	await deduplicator.answered(key);
	return await isFirst(context, key, keysOf(key, event, json.timestamp));
}

/** Items of events that have not started the workflow before. */
export async function firstEvents(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	return await withoutRepeats(context, 'webhook', async (items) => {
		const first: boolean[] = [];
		for (const item of items) first.push(await isFirstItem(context, item));
		return first;
	});
}
