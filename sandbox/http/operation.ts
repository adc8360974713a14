import { json, Router, type Request, type Response } from 'express';
import { z } from 'zod/v4';

import { ENDPOINTS, type EndpointName } from '../../src/api';
import type { KeyEntity } from '../entities';
import { ApiError, invalid } from '../errors';
import { requestOf, type Given } from '../schemas';
import type { Service } from '../service';
import type { Workspace } from '../store';
import { injectAfter, injectBefore, send } from './answer';
import { entryOf } from './exchange';
import { readKey, type Reply } from './idempotency';
import { limitRate } from './rateLimit';
import { refuseUnfit, validate, validateKnown } from './validate';

/** What the code of an operation is given once the request has passed everything that all share. */
interface Call<Name extends EndpointName> {
	workspace: Workspace;
	/** The path's `{id}`, empty where there is none. */
	id: string;
	body: Given<Name>;
	query: Given<Name, 'query'>;
}

/** The code of each operation of the contract's endpoint table. */
export type Handlers = {
	[Name in EndpointName]: (call: Call<Name>) => Reply | Promise<Reply>;
};

const noQuery = z.strictObject({});

/**
 * All operations, and the way of every request: key, faults, rate, scope, body, idempotency, fields,
 * and only then the operation. What is refused on the way has no effect.
 */
export function contract(service: Service, handlers: Handlers): Router {
	const router = Router({ caseSensitive: true, strict: true });
	const bind = <Name extends EndpointName>(name: Name) => {
		const { method, path } = ENDPOINTS[name];
		const verb = method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';
		router[verb](path.replace('{id}', ':id'), async (request, response) => {
			const entry = entryOf(response);
			const named = request.params.id;
			entry.operation = name;
			entry.query = { ...request.query };
			entry.resource = typeof named === 'string' ? named : null;
			const key = authenticate(service, request, response);
			entry.workspace = key.workspace;
			if (await injectBefore(service, response)) return;
			const reply = await pass(service, request, response, key, name, handlers[name]);
			if (ENDPOINTS[name].does === 'creates') entry.resource = idOf(reply.body);
			await service.committed();
			if (!injectAfter(service, response, reply)) send(response, reply);
		});
	};
	for (const name of Object.keys(ENDPOINTS) as EndpointName[]) bind(name);
	return router;
}

/** The id of what an answer is about. */
function idOf(body: unknown): string | null {
	const { id } = body as { id?: unknown };
	return typeof id === 'string' ? id : null;
}

async function pass<Name extends EndpointName>(
	service: Service,
	request: Request,
	response: Response,
	key: KeyEntity,
	name: Name,
	handle: Handlers[Name],
): Promise<Reply> {
	const shape = requestOf(name);
	const entry = entryOf(response);
	const workspace = service.store.workspaces.get(key.workspace)!;
	limitRate(workspace);
	authorize(key, workspace, name);
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
			body: (shape.body && body ? read(shape.body, body) : undefined) as Given<Name>,
			query: read<unknown>(shape.query ?? noQuery, query) as Given<Name, 'query'>,
		});
	};
	if (request.method !== 'POST') return await work();
	const once = readKey(request.headers['idempotency-key']);
	entry.idempotencyKey = once ?? null;
	if (once === undefined) return await work();
	return await service.idempotency.once(`${workspace.id} ${request.path} ${once}`, body, work);
}

const BEARER = /^Bearer ([\x21-\x7e]+)$/i;

/** 401 unless the request carries a known key. Specification: Authentication 1, 4. */
function authenticate({ store }: Service, request: Request, response: Response): KeyEntity {
	const { authorization } = request.headers;
	const key = store.keys.get(BEARER.exec(authorization ?? '')?.[1] ?? '');
	if (key) return key;
	response.setHeader('www-authenticate', 'Bearer');
	const isMissing = authorization === undefined;
	const what = isMissing ? 'No API key was sent.' : 'The API key is not valid.';
	throw new ApiError(401, 'authentication', what);
}

/**
 * 403 unless the workspace is entitled and the key has the scope. Specification: Authentication 3,
 * 4. Open point 15: GET /jobs/{id} shows no scope; any that reads will do.
 */
function authorize({ scopes }: KeyEntity, { entity }: Workspace, name: EndpointName): void {
	if (!entity.entitled) {
		const message = 'This workspace has no active subscription and no successful top-up.';
		throw new ApiError(403, 'permission', message, { reason: 'entitlement' });
	}
	const { scope } = ENDPOINTS[name];
	if (scopes.some((each) => each === scope || (!scope && each.endsWith(':read')))) return;
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
