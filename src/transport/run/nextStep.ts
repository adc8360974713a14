import {
	isKeyExpired,
	isOutcomeOpen,
	type ItemState,
	type JobReference,
	type Sent,
} from './itemState';

/** What a try has to do first. */
export type Step =
	/**
	 * Send a new request. `startsOver`: what is known is about another request, or its key has
	 * expired.
	 */
	| { do: 'send'; startsOver: boolean }
	/** Send the request of unknown outcome again, unchanged. */
	| { do: 'resend'; sent: Sent }
	/** Read the known job. */
	| { do: 'read'; job: JobReference }
	/** Output the known resource. */
	| { do: 'output'; job: JobReference; resource: string }
	/**
	 * Search the service for a job of the unknown attempt, because its key can no longer settle it.
	 */
	| { do: 'search'; sent: Sent; because: 'expired' | 'changed' }
	/** The user changed the request but not the custom key, which belongs to the earlier request. */
	| { do: 'reject'; job?: JobReference };

/** What decides about the next step, besides what is known of the item. */
export interface Facts {
	/** Milliseconds since the epoch. */
	now: number;
	/** Whether the user has changed the request since it was sent. */
	isChanged: boolean;
	/** Whether the key stays the same whatever is requested (Custom Key). */
	hasFixedKey: boolean;
	execution: string;
}

function nextStepOfSent(sent: Sent, { now, isChanged, hasFixedKey, execution }: Facts): Step {
	const isExpired = isKeyExpired(sent.firstSentAt, now);
	const startOver: Step = { do: 'send', startsOver: true };
	if (!isOutcomeOpen(sent)) return isChanged || isExpired ? startOver : { do: 'resend', sent };
	if (!isChanged) {
		return isExpired ? { do: 'search', sent, because: 'expired' } : { do: 'resend', sent };
	}
	if (hasFixedKey && !isExpired) return { do: 'reject' };
	// A manual retry after the warning is the user's decision. Retry On Fail stays in the execution
	// that warned.
	const hasDecided = sent.warnedIn !== undefined && sent.warnedIn !== execution;
	return hasDecided ? startOver : { do: 'search', sent, because: 'changed' };
}

/**
 * What a try of an item starts with. Never a second request while the first may have been carried
 * out.
 */
export function nextStep(state: ItemState, facts: Facts): Step {
	if (state.is === 'new') return { do: 'send', startsOver: false };
	if (state.is === 'sent') return nextStepOfSent(state, facts);
	if (facts.isChanged) {
		return facts.hasFixedKey ? { do: 'reject', job: state.job } : { do: 'send', startsOver: true };
	}
	if (state.is === 'done' && state.resource !== undefined) {
		return { do: 'output', job: state.job, resource: state.resource };
	}
	return { do: 'read', job: state.job };
}
