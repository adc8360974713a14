import { halt, halted } from '../operations/haltRun';
import type { Result } from '../base/result';
import type { Run } from '../item/item';
import { isLost } from '../base/types';

/** Refusals that hold, or may hold, for every item of a run; any other answer lets the others go. */
const REFUSALS = new Set([401, 402, 403, 429]);

/** The line of an item whose request tells the others of its run when it has got through. */
function leading({ host: { line }, batch, request }: Run): Run['host']['line'] {
	const send: typeof line.send = async (sent) => {
		const answer = await line.send(sent);
		const isOwn = sent.method === request.method && sent.path === request.path;
		if (isOwn && !isLost(answer) && !REFUSALS.has(answer.status)) batch.lead.open();
		return answer;
	};
	return { ...line, send };
}

/**
 * The story of an item in its turn; a run that was halted meanwhile sends nothing further.
 *
 * @param isOver whether the same tool call again is a new one
 */
export async function inTurn<T>(
	run: Run,
	story: (run: Run) => Promise<Result<T>>,
	isOver: (value: T) => boolean = () => true,
): Promise<Result<T>> {
	const { batch, host } = run;
	const handOver = await batch.lead.turn(host.line.signal);
	let isSettled = false;
	try {
		const leader = { ...run, handOver, host: { ...host, line: leading(run) } };
		const result = halted(run) ?? (await story(leader));
		if (!result.ok) halt(run, result);
		isSettled = result.ok && isOver(result.value);
		return result;
	} finally {
		run.release?.(isSettled);
		handOver();
	}
}
