const path = require('node:path');

/** What the configurations of all tests have in common. */
module.exports = {
	rootDir: path.join(__dirname, '..', '..'),
	testEnvironment: '<rootDir>/test/support/environment.js',
	testRunner: '<rootDir>/test/jest/runner.js',
	testMatch: ['**/*.test.ts'],
	modulePathIgnorePatterns: [
		'<rootDir>/lab/(.*/)?node_modules',
		'<rootDir>/(.*/)?\\.installing',
		'<rootDir>/.n8n-lab',
		'<rootDir>/dist',
	],
	// Packages are loaded when something of theirs is used, as most files use few of those that they import.
	transform: {
		'^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' }, module: { lazy: true } }],
	},
};
