const { AsyncLocalStorage } = require('node:async_hooks');
const v8 = require('node:v8');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

/**
 * jest-circus uses one to name the test that an unhandled rejection comes from. Without it the rejection
 * fails the file and not the test; with it Node before 24 follows every promise, which makes them slow.
 */
AsyncLocalStorage.prototype.run = (_store, callback, ...parts) => callback(...parts);

/**
 * What Jest compiles each module with, its own included. V8 compiles a script that it knows only once for
 * each process, but a function each time: in each test file, where it takes longer than most tests.
 * `import()` in JavaScript is not possible then; Jest has it only with a flag of Node, which we do not set.
 */
vm.compileFunction = (code, names, { filename, parsingContext }) => {
	const start = `(function (${names}) {`;
	const script = new vm.Script(`${start}${code}\n})`, { filename, columnOffset: -start.length });
	return script.runInContext(parsingContext);
};

// It would forget what it has compiled of a script that no test file in progress uses, which the next one
// may.
v8.setFlagsFromString('--no-flush-bytecode');

module.exports = TestEnvironment;
