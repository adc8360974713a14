/** Unit, contract and architecture tests. The end-to-end tests have a configuration of their own. */
module.exports = {
	testEnvironment: 'node',
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/'],
	modulePathIgnorePatterns: ['<rootDir>/lab/node_modules', '<rootDir>/.n8n-lab', '<rootDir>/dist'],
	transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' } }] },
	// No test is timed: some go through thousands of cases, on machines that others use too.
	testTimeout: 120_000,
};
