import { createHash } from 'crypto';

const digestOf = (text: string) => createHash('sha256').update(text).digest();

/** Hands out ids; the same seed gives the same ids in the same order. */
export class Ids {
	private count = 0;

	/** `start` counts the starts on stored data, so that a restart repeats no id. */
	constructor(
		private readonly seed: number,
		private readonly start = 0,
	) {}

	/** For example `gen_3f0c…`, 24 hex digits. */
	next(prefix: 'gen' | 'out' | 'spc' | 'run' | 'voc' | 'wh' | 'evt' | 'dlv' | 'file'): string {
		return `${prefix}_${this.digest(prefix).slice(0, 24)}`;
	}

	/** A version 4 UUID: the specification gives persona ids that form. */
	uuid(): string {
		const hex = this.digest('uuid').split('');
		hex[12] = '4';
		hex[16] = 'a';
		return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
	}

	/** 48 hex digits, for secrets. */
	secret(): string {
		return this.digest('secret').slice(0, 48);
	}

	private digest(kind: string): string {
		this.count += 1;
		return digestOf(`${this.seed}:${this.start}:${kind}:${this.count}`).toString('hex');
	}
}

/**
 * Repeatable randomness: a draw depends on the seed and its label only, not on what was drawn
 * before, so that a run with the same seed gives the same jobs the same outcome in whatever order
 * they come.
 */
export class SeededRandom {
	constructor(readonly seed: number) {}

	/** A number in [0, 1). */
	unit(label: string): number {
		return digestOf(`${this.seed}:${label}`).readUIntBE(0, 6) / 2 ** 48;
	}
}
