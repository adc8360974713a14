import type { Service } from '../service';
import { ApiError, asApiError } from '../errors';
import type { Exchange } from './exchange';
import type { Reply } from './idempotency';

/** Sends what an operation answers. */
export function send({ response, entry }: Exchange, { status, body }: Reply): void {
	entry.status = status;
	if (response.destroyed) return;
	response.status(status);
	if (body === undefined) response.end();
	else response.json(body);
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
	const body = error.body(exchange.entry.id, settings.errorTypePrefix);
	exchange.entry.error = error.message;
	send(exchange, { status: error.status, body });
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
	if (storm) {
		fail(service, exchange, 'storm', 429, storm.retryAfter);
		return true;
	}
	const status = faults.take('status_before', subject);
	if (status) fail(service, exchange, 'status_before', status.status, status.retryAfter);
	return status !== undefined;
}

/** Faults that hit after the service did its work; true when they have ended the request. */
export async function injectAfter(
	service: Service,
	exchange: Exchange,
	reply: Reply,
): Promise<boolean> {
	const { faults } = service;
	const subject = subjectOf(service, exchange);
	if (faults.take('lost_after', subject)) return cut(exchange, 'lost_after');
	const status = faults.take('status_after', subject);
	if (status) {
		fail(service, exchange, 'status_after', status.status, status.retryAfter);
		return true;
	}
	if (!faults.take('truncate', subject)) return false;
	truncate(exchange, reply);
	return true;
}

function subjectOf({ store }: Service, { entry, request }: Exchange) {
	const key = request.headers.authorization?.replace(/^Bearer /i, '');
	const workspace = entry.workspace ?? store.keys.get(key ?? '')?.workspace;
	return { operation: entry.operation ?? undefined, workspace };
}

function cut({ response, entry }: Exchange, fault: string): true {
	entry.fault = fault;
	response.destroy();
	return true;
}

function fail(
	{ settings }: Service,
	exchange: Exchange,
	fault: string,
	status: number,
	retryAfter: string | undefined,
): void {
	exchange.entry.fault = fault;
	if (retryAfter !== undefined) exchange.response.setHeader('Retry-After', retryAfter);
	const limited = status === 429;
	const type = limited ? 'rate_limit' : 'server_error';
	const error = new ApiError(500, type, limited ? 'Too many requests.' : 'The service failed.');
	exchange.entry.error = error.message;
	send(exchange, { status, body: error.body(exchange.entry.id, settings.errorTypePrefix) });
}

/** Promises the whole length and ends the connection half-way. */
function truncate({ response, entry }: Exchange, { status, body }: Reply): void {
	const bytes = Buffer.from(JSON.stringify(body ?? null));
	entry.fault = 'truncate';
	entry.status = status;
	response.status(status).setHeader('content-type', 'application/json; charset=utf-8');
	response.setHeader('content-length', bytes.length);
	response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}
