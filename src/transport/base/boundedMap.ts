/** A map that forgets what was set longest ago once it is full. */
export class BoundedMap<K, V> {
	private readonly entries = new Map<K, V>();

	constructor(private readonly maxEntries: number) {}

	get(key: K): V | undefined {
		return this.entries.get(key);
	}

	set(key: K, value: V): void {
		this.entries.delete(key);
		this.entries.set(key, value);
		const [oldest] = this.entries.keys();
		if (this.entries.size > this.maxEntries && oldest !== undefined) this.entries.delete(oldest);
	}

	delete(key: K): void {
		this.entries.delete(key);
	}
}
