import type { Response } from 'express';

import { ApiError, asApiError } from '../errors';
import type { FaultKind } from '../faults';
import type { Service } from '../service';
import { entryOf, type RequestEntry } from './exchange';
import type { Reply } from './idempotency';

/** Sends what an operation answers. */
export function send(response: Response, { status, body }: Reply): void {
	entryOf(response).status = status;
	if (!response.destroyed) response.status(status).json(body);
}

/** Sends anything thrown in the Error shape; with a request id where the request is recorded. */
export function sendError(service: Service, response: Response, thrown: unknown): void {
	const error = asApiError(thrown);
	const { settings, clock } = service;
	if (error.status === 500) service.report(thrown);
	if (error.status === 429 && settings.retryAfter !== 'none') {
		const wait = error.retryMilliseconds ?? clock.milliseconds(1);
		const seconds = Math.max(1, Math.ceil(wait / 1000));
		const date = new Date(clock.now() + seconds * 1000).toUTCString();
		response.setHeader('Retry-After', settings.retryAfter === 'date' ? date : seconds);
	}
	const entry = response.locals.entry as RequestEntry | undefined;
	if (entry) Object.assign(entry, { error: error.message, status: error.status });
	if (!response.destroyed) response.status(error.status).json(error.body(entry?.id));
}

/** Faults that hit before the service did anything; true when the request has ended with one. */
export async function injectBefore(
	{ faults, clock }: Service,
	response: Response,
): Promise<boolean> {
	const subject = subjectOf(response);
	const slow = faults.take('slow', subject);
	if (slow) {
		entryOf(response).fault = 'slow';
		await clock.sleep(slow.seconds);
	}
	if (faults.take('lost_before', subject)) return cut(response, 'lost_before');
	const storm = faults.take('storm', subject);
	if (storm) return fail(response, 'storm', 429, storm.retryAfter);
	const failed = faults.take('status_before', subject);
	return failed ? fail(response, 'status_before', failed.status, failed.retryAfter) : false;
}

/** Faults that hit after the service did its work; true when they have ended the request. */
export function injectAfter({ faults }: Service, response: Response, reply: Reply): boolean {
	const subject = subjectOf(response);
	if (faults.take('lost_after', subject)) return cut(response, 'lost_after');
	const failed = faults.take('status_after', subject);
	if (failed) return fail(response, 'status_after', failed.status, failed.retryAfter);
	return faults.take('truncate', subject) ? truncate(response, reply) : false;
}

function subjectOf(response: Response) {
	const { operation, workspace } = entryOf(response);
	return { operation: operation ?? undefined, workspace: workspace ?? undefined };
}

function cut(response: Response, fault: FaultKind): true {
	entryOf(response).fault = fault;
	response.destroy();
	return true;
}

function fail(
	response: Response,
	fault: FaultKind,
	status: number,
	retryAfter: string | undefined,
): true {
	const entry = entryOf(response);
	if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
	const error =
		status === 429
			? new ApiError(status, 'rate_limit', 'Too many requests.')
			: new ApiError(status, 'server_error', 'The service failed.');
	Object.assign(entry, { fault, error: error.message });
	send(response, { status, body: error.body(entry.id) });
	return true;
}

function truncate(response: Response, { status, body }: Reply): true {
	Object.assign(entryOf(response), { fault: 'truncate', status });
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
