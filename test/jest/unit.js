const shared = require('./shared');

/**
 * Unit, contract and architecture tests. The end-to-end tests, those of queue mode and the judges have
 * configurations of their own.
 */
module.exports = {
	...shared,
	roots: ['<rootDir>/test'],
	testPathIgnorePatterns: [
		'/node_modules/',
		'<rootDir>/test/e2e/',
		'<rootDir>/test/queue/',
		'<rootDir>/test/compat/',
		'<rootDir>/test/judges/',
	],
	moduleNameMapper: { '^n8n-workflow$': '<rootDir>/test/support/n8nWorkflow.js' },
	testSequencer: '<rootDir>/test/support/sequencer.js',
	// No test depends on exact times, and none takes more than a few seconds on a machine of its own, unless
	// it goes through all cases.
	testTimeout: process.env.TEST_THOROUGH ? 300_000 : 60_000,
	// By default one core less than there are, which is half of a small machine.
	maxWorkers: '100%',
};
