import { isRecord, type Endpoint, type Json } from '../api';

export { isRecord, type Json };

/** One call of the service, relative to the base URL. */
export interface ApiRequest {
	method: Endpoint['method'];
	/** Begins with a slash; ids in it are already encoded. */
	path: string;
	query?: Record<string, string | number>;
	body?: unknown;
	headers?: Record<string, string>;
	/** Whether its answer is read although the execution was cancelled: what it asks for may be done. */
	outlivesCancel?: boolean;
}

export interface ApiResponse {
	status: number;
	/** By their names in lower case. */
	headers: Record<string, string>;
	/** Parsed JSON, or the raw text if it is not JSON. */
	body: unknown;
}

/** Why a request certainly never reached the service; `local`: it failed on this machine. */
export type UnsentReason = 'connection' | 'certificate' | 'local';

/** No complete response arrived. Without `unsent` nobody knows whether the service did what was asked. */
export interface NoResponse {
	/** A code such as `ECONNRESET`, or the message of a local failure, without secrets. */
	noResponse: string;
	unsent?: UnsentReason;
}

export type SendResult = ApiResponse | NoResponse;

/** Sends a request once. Never rejects: a network failure is a `NoResponse`. */
export type Send = (request: ApiRequest) => Promise<SendResult>;

/** Milliseconds throughout. `sleep` returns early, without throwing, when the signal fires. */
export interface Clock {
	/** Since the epoch, can be set: for dates, and ages that outlive a restart. */
	now(): number;
	/** With an arbitrary zero, cannot be set: for durations within this process. */
	monotonic(): number;
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** As `Math.random`. */
export type Random = () => number;

export interface Channel {
	send: Send;
	signal?: AbortSignal;
	/** The execution: queues serve their fairness keys round robin. */
	fairnessKey: string;
}

/** An object with an id, the only field that the core relies on: see {@link isResource}. */
export type Resource = Json & { id: string };

export const isNoResponse = (response: SendResult): response is NoResponse =>
	'noResponse' in response;

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** A scalar as text, '' for anything else. Not `String`, which throws at `{"toString":1}`. */
export const asText = (value: unknown): string =>
	['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';

export const isResource = (value: unknown): value is Resource =>
	isRecord(value) && typeof value.id === 'string' && value.id !== '';
