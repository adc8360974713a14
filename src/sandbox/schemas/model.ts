import { z } from 'zod/v4';

import { MODEL_MODES } from '../../contract';

/** Specification: Operation details, GET /models. */
export const listModelsQuery = z.strictObject({ mode: z.enum(MODEL_MODES).optional() });
