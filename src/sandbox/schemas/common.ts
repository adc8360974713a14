import { z } from 'zod/v4';

import { DELIVERIES } from '../../contract';
import { readDateTime } from '../formatters/date';
import { countCharacters } from '../credits/prices';

/** Text within a range of lengths; a character is a code point, as in JSON Schema. */
export function text(min: number, max?: number) {
	const parts = [
		...(min > 0 ? [min === 1 ? 'must not be empty' : `must be at least ${min} characters`] : []),
		...(max === undefined ? [] : [`must be at most ${max} characters`]),
	];
	return z
		.string()
		.refine((value) => within(countCharacters(value), min, max), { error: parts.join(' and ') })
		.meta({ ...(min > 0 && { minLength: min }), ...(max !== undefined && { maxLength: max }) });
}

function within(count: number, min: number, max = Infinity): boolean {
	return count >= min && count <= max;
}

/** An absolute URI of at most 8,192 characters. */
export const uri = z
	.string()
	.max(8192)
	.refine((value) => URL.canParse(value), { error: 'must be an absolute URI' })
	.meta({ format: 'uri' });

/** A date-time as in RFC 3339. */
export const dateTime = z
	.string()
	.refine((value) => readDateTime(value) !== undefined, {
		error: 'must be a date-time such as 2026-01-31T12:00:00Z',
	})
	.meta({ format: 'date-time' });

export const delivery = z.enum(DELIVERIES);

/** A whole number in a query, where everything is text. */
export function queryInteger(min: number, max: number) {
	return z
		.string()
		.refine((value) => /^\d{1,9}$/.test(value) && within(Number(value), min, max), {
			error: `must be a whole number from ${min} to ${max}`,
		})
		.meta({ type: 'integer', minimum: min, maximum: max })
		.transform(Number);
}
