/** What the configurations of all tests have in common. */
module.exports = {
	testEnvironment: '<rootDir>/test/support/environment.js',
	testMatch: ['**/*.test.ts'],
	modulePathIgnorePatterns: [
		'<rootDir>/lab/(.*/)?node_modules',
		'<rootDir>/.n8n-lab',
		'<rootDir>/dist',
	],
	transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' } }] },
};
