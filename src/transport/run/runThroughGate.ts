import { halt, halted, haltInOutage } from './haltRun';
import { meaningOf } from '../http/statuses';
import type { Result } from '../base/result';
import type { Item } from './item';
import { isNoResponse } from '../base/types';

/** The channel of an item whose first accepted request opens the gate for the others of its run. */
function openingGate({
	host: { channel },
	batch,
	request,
	workspace,
}: Item): Item['host']['channel'] {
	const send: typeof channel.send = async (sent) => {
		const response = await channel.send(sent);
		const isOwn = sent.method === request.method && sent.path === request.path;
		const isAccepted = !isNoResponse(response) && !meaningOf(response.status).concernsRun;
		if (isOwn && isAccepted) void batch.firstRequest.open(workspace.clock);
		return response;
	};
	return { ...channel, send };
}

/**
 * Runs the operation of an item as soon as the first request of the run has shown that requests get through. If the run
 * was halted meanwhile, nothing is sent.
 *
 * @param isFinished whether an identical tool call afterwards is a new one
 */
export async function runThroughGate<T>(
	item: Item,
	operation: (item: Item) => Promise<Result<T>>,
	isFinished: (value: T) => boolean = () => true,
): Promise<Result<T>> {
	const { batch, host, workspace } = item;
	const releaseGate = await batch.firstRequest.acquire(workspace.clock, host.channel.signal);
	let isSettled = false;
	try {
		const gated = { ...item, releaseGate, host: { ...host, channel: openingGate(item) } };
		const result = halted(item) ?? (await operation(gated));
		if (!result.ok) halt(item, result);
		haltInOutage(item, result);
		isSettled = result.ok && isFinished(result.value);
		return result;
	} finally {
		item.release?.(isSettled);
		releaseGate();
	}
}
