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

interface Store<K, V> {
	get(key: K): V | undefined;
	set(key: K, value: V): unknown;
}

/**
 * The value of a key. If a map has none yet, it is made and kept. A {@link BoundedMap} takes it for newly set
 * in any case, so that what is used stays.
 */
export function getOrCreate<K, V>(map: Store<K, V>, key: K, create: () => NoInfer<V>): V {
	const value = map.get(key) ?? create();
	map.set(key, value);
	return value;
}
