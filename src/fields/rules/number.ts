import { quoted, trimmed } from '../../base/texts';
import { MINUTE_MS } from '../../base/times';
import { type Presence, type Rule, whenThere } from './rule';

/** The range of a number, with both ends. */
export interface NumberBounds extends Presence {
	min?: number;
	max?: number;
	/** A bound that the number must exceed. */
	above?: number;
	integer?: boolean;
}

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** The finite number that a value is; otherwise NaN. */
function asNumber(value: unknown): number {
	if (typeof value === 'number') return Number.isFinite(value) ? value : NaN;
	if (typeof value !== 'string') return NaN;
	const text = trimmed(value);
	const number = DECIMAL.test(text) ? Number(text) : NaN;
	return Number.isFinite(number) ? number : NaN;
}

function wanted({ min, max, above, integer }: NumberBounds): string {
	const kind = integer ? 'a whole number' : 'a number';
	if (above !== undefined) return `${kind} above ${above}`;
	if (min !== undefined && max !== undefined) return `${kind} from ${min} to ${max}`;
	if (max !== undefined) return `${kind} of at most ${max}`;
	return min === undefined ? kind : `${kind} of at least ${min}`;
}

function fits(number: number, { min, max, above, integer }: NumberBounds): boolean {
	if (integer && !Number.isSafeInteger(number)) return false;
	if (above !== undefined && !(number > above)) return false;
	return number >= (min ?? -Infinity) && number <= (max ?? Infinity);
}

/** A number within bounds, also given as text. */
export const number = (bounds: NumberBounds = {}): Rule =>
	whenThere(bounds, (value) => {
		const given = asNumber(value);
		if (fits(given, bounds)) return { value: given };
		return { problem: `must be ${wanted(bounds)}, got ${quoted(value)}` };
	});

/** A time in minutes, which is turned into milliseconds. */
export const minutes = (): Rule => {
	const rule = number({ above: 0 });
	return (value, context) => {
		const ruled = rule(value, context);
		const isGiven = 'value' in ruled && typeof ruled.value === 'number';
		return isGiven ? { value: (ruled.value as number) * MINUTE_MS } : ruled;
	};
};
