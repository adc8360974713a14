/** A map that forgets the entry that was set longest ago when it is full. */
export class BoundedMap<K, V> extends Map<K, V> {
	constructor(private readonly maxEntries: number) {
		super();
	}

	override set(key: K, value: V): this {
		this.delete(key);
		super.set(key, value);
		const [oldest] = this.keys();
		if (this.size > this.maxEntries && oldest !== undefined) this.delete(oldest);
		return this;
	}
}
