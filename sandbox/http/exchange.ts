import { randomUUID } from 'crypto';
import type { RequestHandler, Response } from 'express';

import type { Service } from '../service';

/** One request to the service, to an operation of the contract or to a file. */
export interface RequestEntry {
	id: string;
	/** Wall-clock milliseconds. */
	at: number;
	method: string;
	/** Without the query, which may hold a signature. */
	path: string;
	/** Of the operations of the contract only; `null` at file addresses. */
	query: Record<string, unknown> | null;
	/**
	 * Name of the operation as in the contract; `upload`, `readFile`, `readOutput` for file
	 * addresses.
	 */
	operation: string | null;
	workspace: string | null;
	status: number | null;
	/** False when the client was not given the whole answer. */
	answered: boolean;
	durationMs: number;
	idempotencyKey: string | null;
	/** Whether an Authorization header came along; the key itself is never recorded. */
	authorized: boolean;
	headers: Record<string, unknown>;
	body: unknown;
	/** Name of the fault that struck it. */
	fault: string | null;
	/** What an error answer said. */
	error: string | null;
}

/** Gives each request to the service an id, and records it when it ends. */
export function recorder({ clock, requests }: Service): RequestHandler {
	return (request, response, next) => {
		const started = performance.now();
		const { authorization, ...headers } = request.headers;
		const entry: RequestEntry = {
			// Not drawn from the seed: a repeated request must not shift other ids.
			id: `req_${randomUUID()}`,
			at: clock.now(),
			method: request.method,
			path: request.originalUrl.replace(/\?.*/s, ''),
			query: null,
			operation: null,
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
			requests.add(entry);
		});
		response.setHeader('x-request-id', entry.id);
		response.locals.entry = entry;
		next();
	};
}

/** What is recorded of the request that a response answers. */
export const entryOf = (response: Response) => response.locals.entry as RequestEntry;

/** How many requests are kept, and how many characters of their bodies. */
const MOST_REQUESTS = 10_000;
const MOST_CHARACTERS = 20_000_000;

/** The last 10,000 requests, oldest first; fewer where their bodies are large. */
export class RequestLog {
	private readonly kept: Array<{ entry: RequestEntry; size: number }> = [];
	private characters = 0;
	/** All that were ever seen. */
	total = 0;

	add(entry: RequestEntry): void {
		const size = entry.body === null ? 0 : JSON.stringify(entry.body).length;
		this.total += 1;
		this.characters += size;
		this.kept.push({ entry, size });
		while (this.kept.length > MOST_REQUESTS || this.characters > MOST_CHARACTERS) {
			this.characters -= this.kept.shift()?.size ?? 0;
		}
	}

	list(): RequestEntry[] {
		return this.kept.map(({ entry }) => entry);
	}
}
