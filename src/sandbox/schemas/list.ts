import { z } from 'zod/v4';

import { LIMITS } from '../../contract';
import { dateTime, queryInteger } from './common';

/**
 * Query of a list. Specification: Operation details, GET /generations; other lists take the same
 * (open point 16).
 */
export const listQuery = z.strictObject({
	limit: queryInteger(LIMITS.listLimit.min, LIMITS.listLimit.max).optional(),
	cursor: dateTime.optional(),
});
