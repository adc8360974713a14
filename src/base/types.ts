import { isRecord, type Endpoint, type Json } from '../api';

export { isRecord, type Json };

/** One request to the service, relative to the base URL. */
export interface ApiRequest {
	method: Endpoint['method'];
	/** The path, which begins with a slash. Ids in it are already encoded. */
	path: string;
	query?: Record<string, string | number>;
	body?: unknown;
	headers?: Record<string, string>;
	/**
	 * Whether its answer is read even if the execution is cancelled, because what it asks for may be carried
	 * out.
	 */
	outlivesCancel?: boolean;
}

export interface ApiResponse {
	status: number;
	/** The headers by their names in lower case. */
	headers: Record<string, string>;
	/** Parsed JSON, or the raw text if it is not JSON. */
	body: unknown;
}

/**
 * Why a request certainly never reached the service. `local`: it has failed on this machine. `noTurn`: the
 * requests of a minute were used by others for as long as it could wait. `keyExpired`: its idempotency key
 * expired before its turn came.
 */
export type UnsentReason = 'connection' | 'certificate' | 'local' | 'noTurn' | 'keyExpired';

/**
 * No complete response has come. Without `unsent` nobody knows whether the service has carried out the
 * request.
 */
export interface NoResponse {
	/** A code such as `ECONNRESET`, or the message of a failure on this machine, without secrets. */
	noResponse: string;
	unsent?: UnsentReason;
}

export type SendResult = ApiResponse | NoResponse;

/** Sends a request once. Never rejects: if the network fails, the result is a `NoResponse`. */
export type Send = (request: ApiRequest) => Promise<SendResult>;

/** All times are in ms. `sleep` returns early, without throwing, when the signal fires. */
export interface Clock {
	/** The time since the epoch, which users can set. For dates, and for ages that outlive a restart. */
	now(): number;
	/** The time since an arbitrary moment, which nobody can set. For durations within this process. */
	monotonic(): number;
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A function such as `Math.random`. */
export type Random = () => number;

export interface Channel {
	send: Send;
	signal?: AbortSignal;
	/** Names the execution. Queues serve the executions in turn. */
	fairnessKey: string;
	/** Names the item that asks, if one does: two of its requests that fail say no more than one. */
	item?: string;
}

/** An object with an id. The id is the only field that the core relies on: see {@link isResource}. */
export type Resource = Json & { id: string };

export const isNoResponse = (response: SendResult): response is NoResponse =>
	'noResponse' in response;

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** A text, number or boolean as text; '' for anything else. `String` would throw at `{"toString":1}`. */
export const asText = (value: unknown): string =>
	['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';

export const isResource = (value: unknown): value is Resource =>
	isRecord(value) && typeof value.id === 'string' && value.id !== '';
