import type { EventKind } from './event';

/**
 * A webhook as the service returns it. Fields beyond those of the creation request, and the name of
 * the one-time signing secret, are not shown. Specification: Other response bodies.
 */
export interface Webhook {
	[field: string]: unknown;
	/** The `{id}` of its paths. */
	id: string;
	url: string;
	description?: string;
	events: EventKind[];
}

/** The fields of a delivery attempt are not shown. Specification: Other response bodies. */
export type WebhookDelivery = Record<string, unknown>;
