interface Store<K, V> {
	get(key: K): V | undefined;
	set(key: K, value: V): unknown;
}

/**
 * The value of a key. If a map has none yet, it is made and kept. A `BoundedMap` takes it for newly set
 * in any case, so that what is used stays.
 */
export function getOrCreate<K, V>(map: Store<K, V>, key: K, create: () => NoInfer<V>): V {
	const value = map.get(key) ?? create();
	map.set(key, value);
	return value;
}
