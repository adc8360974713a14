import { randomUUID } from 'crypto';
import type { Request, RequestHandler, Response } from 'express';

import type { Service } from '../service';

const EXECUTION = /^https?:\/\/[^\s"<>]+\/executions\/[\w-]+$/;

/** Where the execution of n8n is that says so, as our nodes do to a service on this machine. */
function executionOf(header: string | string[] | undefined): string | null {
	return typeof header === 'string' && EXECUTION.test(header) ? header : null;
}

/** What is recorded of a request to the service, to an operation of the contract or to a file. */
function begun(request: Request, at: number) {
	const { authorization, ...headers } = request.headers;
	return {
		/** Not drawn from the seed: a repeated request must not shift other ids. */
		id: `req_${randomUUID()}`,
		/** Wall-clock milliseconds. */
		at,
		method: request.method,
		/** Without the query, which may hold a signature. */
		path: request.originalUrl.replace(/\?.*/s, ''),
		/** Of the operations of the contract only. */
		query: null as Record<string, unknown> | null,
		/** As in the contract; `upload`, `readFile`, `readOutput`, `readSample` for file addresses. */
		operation: null as string | null,
		workspace: null as string | null,
		/** The id of what it has made, or asked for by its path. */
		resource: null as string | null,
		/** The address of the n8n execution that sent it. */
		execution: executionOf(headers['x-n8n-execution']),
		status: null as number | null,
		/** False when the client was not given the whole answer. */
		answered: false,
		durationMs: 0,
		idempotencyKey: null as string | null,
		/** Whether an Authorization header came along; the key itself is never recorded. */
		authorized: authorization !== undefined,
		headers: headers as Record<string, unknown>,
		body: null as unknown,
		/** Name of the fault that struck it. */
		fault: null as string | null,
		/** What an error answer said. */
		error: null as string | null,
	};
}

export type RequestEntry = ReturnType<typeof begun>;

/** Whether the client was not given what it had asked for. */
export const wentWrong = ({ status, answered, fault }: RequestEntry): boolean =>
	status === null || status >= 400 || !answered || fault !== null;

/** Gives each request to the service an id, and records it when it ends. */
export function recorder({ clock, requests }: Service): RequestHandler {
	return (request, response, next) => {
		const started = performance.now();
		const entry = begun(request, clock.now());
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
	/** How many of those went wrong. */
	wrong = 0;

	add(entry: RequestEntry): void {
		const size = entry.body === null ? 0 : JSON.stringify(entry.body).length;
		this.total += 1;
		if (wentWrong(entry)) this.wrong += 1;
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
