import { elementAt } from '../elementAt';

// Taken out of the global object once: where jest runs this, each look-up of a global is slow.
const { imul } = Math;

/** Uniform in [0, 1). */
export type Random = () => number;

/** FNV-1a over UTF-16 units: any string, lone surrogates too, to 32 bits. */
export function hash(text: string): number {
	let value = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) {
		value = imul(value ^ text.charCodeAt(i), 0x01000193);
	}
	return value >>> 0;
}

/** Mulberry32: small, fast, and the same on every machine, which Math.random is not. */
export function randomFrom(...parts: Array<string | number>): Random {
	let state = hash(parts.join('\u0000'));
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	};
}

/** Uniform in [low, high). */
export function between(random: Random, low: number, high: number): number {
	return low + (high - low) * random();
}

export function pick<T>(random: Random, choices: readonly T[]): T {
	return elementAt(choices, Math.floor(random() * choices.length));
}

/** Keeps numbers within bounds; what is not a number becomes the fallback. */
export function clamp(
	value: number | undefined,
	low: number,
	high: number,
	fallback: number,
): number {
	if (value === undefined || Number.isNaN(value)) return fallback;
	return Math.min(high, Math.max(low, value));
}
