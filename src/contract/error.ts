/**
 * The body of every unsuccessful answer.
 * Specification: Resources and their fields, Error; Errors 1.
 * The values of `type` are not shown there, so nothing may branch on them.
 */
export interface ErrorBody {
	error: {
		type: string;
		message: string;
		request_id?: string;
		details?: unknown;
	};
}

/** What a status code means. Specification: Errors 2. */
export const STATUS_MEANINGS = {
	400: 'invalid request',
	401: 'invalid or missing API key',
	402: 'insufficient credits',
	403: 'missing scope or API entitlement',
	404: 'resource not found',
	429: 'rate or concurrency limit exceeded',
} as const;

/** A status that the specification gives a meaning; a service may answer others. */
export type ErrorStatus = keyof typeof STATUS_MEANINGS;

/** The four statuses that every operation may answer. Specification: Endpoints. */
export const COMMON_ERROR_STATUSES = [400, 401, 403, 429] as const satisfies readonly ErrorStatus[];
