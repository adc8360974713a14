/**
 * End-to-end tests: our packed package in one real n8n against one sandbox, both started once for the
 * whole run. One worker, because the tests share them; and because n8n needs the second core.
 */
module.exports = {
	testEnvironment: 'node',
	roots: ['<rootDir>/test/e2e'],
	testMatch: ['**/*.test.ts'],
	modulePathIgnorePatterns: ['<rootDir>/lab/node_modules', '<rootDir>/.n8n-lab', '<rootDir>/dist'],
	transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' } }] },
	globalSetup: '<rootDir>/test/e2e/support/globalSetup.ts',
	globalTeardown: '<rootDir>/test/e2e/support/globalTeardown.ts',
	maxWorkers: 1,
	testTimeout: 120_000,
};
