import { onAbort } from '../base/abortListeners';

const NOTHING = () => {};

/**
 * The first request of a run goes alone: when it is refused for a reason that holds for all (key, scope, credits), one request
 * has found out, not one for each item. As soon as one has got through, all others go.
 */
export class FirstRequestGate {
	private isOpen = false;

	private isTaken = false;

	private readonly waiting: Array<() => void> = [];

	/**
	 * Waits until this item leads or all may go; returns early, without throwing, when the signal fires.
	 * @returns passes the lead on to the next item, once: when this one has ended, or has nothing to find out
	 */
	async acquire(signal?: AbortSignal): Promise<() => void> {
		if (this.isOpen) return NOTHING;
		if (!this.isTaken) {
			this.isTaken = true;
			return this.passOnce();
		}
		return await new Promise((resolve) => {
			const go = () => {
				dispose();
				resolve(this.isOpen ? NOTHING : this.passOnce());
			};
			const dispose = onAbort(signal, () => {
				this.waiting.splice(this.waiting.indexOf(go), 1);
				resolve(NOTHING);
			});
			this.waiting.push(go);
		});
	}

	/** A request has got through: all may go. */
	open(): void {
		this.isOpen = true;
		for (const go of this.waiting.splice(0)) go();
	}

	private passOnce(): () => void {
		let isPassed = false;
		return () => {
			if (isPassed || this.isOpen) return;
			isPassed = true;
			const next = this.waiting.shift();
			if (next) next();
			else this.isTaken = false;
		};
	}
}
