/**
 * A queue that serves its fairness keys round robin: one entry of each key, then the next of each.
 * A batch of 500 and a single image of another execution alternate, so neither starves the other.
 */
export class FairQueue<T> {
	private readonly lanes = new Map<string, T[]>();

	get size(): number {
		let size = 0;
		for (const lane of this.lanes.values()) size += lane.length;
		return size;
	}

	push(fairnessKey: string, entry: T): void {
		const lane = this.lanes.get(fairnessKey);
		if (lane) lane.push(entry);
		else this.lanes.set(fairnessKey, [entry]);
	}

	/** The next entry, without removing it. */
	get next(): T | undefined {
		for (const lane of this.lanes.values()) return lane[0];
		return undefined;
	}

	/** Removes and returns the next entry; its fairness key moves to the back. */
	shift(): T | undefined {
		for (const [fairnessKey, lane] of this.lanes) {
			const entry = lane.shift();
			this.lanes.delete(fairnessKey);
			if (lane.length > 0) this.lanes.set(fairnessKey, lane);
			return entry;
		}
		return undefined;
	}

	/** Removes an entry from any position. @returns `false` if it is not in the queue */
	remove(fairnessKey: string, entry: T): boolean {
		const lane = this.lanes.get(fairnessKey);
		const index = lane?.indexOf(entry) ?? -1;
		if (!lane || index < 0) return false;
		lane.splice(index, 1);
		if (lane.length === 0) this.lanes.delete(fairnessKey);
		return true;
	}
}
