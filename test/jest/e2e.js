const shared = require('./shared');

/**
 * End-to-end tests: our packed package in a real n8n against a sandbox, both started once for the whole run.
 * The tests of a worker share them, so each worker has its own: `npm run test:e2e` has four, which keep two
 * cores busy though each waits for half of its time.
 */
module.exports = {
	...shared,
	roots: ['<rootDir>/test/e2e'],
	globalSetup: '<rootDir>/test/e2e/support/globalSetup.ts',
	globalTeardown: '<rootDir>/test/e2e/support/globalTeardown.ts',
	testSequencer: '<rootDir>/test/e2e/support/sequencer.js',
	maxWorkers: 1,
	// Tests that run side by side mostly wait: for jobs, retries and time-outs in real time.
	maxConcurrency: 12,
	testTimeout: 120_000,
};
