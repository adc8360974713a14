import type { Endpoint } from '../../contract';

/** One call of the service, relative to the base URL. */
export interface ApiRequest {
	method: Endpoint['method'];
	/** Begins with a slash; ids in it are already encoded. */
	path: string;
	query?: Record<string, string | number>;
	body?: unknown;
	headers?: Record<string, string>;
}

/** An answer that arrived whole. Header names are lower case. */
export interface ApiResponse {
	status: number;
	headers: Record<string, string>;
	/** Parsed JSON, or the raw text where it was no JSON. */
	body: unknown;
}

/**
 * Why a request certainly never reached the service, so that nothing was done: no connection was made, the service's certificate
 * was not accepted, or the request failed on this machine (a credential that cannot be resolved, an invalid address).
 */
export type Unsent = 'connection' | 'certificate' | 'local';

/** No whole answer arrived. Without `unsent` nobody knows whether the service did what was asked. */
export interface NoResponse {
	/** A code of the network such as `ECONNRESET`; for a local failure its own message, without secrets. */
	noResponse: string;
	unsent?: Unsent;
}

export type SendResult = ApiResponse | NoResponse;

/** Carries one request to the service once. Never rejects: a failure of the network is a `LostAnswer`. */
export type Send = (request: ApiRequest) => Promise<SendResult>;

/** Milliseconds throughout. `sleep` returns early, without throwing, when the signal fires. */
export interface Clock {
	/** The wall clock, since the epoch: for dates, and for ages that must survive a restart. Somebody may set it. */
	now(): number;
	/** A clock that nobody sets, with an arbitrary zero: for spans within this process. */
	monotonic(): number;
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Uniform in [0, 1), as `Math.random`. */
export type Random = () => number;

/** What the transport needs to know of the one who asks: how to send, when to stop, and whose turn it is. */
export interface Channel {
	send: Send;
	signal?: AbortSignal;
	/** The execution: turns are shared fairly between owners. */
	fairnessKey: string;
}

/** Anything that the service returns as an object with an id. */
export type Resource = Record<string, unknown> & { id: string };

export const isNoResponse = (answer: SendResult): answer is NoResponse => 'noResponse' in answer;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value of the service as a text, '' where it is none. Not `String`, which throws at `{"toString":1}`. */
export const asText = (value: unknown): string =>
	['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';

export const isResource = (value: unknown): value is Resource =>
	isRecord(value) && typeof value.id === 'string' && value.id !== '';
