import { z } from 'zod/v4';

import type { CreateWebhook } from '../../contract';
import { EVENTS, LIMITS } from '../../contract';
import { uri } from './common';

const url = uri.meta({ pattern: '^https://' });
const description = z.string().max(1000);
const events = z.array(z.enum(EVENTS)).min(LIMITS.webhookEvents.min);

/**
 * Specification: CreateWebhook. That the URL is https is checked by the route, where a setting
 * rules.
 */
export const createWebhookSchema: z.ZodType<CreateWebhook> = z.strictObject({
	url,
	description: description.optional(),
	events,
});

/** Open point 10: the shape of PATCH /webhooks/{id} is not shown. */
export const updateWebhookSchema: z.ZodType<Partial<CreateWebhook>> = z.strictObject({
	url: url.optional(),
	description: description.optional(),
	events: events.optional(),
});
