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

/** One row of the table of operations. Specification: Endpoints. */
export interface Endpoint {
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	/** Relative to the base URL, which ends in `/v1`; `{id}` is a path parameter. */
	path: string;
	/** `undefined` where the specification shows none (GET /jobs/{id}). */
	scope: Scope | undefined;
	/** Statuses of success; `undefined` where not shown (PATCH /webhooks/{id}). */
	success: readonly number[] | undefined;
	/** Statuses of failure beyond the four common ones. */
	extra: ReadonlyArray<402 | 404>;
}

const endpoint = (
	method: Endpoint['method'],
	path: string,
	scope: Endpoint['scope'],
	success: Endpoint['success'],
	extra: Endpoint['extra'] = [],
): Endpoint => ({ method, path, scope, success, extra });

/** The operations, in the order of the specification's table. Specification: Endpoints. */
export const ENDPOINTS = {
	listModels: endpoint('GET', '/models', 'models:read', [200]),
	createFile: endpoint('POST', '/files', 'files:write', [201]),
	createGeneration: endpoint('POST', '/generations', 'generations:write', [202], [402]),
	listGenerations: endpoint('GET', '/generations', 'generations:read', [200]),
	getGeneration: endpoint('GET', '/generations/{id}', 'generations:read', [200], [404]),
	createSpeech: endpoint('POST', '/speech', 'generations:write', [202], [402]),
	getSpeech: endpoint('GET', '/speech/{id}', 'generations:read', [200], [404]),
	getJob: endpoint('GET', '/jobs/{id}', undefined, [200], [404]),
	createAgentRun: endpoint('POST', '/agents/runs', 'agents:write', [201, 202], [402]),
	listAgentRuns: endpoint('GET', '/agents/runs', 'agents:read', [200]),
	getAgentRun: endpoint('GET', '/agents/runs/{id}', 'agents:read', [200], [404]),
	approveAgentRun: endpoint('POST', '/agents/runs/{id}/approve', 'agents:write', [202], [402]),
	reviewAgentRun: endpoint('POST', '/agents/runs/{id}/review', 'agents:write', [200]),
	createVoice: endpoint('POST', '/voices', 'voices:write', [201], [402]),
	listVoices: endpoint('GET', '/voices', 'voices:read', [200]),
	listPresetVoices: endpoint('GET', '/voices/catalog', 'voices:read', [200]),
	getVoice: endpoint('GET', '/voices/{id}', 'voices:read', [200]),
	renameVoice: endpoint('PATCH', '/voices/{id}', 'voices:write', [200]),
	deleteVoice: endpoint('DELETE', '/voices/{id}', 'voices:write', [200]),
	createPersona: endpoint('POST', '/personas', 'personas:write', [201, 202]),
	listPersonas: endpoint('GET', '/personas', 'personas:read', [200]),
	getPersona: endpoint('GET', '/personas/{id}', 'personas:read', [200]),
	updatePersona: endpoint('PATCH', '/personas/{id}', 'personas:write', [200]),
	deletePersona: endpoint('DELETE', '/personas/{id}', 'personas:write', [200]),
	getCredits: endpoint('GET', '/credits', 'credits:read', [200]),
	getUsage: endpoint('GET', '/usage', 'usage:read', [200]),
	createWebhook: endpoint('POST', '/webhooks', 'webhooks:write', [201]),
	listWebhooks: endpoint('GET', '/webhooks', 'webhooks:read', [200]),
	getWebhook: endpoint('GET', '/webhooks/{id}', 'webhooks:read', [200]),
	updateWebhook: endpoint('PATCH', '/webhooks/{id}', 'webhooks:write', undefined),
	deleteWebhook: endpoint('DELETE', '/webhooks/{id}', 'webhooks:write', [200]),
	listDeliveries: endpoint('GET', '/webhooks/{id}/deliveries', 'webhooks:read', [200]),
} as const satisfies Record<string, Endpoint>;

/** The name of an operation in {@link ENDPOINTS}: ours, not of the specification. */
export type EndpointName = keyof typeof ENDPOINTS;

/** Name of the header that makes a POST safe to repeat. Specification: Operation details. */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key';
