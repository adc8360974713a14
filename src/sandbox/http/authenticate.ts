import type { EndpointName, Scope } from '../../contract';
import { ENDPOINTS } from '../../contract';
import type { KeyEntity } from '../state/entities';
import type { Service } from '../service';
import { ApiError } from '../errors';
import type { Exchange } from './exchange';

const BEARER = /^Bearer ([\x21-\x7e]+)$/i;

/** 401 unless the request carries a known key. Specification: Authentication 1, 4. */
export function authenticate(service: Service, exchange: Exchange): void {
	const header = exchange.request.headers.authorization;
	const key = header === undefined ? undefined : BEARER.exec(header)?.[1];
	const known = key === undefined ? undefined : service.store.keys.get(key);
	if (!known) {
		exchange.response.setHeader('www-authenticate', 'Bearer');
		const what = header === undefined ? 'No API key was sent.' : 'The API key is not valid.';
		throw new ApiError(401, 'authentication', what);
	}
	exchange.key = known;
	exchange.workspace = service.store.workspaces.get(known.workspace)!;
	exchange.entry.workspace = known.workspace;
}

/**
 * 403 unless the workspace is entitled and the key has the scope. Specification: Authentication 3,
 * 4.
 */
export function authorize(service: Service, exchange: Exchange, name: EndpointName): void {
	if (!exchange.workspace!.entity.entitled) {
		const message = 'This workspace has no active subscription and no successful top-up.';
		throw new ApiError(403, 'permission', message, { reason: 'entitlement' });
	}
	const scope = ENDPOINTS[name].scope;
	if (hasScope(service, exchange.key!, scope)) return;
	const message = `The key lacks the scope ${scope ?? 'to read jobs'}.`;
	throw new ApiError(403, 'permission', message, { reason: 'scope', scope: scope ?? null });
}

/** Open point 15: GET /jobs/{id} shows no scope. */
function hasScope({ settings }: Service, key: KeyEntity, scope: Scope | undefined): boolean {
	if (scope !== undefined) return key.scopes.includes(scope);
	if (settings.jobScope === 'none') return true;
	if (settings.jobScope === 'generations:read') return key.scopes.includes('generations:read');
	return key.scopes.some((each) => each.endsWith(':read'));
}
