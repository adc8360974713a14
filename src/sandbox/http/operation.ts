import type { Request, Response, Router } from 'express';
import { z } from 'zod/v4';

import type { EndpointName } from '../../contract';
import { ENDPOINTS } from '../../contract';
import type { KeyEntity } from '../state/entities';
import type { Service } from '../service';
import type { Workspace } from '../state/store';
import { authenticate, authorize } from './authenticate';
import { readBody } from './body';
import { ApiError } from '../errors';
import type { Exchange } from './exchange';
import { begin } from './exchange';
import { fingerprint, readKey, type Reply } from './idempotency';
import { refuseUnfit, validate } from './validate';
import { send, sendError, injectAfter, injectBefore } from './answer';

/** What a route is given once the request has passed everything that all operations share. */
export interface Call<Body, Query> {
	workspace: Workspace;
	key: KeyEntity;
	/** The path's `{id}`, empty where there is none. */
	id: string;
	body: Body;
	query: Query;
}

export interface Shape<Body, Query> {
	body?: z.ZodType<Body>;
	query?: z.ZodType<Query>;
}

export type Handle<Body, Query> = (call: Call<Body, Query>) => Reply | Promise<Reply>;

/** Binds one operation of the contract's endpoint table to its code. */
export type Operation = <Body = undefined, Query = undefined>(
	name: EndpointName,
	shape: Shape<Body, Query>,
	handle: Handle<Body, Query>,
) => void;

const noQuery = z.strictObject({});

/**
 * The way of every request: key, rate, scope, body, idempotency, fields, and only then the
 * operation. What is refused on the way has no effect.
 */
export function operations(service: Service, router: Router): Operation {
	return (name, shape, handle) => {
		const { method, path } = ENDPOINTS[name];
		const run = async (request: Request, response: Response) => {
			const exchange = begin(service, request, response, name);
			try {
				if (await injectBefore(service, exchange)) return;
				const reply = await pass(service, exchange, name, shape, handle);
				await service.committed();
				if (await injectAfter(service, exchange, reply)) return;
				send(exchange, reply);
			} catch (error) {
				sendError(service, exchange, error);
			}
		};
		const verb = method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';
		router[verb](path.replace('{id}', ':id'), run);
	};
}

const LARGEST_RECORDED = 100_000;

/** The body as the request log keeps it; large ones would fill the memory. */
function recorded(body: unknown, { headers }: Request): unknown {
	if (body === undefined) return null;
	const length = Number(headers['content-length'] ?? LARGEST_RECORDED + 1);
	return length > LARGEST_RECORDED ? { omitted_bytes: length } : (body ?? null);
}

async function pass<Body, Query>(
	service: Service,
	exchange: Exchange,
	name: EndpointName,
	shape: Shape<Body, Query>,
	handle: Handle<Body, Query>,
): Promise<Reply> {
	const { request, response, entry } = exchange;
	const { settings } = service;
	authenticate(service, exchange);
	const workspace = exchange.workspace!;
	const rate = service.limiter.pass(workspace.id, settings);
	if (settings.rateLimitHeaders) {
		response.setHeader('RateLimit-Limit', rate.limit);
		response.setHeader('RateLimit-Remaining', rate.remaining);
		response.setHeader('RateLimit-Reset', rate.reset);
	}
	authorize(service, exchange, name);
	const body = shape.body ? await readBody(request, response) : undefined;
	entry.body = recorded(body, request);
	refuseUnfit(body);
	const work = async () => {
		const query = { ...request.query };
		refuseUnfit(query);
		const id = request.params.id;
		return await handle({
			workspace,
			key: exchange.key!,
			id: typeof id === 'string' ? id : '',
			body: (shape.body ? validate(shape.body, body, settings) : undefined) as Body,
			query: validate<unknown>(shape.query ?? noQuery, query, settings) as Query,
		});
	};
	if (request.method !== 'POST') return await work();
	const key = readKey(request.headers['idempotency-key']);
	entry.idempotencyKey = key ?? null;
	if (key === undefined) return await work();
	const scope = `${workspace.id} ${request.path} ${key}`;
	const reply = await service.idempotency.once(scope, fingerprint(body), settings, work);
	if (reply.body instanceof ApiError) throw reply.body;
	return reply;
}
