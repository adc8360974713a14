/** The fourteen scopes that a key can carry. Specification: Authentication 3. */
export const SCOPES = [
	'models:read',
	'files:write',
	'generations:read',
	'generations:write',
	'agents:read',
	'agents:write',
	'voices:read',
	'voices:write',
	'personas:read',
	'personas:write',
	'credits:read',
	'usage:read',
	'webhooks:read',
	'webhooks:write',
] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * What an operation does. That decides whether it is sent again without a key, and which resource its answer
 * is about:
 *
 * | does     | sent again after a lost answer   | its answer is about             |
 * | -------- | -------------------------------- | ------------------------------- |
 * | reads    | yes                              | the resource named in its path  |
 * | lists    | yes                              | several, or the workspace       |
 * | changes  | yes: once more changes nothing   | the resource named in its path  |
 * | deletes  | yes: what is gone was deleted    | the resource named in its path  |
 * | creates  | with an idempotency key only     | a new resource                  |
 * | advances | with an idempotency key only     | the resource named in its path  |
 */
export type Deed = 'reads' | 'lists' | 'changes' | 'deletes' | 'creates' | 'advances';

/** One row of the table of operations. Specification: Endpoints. */
export interface Endpoint {
	does: Deed;
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	/** The path relative to the base URL, which ends in `/v1`; `{id}` is a path parameter. */
	path: string;
	/** The scope that the key needs; `undefined` if the specification shows none (GET /jobs/{id}). */
	scope: Scope | undefined;
	/** The statuses of success; `undefined` if the specification shows none (PATCH /webhooks/{id}). */
	success: readonly number[] | undefined;
	/** The statuses of failure, besides the four that all operations have. */
	extra: ReadonlyArray<402 | 404>;
}

const endpoint = (
	does: Deed,
	method: Endpoint['method'],
	path: string,
	scope: Endpoint['scope'],
	success: Endpoint['success'],
	extra: Endpoint['extra'] = [],
): Endpoint => ({ does, method, path, scope, success, extra });

/** The operations, in the order of the specification's table. Specification: Endpoints. */
export const ENDPOINTS = {
	listModels: endpoint('lists', 'GET', '/models', 'models:read', [200]),
	createFile: endpoint('creates', 'POST', '/files', 'files:write', [201]),
	createGeneration: endpoint('creates', 'POST', '/generations', 'generations:write', [202], [402]),
	listGenerations: endpoint('lists', 'GET', '/generations', 'generations:read', [200]),
	getGeneration: endpoint('reads', 'GET', '/generations/{id}', 'generations:read', [200], [404]),
	createSpeech: endpoint('creates', 'POST', '/speech', 'generations:write', [202], [402]),
	getSpeech: endpoint('reads', 'GET', '/speech/{id}', 'generations:read', [200], [404]),
	getJob: endpoint('reads', 'GET', '/jobs/{id}', undefined, [200], [404]),
	createAgentRun: endpoint('creates', 'POST', '/agents/runs', 'agents:write', [201, 202], [402]),
	listAgentRuns: endpoint('lists', 'GET', '/agents/runs', 'agents:read', [200]),
	getAgentRun: endpoint('reads', 'GET', '/agents/runs/{id}', 'agents:read', [200], [404]),
	approveAgentRun: endpoint(
		'advances',
		'POST',
		'/agents/runs/{id}/approve',
		'agents:write',
		[202],
		[402],
	),
	reviewAgentRun: endpoint('advances', 'POST', '/agents/runs/{id}/review', 'agents:write', [200]),
	createVoice: endpoint('creates', 'POST', '/voices', 'voices:write', [201], [402]),
	listVoices: endpoint('lists', 'GET', '/voices', 'voices:read', [200]),
	listPresetVoices: endpoint('lists', 'GET', '/voices/catalog', 'voices:read', [200]),
	getVoice: endpoint('reads', 'GET', '/voices/{id}', 'voices:read', [200]),
	renameVoice: endpoint('changes', 'PATCH', '/voices/{id}', 'voices:write', [200]),
	deleteVoice: endpoint('deletes', 'DELETE', '/voices/{id}', 'voices:write', [200]),
	createPersona: endpoint('creates', 'POST', '/personas', 'personas:write', [201, 202]),
	listPersonas: endpoint('lists', 'GET', '/personas', 'personas:read', [200]),
	getPersona: endpoint('reads', 'GET', '/personas/{id}', 'personas:read', [200]),
	updatePersona: endpoint('changes', 'PATCH', '/personas/{id}', 'personas:write', [200]),
	deletePersona: endpoint('deletes', 'DELETE', '/personas/{id}', 'personas:write', [200]),
	getCredits: endpoint('lists', 'GET', '/credits', 'credits:read', [200]),
	getUsage: endpoint('lists', 'GET', '/usage', 'usage:read', [200]),
	createWebhook: endpoint('creates', 'POST', '/webhooks', 'webhooks:write', [201]),
	listWebhooks: endpoint('lists', 'GET', '/webhooks', 'webhooks:read', [200]),
	getWebhook: endpoint('reads', 'GET', '/webhooks/{id}', 'webhooks:read', [200]),
	updateWebhook: endpoint('changes', 'PATCH', '/webhooks/{id}', 'webhooks:write', undefined),
	deleteWebhook: endpoint('deletes', 'DELETE', '/webhooks/{id}', 'webhooks:write', [200]),
	listDeliveries: endpoint('lists', 'GET', '/webhooks/{id}/deliveries', 'webhooks:read', [200]),
} as const satisfies Record<string, Endpoint>;

/** Our name of an operation in {@link ENDPOINTS}. The specification gives them none. */
export type EndpointName = keyof typeof ENDPOINTS;

/** The header that makes a POST safe to repeat. Specification: Operation details. */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

const BY_KEY_ONLY: Deed[] = ['creates', 'advances'];

/** Whether sending a request again has no further effect, even without an idempotency key. */
export const isRepeatable = ({ does }: Endpoint): boolean => !BY_KEY_ONLY.includes(does);

const OF_ONE: Deed[] = ['reads', 'changes', 'deletes', 'advances'];

/**
 * The id of the resource that the answer to a request is about; `undefined` if it is not known before the
 * answer.
 */
export function idAskedFor(endpoint: Endpoint, path: string): string | undefined {
	if (!OF_ONE.includes(endpoint.does)) return undefined;
	const part = path.split('/')[endpoint.path.split('/').indexOf('{id}')];
	return part === undefined ? undefined : decodeURIComponent(part);
}
