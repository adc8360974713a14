import type { Request, Response } from 'express';

import { ENDPOINTS } from '../../contract';
import type { KeyEntity } from '../entities';
import type { Service } from '../service';
import type { Workspace } from '../store';
import type { RequestEntry } from './requestLog';

/** One request on its way through the middleware, and what is known of it so far. */
export interface Exchange {
	request: Request;
	response: Response;
	entry: RequestEntry;
	/** Set by authentication. */
	workspace?: Workspace;
	key?: KeyEntity;
}

const isOfContract = (operation: string | null): boolean =>
	operation !== null && Object.hasOwn(ENDPOINTS, operation);

/** Begins an exchange: gives it an id and records it when it ends. */
export function begin(
	service: Service,
	request: Request,
	response: Response,
	operation: string | null,
): Exchange {
	const started = performance.now();
	const { authorization, ...headers } = request.headers;
	const entry: RequestEntry = {
		id: service.requestId(),
		at: service.clock.now(),
		method: request.method,
		path: request.originalUrl.replace(/\?.*/s, ''),
		query: isOfContract(operation) ? { ...request.query } : null,
		operation,
		workspace: null,
		status: null,
		answered: false,
		durationMs: 0,
		idempotencyKey: null,
		authorized: authorization !== undefined,
		headers,
		body: null,
		fault: null,
		error: null,
	};
	response.once('close', () => {
		entry.status ??= response.headersSent ? response.statusCode : null;
		entry.answered = response.writableFinished;
		entry.durationMs = Math.round((performance.now() - started) * 100) / 100;
		service.requests.add(entry);
	});
	response.setHeader('x-request-id', entry.id);
	return { request, response, entry };
}
