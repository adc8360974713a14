import { WaitQueue, type Turn } from './waitQueue';

/** At most so many tasks at a time; the others wait in fair order. */
export class Semaphore {
	private readonly waiting = new WaitQueue<boolean, Turn>(false);

	constructor(private free: number) {}

	/** @returns `undefined` if it was cancelled before the task began */
	async run<T>(turn: Turn, task: () => Promise<T>): Promise<T | undefined> {
		if (turn.signal?.aborted) return undefined;
		if (this.free > 0) this.free -= 1;
		else if (!(await this.waiting.wait(turn))) return undefined;
		try {
			return await task();
		} finally {
			if (this.waiting.size > 0) this.waiting.grant(true);
			else this.free += 1;
		}
	}
}
