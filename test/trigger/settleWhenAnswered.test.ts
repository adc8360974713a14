import type { IWebhookFunctions } from 'n8n-workflow';
import { settleWhenAnswered } from '../../src/trigger/settleWhenAnswered';

/** A response as far as n8n ends it, and what becomes of the claim. */
function setUp() {
	const seen: string[] = [];
	const response = {
		statusCode: 200,
		end(this: unknown, ...given: unknown[]) {
			seen.push(`ended with ${given.join()}`);
			return this;
		},
	};
	const context = { getResponseObject: () => response } as unknown as IWebhookFunctions;
	const claim = { keep: () => seen.push('kept'), release: () => seen.push('released') };
	settleWhenAnswered(context, claim as unknown as Parameters<typeof settleWhenAnswered>[1]);
	return { response, seen };
}

test.each([
	[200, 'kept'],
	[204, 'kept'],
	[299, 'kept'],
	[300, 'released'],
	[404, 'released'],
	[500, 'released'],
])('a delivery that n8n answers with %i is %s', (status, settled) => {
	const { response, seen } = setUp();
	expect(seen).toEqual([]);
	response.statusCode = status;
	response.end();
	expect(seen[0]).toBe(settled);
});

test('the claim is settled before the sender has its answer, which stays what n8n has given', () => {
	const { response, seen } = setUp();
	expect(response.end('body', 'utf8')).toBe(response);
	expect(seen).toEqual(['kept', 'ended with body,utf8']);
});
