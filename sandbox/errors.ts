/** Open point 18: values of `error.type`. */
export type ErrorType =
	| 'invalid_request'
	| 'authentication'
	| 'permission'
	| 'insufficient_credits'
	| 'not_found'
	| 'rate_limit'
	| 'concurrency_limit'
	| 'server_error';

/** A refusal; thrown anywhere below a route, it becomes the Error shape. Specification: Errors. */
export class ApiError extends Error {
	constructor(
		readonly status: number,
		readonly type: ErrorType,
		message: string,
		readonly details?: unknown,
		/** Milliseconds after which a 429 would pass. */
		readonly retryMilliseconds?: number,
	) {
		super(message);
	}

	/** Specification: Resources and their fields, Error. */
	body(requestId?: string) {
		const { type, message, details } = this;
		const id = requestId === undefined ? {} : { request_id: requestId };
		return { error: { type, message, ...id, ...(details !== undefined && { details }) } };
	}
}

/** 400 that names the field, for example `parameters.count`. */
export function invalid(field: string, message: string): ApiError {
	const issues = [{ field, message }];
	return new ApiError(400, 'invalid_request', `${field}: ${message}`, { issues });
}

/** What was found, or 404. */
export function found<T>(entity: T | undefined, what: string): T {
	if (entity !== undefined) return entity;
	throw new ApiError(404, 'not_found', `${what} was not found in this workspace.`);
}

/**
 * Any thrown thing as an ApiError: what express and body-parser find wrong with a request is 400 in
 * their words, our own faults are 500 without a trace.
 */
export function asApiError(thrown: unknown): ApiError {
	if (thrown instanceof ApiError) return thrown;
	const { status = 500, message = '' } = (thrown ?? {}) as { status?: number; message?: string };
	if (status < 500) {
		return new ApiError(400, 'invalid_request', `The request could not be read: ${message}.`);
	}
	return new ApiError(500, 'server_error', 'The sandbox has a fault of its own.');
}
