import { WaitQueue, type Turn } from './waitQueue';

/** At most so many tasks at a time; the others wait in fair order. */
export class Semaphore {
	private readonly waiting = new WaitQueue<boolean, Turn>(false);

	constructor(private free: number) {}

	/** @returns `false` if it was cancelled before there was a place, which `leave` gives back */
	enter(turn: Turn): Promise<boolean> {
		if (turn.signal?.aborted) return Promise.resolve(false);
		if (this.free === 0) return this.waiting.wait(turn);
		this.free -= 1;
		return Promise.resolve(true);
	}

	leave(): void {
		if (this.waiting.size > 0) this.waiting.grant(true);
		else this.free += 1;
	}

	/** @returns `undefined` if it was cancelled before the task began */
	async run<T>(turn: Turn, task: () => Promise<T>): Promise<T | undefined> {
		if (!(await this.enter(turn))) return undefined;
		return await task().finally(() => this.leave());
	}
}
