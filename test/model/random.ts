/** The same numbers for the same seed (mulberry32), uniform in [0, 1). */
export function seeded(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

/** What random cases are made with, the same for the same seed. */
export function dice(seed: number) {
	const random = seeded(seed);
	/** A whole number below this. */
	const upTo = (end: number) => Math.floor(random() * end);
	const pick = <const T extends readonly unknown[]>(...of: T): T[number] => of[upTo(of.length)];
	return { random, upTo, pick, flag: () => random() < 0.5 };
}
