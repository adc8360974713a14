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

/** One of the {@link SCOPES}. */
export type Scope = (typeof SCOPES)[number];
