import { json, type Request, type Response, type Router } from 'express';
import { z } from 'zod/v4';

import type { EndpointName } from '../../src/contract';
import { ENDPOINTS } from '../../src/contract';
import { ApiError, invalid } from '../errors';
import { requestOf, type Requests } from '../schemas';
import type { Service } from '../service';
import type { Workspace } from '../store';
import { injectAfter, injectBefore, send, sendError } from './answer';
import type { Exchange } from './exchange';
import { begin } from './exchange';
import { readKey, type Reply } from './idempotency';
import { refuseUnfit, validate, validateKnown } from './validate';

/** What an operation is given as `body` or `query`: nothing where it takes none. */
type Given<Name extends EndpointName, Part extends string> = Name extends keyof Requests
	? Requests[Name] extends Record<Part, infer Schema extends z.ZodType>
		? z.output<Schema>
		: undefined
	: undefined;

/** What a route is given once the request has passed everything that all operations share. */
interface Call<Name extends EndpointName> {
	workspace: Workspace;
	/** The path's `{id}`, empty where there is none. */
	id: string;
	body: Given<Name, 'body'>;
	query: Given<Name, 'query'>;
}

type Handle<Name extends EndpointName> = (call: Call<Name>) => Reply | Promise<Reply>;

/** Binds one operation of the contract's endpoint table to its code. */
export type Operation = <Name extends EndpointName>(name: Name, handle: Handle<Name>) => void;

const noQuery = z.strictObject({});

/**
 * The way of every request: key, rate, scope, body, idempotency, fields, and only then the
 * operation. What is refused on the way has no effect.
 */
export function operations(service: Service, router: Router): Operation {
	return (name, handle) => {
		const { method, path } = ENDPOINTS[name];
		const run = async (request: Request, response: Response) => {
			const exchange = begin(service, request, response, name);
			try {
				if (await injectBefore(service, exchange)) return;
				const reply = await pass(service, exchange, name, handle);
				await service.committed();
				if (!injectAfter(service, exchange, reply)) send(exchange, reply);
			} catch (error) {
				sendError(service, exchange, error);
			}
		};
		const verb = method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';
		router[verb](path.replace('{id}', ':id'), run);
	};
}

async function pass<Name extends EndpointName>(
	service: Service,
	exchange: Exchange,
	name: Name,
	handle: Handle<Name>,
): Promise<Reply> {
	const shape = requestOf(name);
	const { request, response, entry } = exchange;
	const workspace = authenticate(service, exchange);
	service.limiter.pass(workspace.id, service.settings.requestsPerMinute);
	authorize(exchange, workspace, name);
	const body = shape.body ? await readBody(request, response) : undefined;
	refuseUnfit(body);
	// What has been refused until here, such as endless nesting, could not be shown either.
	entry.body = recorded(body, request);
	const read = service.settings.strictFields ? validate : validateKnown;
	const work = async () => {
		const query = { ...request.query };
		refuseUnfit(query);
		const { id } = request.params;
		return await handle({
			workspace,
			id: typeof id === 'string' ? id : '',
			body: (shape.body && body ? read(shape.body, body) : undefined) as Call<Name>['body'],
			query: read<unknown>(shape.query ?? noQuery, query) as Call<Name>['query'],
		});
	};
	if (request.method !== 'POST') return await work();
	const key = readKey(request.headers['idempotency-key']);
	entry.idempotencyKey = key ?? null;
	if (key === undefined) return await work();
	const scope = `${workspace.id} ${request.path} ${key}`;
	return await service.idempotency.once(scope, body, work);
}

const BEARER = /^Bearer ([\x21-\x7e]+)$/i;

/** 401 unless the request carries a known key. Specification: Authentication 1, 4. */
function authenticate({ store }: Service, exchange: Exchange): Workspace {
	const { authorization } = exchange.request.headers;
	const key = store.keys.get(BEARER.exec(authorization ?? '')?.[1] ?? '');
	const workspace = store.workspaces.get(key?.workspace ?? '');
	if (!key || !workspace) {
		exchange.response.setHeader('www-authenticate', 'Bearer');
		const isMissing = authorization === undefined;
		const what = isMissing ? 'No API key was sent.' : 'The API key is not valid.';
		throw new ApiError(401, 'authentication', what);
	}
	exchange.key = key;
	exchange.entry.workspace = workspace.id;
	return workspace;
}

/**
 * 403 unless the workspace is entitled and the key has the scope. Specification: Authentication 3,
 * 4. Open point 15: GET /jobs/{id} shows no scope; any that reads will do.
 */
function authorize({ key }: Exchange, { entity }: Workspace, name: EndpointName): void {
	if (!entity.entitled) {
		const message = 'This workspace has no active subscription and no successful top-up.';
		throw new ApiError(403, 'permission', message, { reason: 'entitlement' });
	}
	const { scope } = ENDPOINTS[name];
	const has = key?.scopes.some((each) => each === scope || (!scope && each.endsWith(':read')));
	if (has) return;
	const message = `The key lacks the scope ${scope ?? 'to read jobs'}.`;
	throw new ApiError(403, 'permission', message, { reason: 'scope', scope: scope ?? null });
}

/** Bodies above this are refused; media go through POST /files. */
const LARGEST_BODY = 10 * 1024 * 1024;

const parse = json({ limit: LARGEST_BODY, type: () => true, strict: false });

/** The request's JSON object. 400 for anything else. */
async function readBody(request: Request, response: Response): Promise<object> {
	const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
	if (type !== 'application/json') throw invalid('Content-Type', 'must be application/json');
	await new Promise<void>((resolve, reject) => {
		parse(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
	});
	const body: unknown = request.body;
	if (body === undefined || body === null || typeof body !== 'object' || Array.isArray(body)) {
		throw new ApiError(400, 'invalid_request', 'The body must be a JSON object.');
	}
	return body;
}

const LARGEST_RECORDED = 100_000;

/** The body as the request log keeps it; large ones would fill the memory. */
function recorded(body: unknown, { headers }: Request): unknown {
	if (body === undefined) return null;
	const length = Number(headers['content-length'] ?? LARGEST_RECORDED + 1);
	return length > LARGEST_RECORDED ? { omitted_bytes: length } : body;
}
