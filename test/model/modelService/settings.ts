import type { ApiRequest, Resource } from '../../../src/base/types';
import type { Counting } from './requestLimit';

/**
 * How an answer gets lost: the connection breaks before the service has read the request, or after
 * it has done what was asked; the answer never comes; it comes cut off; a proxy answers 502 in its
 * place.
 */
export type Fault = 'before' | 'after' | 'timeout' | 'truncated' | 'error';

export interface ServiceSettings {
	requestsPerMinute: number;
	concurrentJobs: number;
	/** How a minute is counted. */
	window: Counting;
	/** Requests at once, of a token bucket; default: those of a minute. */
	burst: number | undefined;
	/** Whether a refused request uses up the limit too. */
	countsRefused: boolean;
	/** Whether a 429 says when to come back. */
	namesRetryAfter: boolean;
	/** How long the job of a prompt takes, in milliseconds. */
	jobMs: (prompt: string) => number;
	/** Time from the request to the answer, in milliseconds. */
	latencyMs: number;
	/** What goes wrong with this request; `undefined` for nothing. */
	fault: (request: ApiRequest) => Fault | undefined;
	/** The status of a job that runs. */
	runs: string;
	/** How a job ends. */
	ending: (prompt: string) => Record<string, unknown>;
	credits: number;
	/**
	 * What a creation reserves, which its response says as `estimated_credits`; `undefined` for 1, of
	 * which nothing is said.
	 */
	price: ((body: Record<string, unknown>) => number) | undefined;
	/** Whether a job says when it was made, and an answer what time it is. */
	saysWhen: boolean;
	/** Called half a round trip after the end of each job, as by a webhook. */
	onEnd: ((job: Resource) => void) | undefined;
}

export const DEFAULTS: ServiceSettings = {
	requestsPerMinute: 60,
	concurrentJobs: 5,
	window: 'sliding',
	burst: undefined,
	countsRefused: false,
	namesRetryAfter: false,
	jobMs: () => 10_000,
	latencyMs: 100,
	fault: () => undefined,
	runs: 'queued',
	ending: () => ({ status: 'completed' }),
	credits: Infinity,
	price: undefined,
	saysWhen: false,
	onEnd: undefined,
};
