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

/** A promise is kept by {@link findOnce}, which forgets it again if it fails. */
type NoPromise<V> = V extends PromiseLike<unknown> ? never : V;

/**
 * The value of a key. If a map has none yet, it is made and kept. A {@link BoundedMap} takes it for newly set
 * in any case, so that what is used stays.
 */
export function getOrCreate<K, V>(
	map: Store<K, V>,
	key: K,
	create: () => NoPromise<NoInfer<V>>,
): V {
	const value = map.get(key) ?? create();
	map.set(key, value);
	return value;
}

interface Findings<K, V> extends Store<K, Promise<V>> {
	delete(key: K): unknown;
}

/**
 * What is found out once for a key. Whoever asks meanwhile waits for the same. A failure is not kept: whoever
 * asks next tries again.
 * @param hasFailed whether something that was found is a failure too; whatever rejects is one
 */
export function findOnce<K, V>(
	map: Findings<K, V>,
	key: K,
	find: () => Promise<NoInfer<V>>,
	hasFailed: (found: NoInfer<V>) => boolean = () => false,
): Promise<V> {
	const known = map.get(key);
	if (known) return known;
	const finding = find();
	map.set(key, finding);
	const forget = () => {
		// Meanwhile it may have been forgotten, and be found out anew.
		if (map.get(key) === finding) map.delete(key);
	};
	finding.then((found) => {
		if (hasFailed(found)) forget();
	}, forget);
	return finding;
}
