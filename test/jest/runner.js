const { default: circus } = require('jest-circus/runner');

/**
 * Jest's own runner, which refuses what is required between two tests. Where the tests of a file run side by
 * side that is what one of them requires when another has just ended: a library that loads a part of itself
 * with its first request then answers it with an error.
 */
module.exports = async (globalConfig, config, environment, runtime, ...others) => {
	runtime.leaveTestCode = () => {};
	return await circus(globalConfig, config, environment, runtime, ...others);
};
