const path = require('node:path');

/** What the configurations of all tests have in common. */
module.exports = {
	rootDir: path.join(__dirname, '..', '..'),
	testEnvironment: '<rootDir>/test/support/environment.js',
	testRunner: '<rootDir>/test/jest/runner.js',
	testMatch: ['**/*.test.ts'],
	modulePathIgnorePatterns: [
		'<rootDir>/lab/(.*/)?node_modules',
		'<rootDir>/.n8n-lab',
		'<rootDir>/dist',
	],
	transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' } }] },
};
