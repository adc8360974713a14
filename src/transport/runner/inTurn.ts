import { halt, halted } from '../operations/haltRun';
import type { Result } from '../base/result';
import type { Item } from '../item/item';
import { isNoResponse } from '../base/types';

/** Refusals that hold, or may hold, for every item of a run; any other answer lets the others go. */
const REFUSALS = new Set([401, 402, 403, 429]);

/** The line of an item whose request tells the others of its run when it has got through. */
function leading({ host: { channel }, batch, request }: Item): Item['host']['channel'] {
	const send: typeof channel.send = async (sent) => {
		const answer = await channel.send(sent);
		const isOwn = sent.method === request.method && sent.path === request.path;
		if (isOwn && !isNoResponse(answer) && !REFUSALS.has(answer.status)) batch.firstRequest.open();
		return answer;
	};
	return { ...channel, send };
}

/**
 * The story of an item in its turn; a run that was halted meanwhile sends nothing further.
 *
 * @param isOver whether the same tool call again is a new one
 */
export async function inTurn<T>(
	item: Item,
	story: (item: Item) => Promise<Result<T>>,
	isOver: (value: T) => boolean = () => true,
): Promise<Result<T>> {
	const { batch, host } = item;
	const handOver = await batch.firstRequest.acquire(host.channel.signal);
	let isSettled = false;
	try {
		const leader = { ...item, handOver, host: { ...host, channel: leading(item) } };
		const result = halted(item) ?? (await story(leader));
		if (!result.ok) halt(item, result);
		isSettled = result.ok && isOver(result.value);
		return result;
	} finally {
		item.release?.(isSettled);
		handOver();
	}
}
