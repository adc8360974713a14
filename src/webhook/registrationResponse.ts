import { isRecord, textOf, type Json } from '../contract';

/**
 * Likely names of the one-time signing secret: the specification does not show it (Other response
 * bodies).
 */
const SECRET_FIELDS = ['secret', 'signing_secret', 'webhook_secret'];

/**
 * The signing secret in the response to POST /webhooks: the likely names first, then any text whose
 * name contains `secret`.
 */
export function secretIn(body: Json): string | undefined {
	const others = Object.keys(body).filter((name) => /secret/i.test(name));
	for (const name of [...SECRET_FIELDS, ...others]) {
		const secret = Object.hasOwn(body, name) ? textOf(body[name]) : undefined;
		if (secret !== undefined) return secret;
	}
	return undefined;
}

/** The new webhook's id, at the top or in the webhook beside its secret. */
export function webhookIdIn({ id, webhook, data, webhook_id: named }: Json): string | undefined {
	const inner = [webhook, data].filter(isRecord).map((record) => textOf(record.id));
	return [textOf(id), ...inner, textOf(named)].find((found) => found !== undefined);
}

/** The names of the fields, for an error that must not show their values. */
export function fieldNames(body: Json): string {
	const names = Object.keys(body).slice(0, 30);
	return names.map((name) => name.slice(0, 60)).join(', ') || 'none';
}
