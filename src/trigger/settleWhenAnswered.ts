import type { IWebhookFunctions } from 'n8n-workflow';
import type { Claim } from '../webhook/deduplicator';

/**
 * Settles a claim when n8n answers, which it does after it has made or resumed the execution, or
 * failed to. Not by an event of the response: `finish` fires only while the sender still listens,
 * and by `close` the outcome may not be known yet.
 */
export function settleWhenAnswered(context: IWebhookFunctions, claim: Claim): void {
	const response = context.getResponseObject();
	const end = response.end.bind(response) as (...given: unknown[]) => typeof response;
	const settle = (...given: unknown[]) => {
		if (response.statusCode < 300) claim.keep();
		else claim.release();
		return end(...given);
	};
	response.end = settle as typeof response.end;
}
