import { z } from 'zod/v4';

import { dateTime } from './common';

/** Specification: Operation details, GET /usage. */
export const usageQuery = z.strictObject({ since: dateTime.optional() });
