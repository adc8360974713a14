import { createHash } from 'crypto';

export type IdPrefix =
	'gen' | 'out' | 'spc' | 'run' | 'voc' | 'wh' | 'evt' | 'dlv' | 'file' | 'req';

/** Hands out ids; the same seed gives the same ids in the same order. */
export class Ids {
	private count = 0;

	/** `start` counts the starts on stored data, so that a restart repeats no id. */
	constructor(
		private readonly seed: number,
		private readonly start = 0,
	) {}

	/** For example `gen_3f0c…`, 24 hex digits. */
	next(prefix: IdPrefix): string {
		return `${prefix}_${this.digest(prefix).slice(0, 24)}`;
	}

	/** A version 4 UUID: the specification gives persona ids that form. */
	uuid(): string {
		const hex = this.digest('uuid');
		const variant = ((parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
		return [
			hex.slice(0, 8),
			hex.slice(8, 12),
			`4${hex.slice(13, 16)}`,
			`${variant}${hex.slice(17, 20)}`,
			hex.slice(20, 32),
		].join('-');
	}

	/** 48 hex digits, for secrets. */
	secret(): string {
		return this.digest('secret').slice(0, 48);
	}

	private digest(kind: string): string {
		this.count += 1;
		return createHash('sha256')
			.update(`${this.seed}:${this.start}:${kind}:${this.count}`)
			.digest('hex');
	}
}
