const shared = require('./shared');

/**
 * The smoke of the supported range: our packed package in one n8n of the range, started by the test itself.
 * `npx tsx scripts/compat.ts --n8n 1.123` says which.
 */
module.exports = {
	...shared,
	roots: ['<rootDir>/test/compat'],
	maxWorkers: 1,
	testTimeout: 240_000,
};
