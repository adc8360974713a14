import { createHash } from 'crypto';

/**
 * Repeatable randomness: a draw depends on the seed and its label only, not on what was drawn
 * before, so that a run with the same seed gives the same jobs the same outcome in whatever order
 * they come.
 */
export class SeededRandom {
	constructor(readonly seed: number) {}

	/** A number in [0, 1). */
	unit(label: string): number {
		const digest = createHash('sha256').update(`${this.seed}:${label}`).digest();
		return digest.readUIntBE(0, 6) / 2 ** 48;
	}

	/** A whole number in [0, 2^31). */
	integer(label: string): number {
		return Math.floor(this.unit(label) * 2 ** 31);
	}

	/** A factor around 1, at most `spread` away. */
	jitter(label: string, spread: number): number {
		return 1 + (this.unit(label) * 2 - 1) * spread;
	}
}
