/**
 * Waiting entries in turns: one of each owner, then the next of each. A batch of 500 and a single image of another
 * execution alternate, so that nobody starves.
 */
export class FairQueue<T> {
	private readonly lanes = new Map<string, T[]>();

	get size(): number {
		let size = 0;
		for (const lane of this.lanes.values()) size += lane.length;
		return size;
	}

	push(owner: string, entry: T): void {
		const lane = this.lanes.get(owner);
		if (lane) lane.push(entry);
		else this.lanes.set(owner, [entry]);
	}

	/** The next entry, which stays where it is. */
	get next(): T | undefined {
		for (const lane of this.lanes.values()) return lane[0];
		return undefined;
	}

	/** Takes the next entry; its owner goes to the end of the row. */
	shift(): T | undefined {
		for (const [owner, lane] of this.lanes) {
			const entry = lane.shift();
			this.lanes.delete(owner);
			if (lane.length > 0) this.lanes.set(owner, lane);
			return entry;
		}
		return undefined;
	}

	/** Takes out one entry wherever it stands; `false` when it is not there. */
	remove(owner: string, entry: T): boolean {
		const lane = this.lanes.get(owner);
		const index = lane?.indexOf(entry) ?? -1;
		if (!lane || index < 0) return false;
		lane.splice(index, 1);
		if (lane.length === 0) this.lanes.delete(owner);
		return true;
	}
}
