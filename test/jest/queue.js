const shared = require('./shared');

/**
 * End-to-end tests of queue mode: one n8n of several processes for all of them, with Redis and PostgreSQL.
 * Apart from the others, whose n8n would only wait meanwhile.
 */
module.exports = {
	...shared,
	roots: ['<rootDir>/test/queue'],
	globalSetup: '<rootDir>/test/queue/support/globalSetup.ts',
	globalTeardown: '<rootDir>/test/queue/support/globalTeardown.ts',
	testEnvironment: '<rootDir>/test/queue/support/environment.ts',
	// One, so that the tests run in the process of the setup.
	maxWorkers: 1,
	testTimeout: 240_000,
};
