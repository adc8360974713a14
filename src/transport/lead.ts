import { onAbort } from './aborts';

/**
 * The first request of a run goes alone: when it is refused for a reason that holds for all (key, scope, credits), one request
 * has found out, not one for each item. As soon as one has got through, all others go.
 */
export class Lead {
	private isOpen = false;

	private isTaken = false;

	private readonly waiting: Array<() => void> = [];

	/** Waits until this item leads or all may go; returns early, without throwing, when the signal fires. */
	async turn(signal?: AbortSignal): Promise<void> {
		if (this.isOpen) return;
		if (!this.isTaken) {
			this.isTaken = true;
			return;
		}
		await new Promise<void>((resolve) => {
			const dispose = onAbort(signal, resolve);
			this.waiting.push(() => {
				dispose();
				resolve();
			});
		});
	}

	/** A request has got through: all may go. */
	open(): void {
		this.isOpen = true;
		for (const go of this.waiting.splice(0)) go();
	}

	/** The leading item has ended without getting through: the next one leads. */
	pass(): void {
		if (this.isOpen) return;
		const next = this.waiting.shift();
		if (next) next();
		else this.isTaken = false;
	}
}
