import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { createHash } from 'crypto';
import { isRecord } from '../../src/transport/base/types';
import {
	supportsNamedRows,
	processedItems,
	withLock,
	withRetries,
} from '../../src/trigger/processedItems';
import { withoutRepeats } from '../../src/trigger/withoutRepeats';
import { readEvent, type MediaGenEvent } from '../../src/webhook/event';
import { deduplicator, eventKey } from './eventMemory';

/** Events per row; a trigger has 65,536 rows. */
const EVENTS_PER_ROW = 4;

/** Events in the single row of an n8n without named rows. */
const EVENTS_IN_ONLY_ROW = 10_000;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Logged every time, because then n8n's database is failing. */
const NOT_RECORDED =
	'MediaGen Event Trigger: n8n could not record an event in its database. It starts the workflow; a repeat of it may do so again';

/**
 * The keys under which an event is recorded. An event without an id of its own is identified by its
 * content, which another event may have on another day. It is recorded for the day of its signature
 * and the day before, as a repeat may come after midnight.
 */
function keysOf(key: string, { eventId }: MediaGenEvent, timestamp: unknown): string[] {
	if (eventId !== undefined) return [key];
	const day = Math.floor(Date.parse(String(timestamp)) / DAY_MS);
	return Number.isNaN(day) ? [key] : [`${key} ${day}`, `${key} ${day - 1}`];
}

/**
 * Whether this is the first delivery of the event, across all processes and restarts. If in doubt,
 * it is.
 */
async function isFirst(context: IExecuteFunctions, key: string, keys: string[]): Promise<boolean> {
	const isNamed = supportsNamedRows(context);
	const bucket = createHash('sha256').update(key).digest('hex').slice(0, 4);
	const row = processedItems(context, isNamed ? `events ${bucket}` : undefined);
	const maxEntries = isNamed ? EVENTS_PER_ROW * keys.length : EVENTS_IN_ONLY_ROW;
	const record = async () => await withRetries(async () => await row.add(keys, maxEntries));
	const added = isNamed
		? await withLock(processedItems(context, `events ${bucket} held`), record)
		: await record();
	if (!added) context.logger.warn(NOT_RECORDED);
	return added?.every((isNew) => isNew) ?? true;
}

async function isFirstItem(
	context: IExecuteFunctions,
	{ json }: INodeExecutionData,
): Promise<boolean> {
	const payload = isRecord(json.payload) ? json.payload : {};
	const event = readEvent(payload);
	const key = eventKey(context, event, payload);
	// After a crash before the response the service repeats the event, which must not count as a
	// repeat then.
	await deduplicator.settled(key);
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
