/** A map that forgets what was set longest ago once it is full. */
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
