import { WaitQueue, type Waiter } from './waitQueue';

/** Lets at most so many tasks run at the same time. The others wait in a fair order. */
export class Semaphore {
	private readonly waiting = new WaitQueue<boolean, Waiter>(false);

	constructor(private free: number) {}

	/**
	 * Takes a place, which `leave` gives back.
	 * @returns `false` if it was cancelled before there was a place
	 */
	enter(waiter: Waiter): Promise<boolean> {
		if (waiter.signal?.aborted) return Promise.resolve(false);
		if (this.free === 0) return this.waiting.wait(waiter);
		this.free -= 1;
		return Promise.resolve(true);
	}

	leave(): void {
		if (this.waiting.size > 0) this.waiting.grant(true);
		else this.free += 1;
	}

	/**
	 * Runs a task as soon as there is a place.
	 * @returns `undefined` if it was cancelled before the task began
	 */
	async run<T>(waiter: Waiter, task: () => Promise<T>): Promise<T | undefined> {
		if (!(await this.enter(waiter))) return undefined;
		return await task().finally(() => this.leave());
	}
}
