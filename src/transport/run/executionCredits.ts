import type { Channel } from '../base/types';
import { WaitQueue } from '../base/waitQueue';

/**
 * In n8n's flow context, which belongs to the execution and is kept over Retry On Fail, Retry
 * Execution and waits.
 */
const FIELD = 'mediaGenCredits';

/** What one execution has reserved with all of its MediaGen nodes. */
export class ExecutionCredits {
	private readonly waiting = new WaitQueue<() => void>();

	private isTaken = false;

	constructor(private readonly flow: Record<string, unknown>) {}

	get reserved(): number {
		const known = Number(this.flow[FIELD] ?? 0);
		return Number.isFinite(known) ? known : 0;
	}

	/** @param credits negative to correct what was only expected */
	add(credits: number): void {
		if (credits !== 0) this.flow[FIELD] = Math.max(0, this.reserved + credits);
	}

	/**
	 * Creations under a limit are sent one after the other, each when the price of the one before is
	 * known. Their jobs still run at the same time.
	 *
	 * @returns lets the next one go; `undefined` if the channel is cancelled first
	 */
	async acquireLock(channel: Channel): Promise<(() => void) | undefined> {
		if (this.isTaken) return await this.waiting.wait(channel);
		if (channel.signal?.aborted) return undefined;
		this.isTaken = true;
		return this.lock();
	}

	private lock(): () => void {
		let isOver = false;
		return () => {
			if (isOver) return;
			isOver = true;
			if (this.waiting.size > 0) this.waiting.grant(this.lock());
			else this.isTaken = false;
		};
	}
}

const executions = new WeakMap<object, ExecutionCredits>();

/** @param flow the flow context of n8n, the same object for all nodes of an execution */
export function executionCredits(flow: Record<string, unknown>): ExecutionCredits {
	const known = executions.get(flow);
	if (known) return known;
	const credits = new ExecutionCredits(flow);
	executions.set(flow, credits);
	return credits;
}
