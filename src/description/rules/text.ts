import { ruleEmpty, shown, type Presence, type Rule } from './rule';

export interface TextBounds extends Presence {
	/** Characters (code points). */
	max?: number;
}

const asText = (value: unknown): string | undefined => {
	if (typeof value === 'string') return value;
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
};

/** Text of at most `max` characters; numbers and booleans are taken as text. Blank counts as empty when required. */
export const text =
	({ max, required }: TextBounds = {}): Rule =>
	(value) => {
		const empty = ruleEmpty(value, { required });
		if (empty) return empty;
		const given = asText(value);
		if (given === undefined) return { problem: `must be text, got ${shown(value)}` };
		if (required && given.trim() === '') return { problem: 'is empty' };
		const length = given.length > (max ?? Infinity) ? [...given].length : 0;
		if (max !== undefined && length > max) {
			return { problem: `has ${length} characters; at most ${max} are allowed` };
		}
		return { value: given };
	};

/** One of the values that the specification lists. */
export const choice =
	(values: readonly string[], { required }: Presence = {}): Rule =>
	(value) => {
		const empty = ruleEmpty(value, { required });
		if (empty) return empty;
		if (values.includes(value as string)) return { value };
		return { problem: `must be one of ${values.join(', ')}, got ${shown(value)}` };
	};

/** What would change the path that an id stands in, or cannot be encoded. */
const UNUSABLE = /[/\\\p{Cc}\p{Surrogate}]|^\.{1,2}$|\.\./u;

/** An id that will stand in a path. */
export const id =
	(): Rule =>
	(value) => {
		const given = asText(value)?.trim() ?? '';
		if (given === '') return { problem: 'is empty' };
		if (!UNUSABLE.test(given)) return { value: given };
		return {
			problem: `is no ID: ${shown(given)}`,
			hint: 'An ID contains no slash, no ".." and no control characters',
		};
	};
