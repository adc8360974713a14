import type { Response } from 'express';

import { ApiError, asApiError } from '../errors';
import type { FaultKind } from '../faults';
import type { Service } from '../service';
import type { Exchange } from './exchange';
import type { Reply } from './idempotency';

/** Sends what an operation answers. */
export function send({ response, entry }: Exchange, { status, body }: Reply): void {
	entry.status = status;
	if (!response.destroyed) response.status(status).json(body);
}

/** Sends anything thrown in the Error shape. */
export function sendError(service: Service, exchange: Exchange, thrown: unknown): void {
	const error = asApiError(thrown);
	const { settings, clock } = service;
	if (error.status === 500) service.report(thrown);
	if (error.status === 429 && settings.retryAfter !== 'none') {
		const wait = error.retryMilliseconds ?? clock.milliseconds(1);
		const seconds = Math.max(1, Math.ceil(wait / 1000));
		const date = new Date(clock.now() + seconds * 1000).toUTCString();
		exchange.response.setHeader('Retry-After', settings.retryAfter === 'date' ? date : seconds);
	}
	exchange.entry.error = error.message;
	send(exchange, { status: error.status, body: error.body(exchange.entry.id) });
}

/** Faults that hit before the service did anything; true when the request has ended with one. */
export async function injectBefore(service: Service, exchange: Exchange): Promise<boolean> {
	const { faults } = service;
	const subject = subjectOf(service, exchange);
	const slow = faults.take('slow', subject);
	if (slow) {
		exchange.entry.fault = 'slow';
		await service.clock.sleep(slow.seconds);
	}
	if (faults.take('lost_before', subject)) return cut(exchange, 'lost_before');
	const storm = faults.take('storm', subject);
	if (storm) return fail(exchange, 'storm', 429, storm.retryAfter);
	const failed = faults.take('status_before', subject);
	return failed ? fail(exchange, 'status_before', failed.status, failed.retryAfter) : false;
}

/** Faults that hit after the service did its work; true when they have ended the request. */
export function injectAfter(service: Service, exchange: Exchange, reply: Reply): boolean {
	const { faults } = service;
	const subject = subjectOf(service, exchange);
	if (faults.take('lost_after', subject)) return cut(exchange, 'lost_after');
	const failed = faults.take('status_after', subject);
	if (failed) return fail(exchange, 'status_after', failed.status, failed.retryAfter);
	return faults.take('truncate', subject) ? truncate(exchange, reply) : false;
}

function subjectOf({ store }: Service, { entry, request }: Exchange) {
	const key = request.headers.authorization?.replace(/^Bearer /i, '');
	const workspace = entry.workspace ?? store.keys.get(key ?? '')?.workspace;
	return { operation: entry.operation ?? undefined, workspace };
}

function cut({ response, entry }: Exchange, fault: FaultKind): true {
	entry.fault = fault;
	response.destroy();
	return true;
}

function fail(
	exchange: Exchange,
	fault: FaultKind,
	status: number,
	retryAfter: string | undefined,
): true {
	const { entry, response } = exchange;
	if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
	const error =
		status === 429
			? new ApiError(status, 'rate_limit', 'Too many requests.')
			: new ApiError(status, 'server_error', 'The service failed.');
	Object.assign(entry, { fault, error: error.message });
	send(exchange, { status, body: error.body(entry.id) });
	return true;
}

function truncate({ response, entry }: Exchange, { status, body }: Reply): true {
	Object.assign(entry, { fault: 'truncate', status });
	response.status(status);
	sendPart(response, Buffer.from(JSON.stringify(body)), 'application/json; charset=utf-8');
	return true;
}

/** Promises the whole length, and ends the connection after some bytes: half of them by default. */
export function sendPart(
	response: Response,
	bytes: Buffer,
	mediaType: string,
	length = Math.floor(bytes.length / 2),
): void {
	response.setHeader('content-type', mediaType).setHeader('content-length', bytes.length);
	response.write(bytes.subarray(0, length), () => response.destroy());
}
