import type { Channel } from './types';
import { WaitQueue } from './waitQueue';

/** At most so many tasks at a time; the others wait in fair order. */
export class Semaphore {
	private readonly waiting = new WaitQueue<boolean>(false);

	constructor(private free: number) {}

	/** @returns `undefined` if the channel was cancelled before the task began */
	async run<T>(channel: Channel, task: () => Promise<T>): Promise<T | undefined> {
		if (channel.signal?.aborted) return undefined;
		if (this.free > 0) this.free -= 1;
		else if (!(await this.waiting.wait(channel))) return undefined;
		try {
			return await task();
		} finally {
			if (this.waiting.size > 0) this.waiting.grant(true);
			else this.free += 1;
		}
	}
}
