import { preview, unlessEmpty, type Presence, type Rule } from './rule';

/** The range of a number; both ends belong to it. */
export interface NumberBounds extends Presence {
	min?: number;
	max?: number;
	integer?: boolean;
}

/** NaN for what is no finite number. */
function asNumber(value: unknown): number {
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = isText || typeof value === 'number' ? Number(value) : NaN;
	return Number.isFinite(number) ? number : NaN;
}

function wanted({ min, max, integer }: NumberBounds): string {
	const kind = integer ? 'a whole number' : 'a number';
	if (min !== undefined && max !== undefined) return `${kind} from ${min} to ${max}`;
	if (max !== undefined) return `${kind} of at most ${max}`;
	return min === undefined ? kind : `${kind} of at least ${min}`;
}

/** A number within bounds; text that is a number is taken as one. */
export const number = (bounds: NumberBounds = {}): Rule =>
	unlessEmpty(bounds, (value) => {
		const given = asNumber(value);
		const isWithin = given >= (bounds.min ?? -Infinity) && given <= (bounds.max ?? Infinity);
		return isWithin && (!bounds.integer || Number.isSafeInteger(given))
			? { value: given }
			: { problem: `must be ${wanted(bounds)}, got ${preview(value)}` };
	});

/** True or false, also as text, which is what an expression or an AI agent may give. */
export const flag = (): Rule =>
	unlessEmpty({}, (value) => {
		if (value === true || value === 'true') return { value: true };
		if (value === false || value === 'false') return { value: false };
		return { problem: `must be true or false, got ${preview(value)}` };
	});
