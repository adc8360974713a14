import { seeded } from './random';

/** The same entries in another order, the same every time. */
export function shuffle<T>(entries: T[], seed = 1): T[] {
	const random = seeded(seed);
	const shuffled = [...entries];
	for (let at = shuffled.length - 1; at > 0; at -= 1) {
		const other = Math.floor(random() * (at + 1));
		[shuffled[at], shuffled[other]] = [shuffled[other] as T, shuffled[at] as T];
	}
	return shuffled;
}
