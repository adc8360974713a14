import { isRecord, textOf, type Json } from './json';

/** Where the one-time signing secret may stand: its name is not shown (specification: Other response bodies). */
const SECRET_FIELDS = ['secret', 'signing_secret', 'webhook_secret'];

/** The signing secret in the answer to POST /webhooks: the likely names first, then any text whose name says `secret`. */
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

/** Names of the fields seen, for an error that must not show their values. */
export function fieldNames(body: Json): string {
	const names = Object.keys(body).slice(0, 30);
	return names.map((name) => name.slice(0, 60)).join(', ') || 'none';
}
