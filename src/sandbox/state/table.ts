import type { Stored } from './entities';
import { elementAt } from '../elementAt';

/** Where changes are kept over restarts; in memory only, it does nothing. */
export interface Persistence {
	put(table: string, id: string, value: unknown): void;
	remove(table: string, id: string): void;
}

export const noPersistence: Persistence = { put: () => {}, remove: () => {} };

/** Entities of one kind and workspace, found by id and read in order of creation without a scan. */
export class Table<T extends Stored> {
	private readonly byId = new Map<string, T>();
	/** Oldest first. */
	private readonly ordered: T[] = [];

	constructor(
		private readonly name: string,
		private readonly persistence: Persistence,
	) {}

	get(id: string): T | undefined {
		return this.byId.get(id);
	}

	/** A creation time in microseconds that no entity of this table has. */
	stamp(now: number): number {
		const last = this.ordered.at(-1)?.createdAt ?? 0;
		return Math.max(now * 1000, last + 1);
	}

	/** Adds an entity, or keeps what was changed in it. */
	put(entity: T): T {
		if (!this.byId.has(entity.id)) {
			this.byId.set(entity.id, entity);
			this.ordered.push(entity);
		}
		this.persistence.put(this.name, entity.id, entity);
		return entity;
	}

	/** Takes a kept entity back in; they must come in order of creation. */
	restore(entity: T): void {
		this.byId.set(entity.id, entity);
		this.ordered.push(entity);
	}

	delete(id: string): boolean {
		const entity = this.byId.get(id);
		if (!entity) return false;
		this.byId.delete(id);
		this.ordered.splice(this.position(entity.createdAt), 1);
		this.persistence.remove(this.name, id);
		return true;
	}

	/** Up to `limit` entities created before an instant (microseconds), newest first. */
	page(limit: number, before = Number.MAX_SAFE_INTEGER): { entities: T[]; more: boolean } {
		const end = this.position(before);
		const start = Math.max(0, end - limit);
		return { entities: this.ordered.slice(start, end).reverse(), more: start > 0 };
	}

	/** All of them, newest first. */
	all(): T[] {
		return [...this.ordered].reverse();
	}

	get size(): number {
		return this.ordered.length;
	}

	/** How many were created before an instant: a binary search. */
	private position(createdAt: number): number {
		let low = 0;
		let high = this.ordered.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (elementAt(this.ordered, middle).createdAt < createdAt) low = middle + 1;
			else high = middle;
		}
		return low;
	}
}
