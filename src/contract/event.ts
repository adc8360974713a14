/** The eight kinds of events. Specification: Events. */
export const EVENTS = [
	'generation.completed',
	'generation.failed',
	'agent.review_required',
	'agent.completed',
	'agent.failed',
	'voice.created',
	'persona.ready',
	'persona.failed',
] as const;

/** One of the {@link EVENTS}; a delivery may name a kind that is newer. */
export type EventKind = (typeof EVENTS)[number];

/** Headers of every delivery. Specification: Events, signature rule 1. */
export const SIGNATURE_HEADERS = {
	/** Unix seconds, digits only. */
	timestamp: 'webhook-timestamp',
	/** `v1=<hex>`, HMAC-SHA256 over `<timestamp>.<rawBody>` with the webhook's signing secret. */
	signature: 'webhook-signature',
} as const;
