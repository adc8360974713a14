const unit = require('./unit');

const TYPESCRIPT = '^.+\\.ts$';
const [, options] = unit.transform[TYPESCRIPT];

/** The unit tests, run by `npm run mutants` against a fault that it puts into the code. */
module.exports = {
	...unit,
	transform: { [TYPESCRIPT]: ['<rootDir>/test/mutants/transform.js', options] },
	// A fault may make a test wait for ever; none that is run here takes more than seconds without one.
	testTimeout: 120_000,
};
