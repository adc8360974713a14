/* eslint-disable @n8n/community-nodes/require-node-api-error -- not published */
import fc, { anyCodePoint, SEED } from '../support/fastCheck';
import { expectSame } from '../support/same';
import { cases } from '../support/thorough';
import { refusalOf, sign } from '../../src/events/signature';

const CASES = cases(10_000);

/** What is used of stripe, which is installed with the judges only: its types are missing elsewhere. */
interface StripeClass {
	new (apiKey: string): {
		webhooks: {
			constructEvent(
				payload: Buffer,
				header: string,
				secret: string,
				toleranceSeconds: number,
				cryptoProvider: undefined,
				receivedAt: number,
			): unknown;
			generateTestHeaderString(signed: {
				payload: string;
				secret: string;
				timestamp: number;
			}): string;
		};
	};
	errors: { StripeSignatureVerificationError: new () => Error };
}
const Stripe = jest.requireActual<StripeClass>('stripe');

/**
 * Stripe's webhooks are signed by the same scheme, and its package was written by people who have
 * never seen ours.
 */
const { webhooks } = new Stripe('sk_test_none');

/** One of the stripe headers is our two: `t=<timestamp>,v1=<hex>`. */
const joined = (timestamp: string, signature: string) => `t=${timestamp},${signature}`;

function split(header: string) {
	const [time, ...signatures] = header.split(',');
	return { timestamp: time?.slice('t='.length), signature: signatures.join(',') };
}

interface Delivery {
	secret: string;
	timestamp: string;
	signature: string;
	body: string;
	/** Milliseconds since 1970. */
	now: number;
}

function accepts({ secret, timestamp, signature, body, now }: Delivery): boolean {
	const delivery = { secret, timestamp, signature, rawBody: Buffer.from(body), now };
	return refusalOf(delivery) === undefined;
}

function stripeAccepts({ secret, timestamp, signature, body, now }: Delivery): boolean {
	const { stackTraceLimit } = Error;
	// Thousands of refusals, of which only the kind is read.
	Error.stackTraceLimit = 0;
	try {
		const header = joined(timestamp, signature);
		webhooks.constructEvent(Buffer.from(body), header, secret, 300, undefined, now);
		return true;
	} catch (error) {
		if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
		throw error;
	} finally {
		Error.stackTraceLimit = stackTraceLimit;
	}
}

const text = fc.string({ unit: anyCodePoint, maxLength: 60 });
const json = fc.oneof(
	fc.json({ maxDepth: 4, stringUnit: anyCodePoint }),
	fc.record({ id: text, type: text, data: fc.jsonValue() }).map((value) => JSON.stringify(value)),
	fc.jsonValue().map((value) => JSON.stringify(value, null, 2)),
);
const secret = fc.oneof(
	fc.base64String({ minLength: 1, maxLength: 80 }).map((bytes) => `whsec_${bytes}`),
	fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 40 }),
);

const delivery = fc.record({
	body: json,
	secret,
	/**
	 * Unix seconds of ten digits. Stripe takes what comes from the future, so all are of the past.
	 */
	at: fc.integer({ min: 1_000_000_000, max: 9_999_999_000 }),
	/** Milliseconds on the way: on both sides of the 300 seconds, and close to them. */
	age: fc.oneof(fc.integer({ min: 0, max: 600_000 }), fc.integer({ min: 299_000, max: 302_000 })),
});

const run = { numRuns: CASES };

describe(`against the stripe package, ${CASES} random deliveries, seed ${SEED}`, () => {
	test('what stripe signs is what we sign, and each takes what the other has signed', () => {
		const verdicts = { fresh: 0, stale: 0 };
		fc.assert(
			fc.property(delivery, ({ body, secret: key, at, age }) => {
				const theirs = webhooks.generateTestHeaderString({
					payload: body,
					secret: key,
					timestamp: at,
				});
				const ours = sign(key, String(at), body);
				expectSame(joined(String(at), ours), theirs);

				const fresh = Math.floor(age / 1_000) <= 300;
				verdicts[fresh ? 'fresh' : 'stale'] += 1;
				const now = at * 1_000 + age;
				const { timestamp = '', signature } = split(theirs);
				expectSame(accepts({ secret: key, timestamp, signature, body, now }), fresh);
				const sent = { secret: key, timestamp: String(at), signature: ours, body, now };
				expectSame(stripeAccepts(sent), fresh);
			}),
			run,
		);
		// Both verdicts have to be met in numbers for the agreement to say something.
		expect(verdicts.fresh).toBeGreaterThan(CASES / 4);
		expect(verdicts.stale).toBeGreaterThan(CASES / 10);
	});

	test('what is changed on the way both judge alike, and neither takes what differs', () => {
		const hex = fc.integer({ min: 0, max: 63 });
		const change = fc.oneof(
			fc.record({ kind: fc.constant('body' as const), value: json }),
			fc.record({ kind: fc.constant('secret' as const), value: secret }),
			fc.record({ kind: fc.constant('time' as const), value: fc.integer({ min: 1, max: 900 }) }),
			fc.record({ kind: fc.constant('digit' as const), value: hex }),
			fc.record({ kind: fc.constant('beside' as const), value: fc.base64String() }),
		);
		let accepted = 0;
		fc.assert(
			fc.property(delivery, change, ({ body, secret: key, at, age }, changed) => {
				const signature = sign(key, String(at), body);
				const sent: Delivery = {
					secret: key,
					timestamp: String(at),
					signature,
					body,
					now: at * 1_000 + age,
				};
				if (changed.kind === 'body') sent.body = changed.value;
				if (changed.kind === 'secret') sent.secret = changed.value;
				// Still of the past: as late, under a later timestamp that was not signed.
				if (changed.kind === 'time') {
					sent.timestamp = String(at + changed.value);
					sent.now += changed.value * 1_000;
				}
				if (changed.kind === 'digit') {
					const place = 'v1='.length + changed.value;
					const other = signature[place] === '0' ? '1' : '0';
					sent.signature = signature.slice(0, place) + other + signature.slice(place + 1);
				}
				// A second signature, of another key: one that fits is enough.
				if (changed.kind === 'beside') {
					sent.signature = `${sign(changed.value, String(at), body)},${signature}`;
				}
				const verdict = accepts(sent);
				expectSame(verdict, stripeAccepts(sent));
				const same =
					sent.body === body &&
					sent.secret === key &&
					sent.timestamp === String(at) &&
					sent.signature.includes(signature);
				expectSame(verdict, same && Math.floor(age / 1_000) <= 300);
				if (verdict) accepted += 1;
			}),
			run,
		);
		expect(accepted).toBeGreaterThan(CASES / 50);
	});
});
