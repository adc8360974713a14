import type { SendResult, ApiRequest, Clock, Channel, Send } from '../../src/base/types';

/** An answer with a status and, where it matters, a body and headers. */
export const answer = (
	status: number,
	body: unknown = status < 300
		? { id: 'gen_1', object: 'generation' }
		: errorBody(`status ${status}`),
	headers: Record<string, string> = {},
): SendResult => ({ status, body, headers });

/** The Error shape of the specification. */
export const errorBody = (message: string, more: Record<string, unknown> = {}) => ({
	error: { type: 'some_type', message, request_id: 'req_1', ...more },
});

export const LOST: SendResult = { noResponse: 'ECONNRESET' };

/** A request that was sent, and when. */
export interface Sent extends ApiRequest {
	at: number;
}

/**
 * Sends the results in the order given, then the last one again and again; records the requests.
 */
export function scripted(clock: Clock, answers: SendResult[]) {
	const sent: Sent[] = [];
	const send: Send = async (request) => {
		sent.push({ ...request, at: clock.now() });
		return answers[Math.min(sent.length, answers.length) - 1] ?? LOST;
	};
	return { send, sent };
}

export const channelOf = (
	send: Send,
	fairnessKey = 'execution 1',
	signal?: AbortSignal,
): Channel => ({
	send,
	fairnessKey,
	signal,
});
