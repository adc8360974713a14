/** The service has examined this very request, refused it and done nothing. */
const FINAL = [400, 401, 402, 403, 404, 422] as const;

/**
 * Refusals for a reason that holds, or may hold, for every item of a run: the key, the credits, the
 * limits.
 */
const RUN_WIDE_REFUSALS = [401, 402, 403, 429] as const;

/** One of the statuses that hold for all items of a run. */
export type RunWideRefusal = (typeof RUN_WIDE_REFUSALS)[number];

const has = (statuses: readonly number[], status: number) => statuses.includes(status);

/**
 * Whether the service has refused this very request, so repeating it unchanged would be refused again.
 */
export const isFinalRefusal = (status: number): boolean => has(FINAL, status);

/**
 * Whether a status shows that the request has done nothing. With any other status, nobody knows.
 */
export const provesNothingDone = (status: number): boolean =>
	status === 429 || isFinalRefusal(status);

/** Whether a refusal would meet the other items of the run too. */
export const isRunWideRefusal = (status: number): status is RunWideRefusal =>
	has(RUN_WIDE_REFUSALS, status);
