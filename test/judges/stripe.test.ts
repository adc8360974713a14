/* eslint-disable @n8n/community-nodes/require-node-api-error -- not published */
import fc, { anyCodePoint, SEED } from '../support/fastCheck';
import { expectSame } from '../support/same';
import { cases } from '../support/thorough';
import { whyUntrusted, sign } from '../../src/trigger/signature';

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
			generateTestHeaderString(signed: Record<'payload' | 'secret' | 'timestamp', unknown>): string;
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

interface Delivery {
	secret: string;
	timestamp: string;
	signature: string;
	body: string;
	/** Milliseconds since 1970. */
	now: number;
}

function accepts({ body, ...sent }: Delivery): boolean {
	return whyUntrusted({ ...sent, rawBody: Buffer.from(body) }) === undefined;
}

/** One header of Stripe's is our two: `t=<timestamp>,v1=<hex>`. */
function stripeAccepts({ secret, timestamp, signature, body, now }: Delivery): boolean {
	const { stackTraceLimit } = Error;
	// Thousands of refusals, of which only the kind is read.
	Error.stackTraceLimit = 0;
	try {
		const header = `t=${timestamp},${signature}`;
		webhooks.constructEvent(Buffer.from(body), header, secret, 300, undefined, now);
		return true;
	} catch (error) {
		if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
		throw error;
	} finally {
		Error.stackTraceLimit = stackTraceLimit;
	}
}

const text = fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 60 });
const json = fc.oneof(
	fc.json({ maxDepth: 4, stringUnit: anyCodePoint }),
	fc.jsonValue().map((value) => JSON.stringify(value, null, 2)),
);
const secret = fc.oneof(
	text,
	fc.base64String().map((bytes) => `whsec_${bytes}`),
);

/** What was signed, and when it arrives; Stripe takes what comes from the future, so all are of the past. */
const signed = fc.record({
	body: json,
	secret,
	/** Unix seconds of ten digits. */
	at: fc.integer({ min: 1_000_000_000, max: 9_999_999_000 }),
	/** Milliseconds on the way: on both sides of the 300 seconds, and close to them. */
	age: fc.oneof(fc.integer({ min: 0, max: 600_000 }), fc.integer({ min: 299_000, max: 302_000 })),
});

/** What is changed on the way, or nothing. */
const change = fc.oneof(
	fc.constant({}),
	fc.record({ body: json }),
	fc.record({ secret }),
	fc.record({ later: fc.integer({ min: 1, max: 900 }) }),
	fc.record({ digit: fc.integer({ min: 0, max: 63 }) }),
	fc.record({ beside: fc.base64String() }),
) as fc.Arbitrary<
	Partial<Record<'body' | 'secret' | 'beside', string> & Record<'later' | 'digit', number>>
>;

test(`stripe and we sign alike, and judge alike what was changed or not, ${CASES} random deliveries, seed ${SEED}`, () => {
	let accepted = 0;
	const property = fc.property(signed, change, ({ body, secret: key, at, age }, changed) => {
		const theirs = { payload: body, secret: key, timestamp: at };
		let signature = sign(key, String(at), body);
		expectSame(`t=${at},${signature}`, webhooks.generateTestHeaderString(theirs));
		if (changed.digit !== undefined) {
			const place = 'v1='.length + changed.digit;
			const other = signature[place] === '0' ? '1' : '0';
			signature = signature.slice(0, place) + other + signature.slice(place + 1);
		}
		// A second signature, of another key: one that fits is enough.
		if (changed.beside !== undefined) {
			signature = `${sign(changed.beside, String(at), body)},${signature}`;
		}
		// As late, under a later timestamp, which was not signed.
		const timestamp = at + (changed.later ?? 0);
		const sent: Delivery = {
			secret: changed.secret ?? key,
			timestamp: String(timestamp),
			signature,
			body: changed.body ?? body,
			now: timestamp * 1_000 + age,
		};
		const intact =
			sent.body === body && sent.secret === key && !changed.later && changed.digit === undefined;
		const verdict = intact && Math.floor(age / 1_000) <= 300;
		expectSame(accepts(sent), verdict);
		expectSame(stripeAccepts(sent), verdict);
		if (verdict) accepted += 1;
	});
	fc.assert(property, { numRuns: CASES });
	// Both verdicts have to be met in numbers for the agreement to say something.
	expect(accepted).toBeGreaterThan(CASES / 10);
	expect(accepted).toBeLessThan(CASES / 2);
});
