import { isRecord, textOf, type Json } from '../contract';

/**
 * Likely names of the one-time signing secret: the specification does not show it (Other response
 * bodies).
 */
const SECRET_FIELDS = ['secret', 'signing_secret', 'webhook_secret'];

/** The response itself, and the webhook that may stand within it. */
const recordsIn = (body: Json): Json[] => [body, body.webhook, body.data].filter(isRecord);

/**
 * The signing secret in the response to POST /webhooks, at the top or in the webhook: the likely
 * names first, then any text whose name contains `secret`.
 */
export function secretIn(body: Json): string | undefined {
	for (const record of recordsIn(body)) {
		const others = Object.keys(record).filter((name) => /secret/i.test(name));
		for (const name of [...SECRET_FIELDS, ...others]) {
			const secret = Object.hasOwn(record, name) ? textOf(record[name]) : undefined;
			if (secret !== undefined) return secret;
		}
	}
	return undefined;
}

/** A number is an id too: the fields of a webhook are not shown. */
const idOf = (value: unknown) => (Number.isSafeInteger(value) ? String(value) : textOf(value));

/** The new webhook's id, at the top or in the webhook beside its secret. */
export function webhookIdIn(body: Json): string | undefined {
	const ids = [...recordsIn(body).map(({ id }) => idOf(id)), idOf(body.webhook_id)];
	return ids.find((found) => found !== undefined);
}

/** The names of the fields, for an error that must not show their values. */
export function fieldNames(body: Json): string {
	const names = Object.keys(body).slice(0, 30);
	return names.map((name) => name.slice(0, 60)).join(', ') || 'none';
}
