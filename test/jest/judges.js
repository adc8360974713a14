const shared = require('./shared');

/** Judges from outside: what others wrote to check such a package, see test/judges. */
module.exports = {
	...shared,
	roots: ['<rootDir>/test/judges'],
	globalSetup: '<rootDir>/test/judges/support/install.ts',
	testTimeout: 240_000,
	// By default one core less than there are, which is half of a small machine.
	maxWorkers: '100%',
};
