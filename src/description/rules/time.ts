import { tryToParseDateTime } from 'n8n-workflow';
import { ruleEmpty, preview, type Rule } from './rule';

/**
 * A point in time, sent in UTC as in RFC 3339. Text without an offset, which is what the editor
 * gives, is taken in the timezone of the workflow. Specification: Operation details, GET /usage.
 */
export const dateTime =
	(): Rule =>
	(value, { timezone }) => {
		const empty = ruleEmpty(value, {});
		if (empty) return empty;
		try {
			const iso = tryToParseDateTime(value, timezone).toUTC().toISO();
			if (iso && /^\d{4}-/.test(iso)) return { value: iso };
		} catch {
			// What cannot be parsed as a time is reported below, whatever the reason.
		}
		return {
			problem: `must be a date and time such as 2026-01-31T12:00:00Z, got ${preview(value)}`,
		};
	};
