const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

/** Those in use since the last test file ended. */
const inUse = new Set();

for (const method of ['run', 'enterWith']) {
	const original = AsyncLocalStorage.prototype[method];
	AsyncLocalStorage.prototype[method] = function (...parts) {
		inUse.add(this);
		return original.apply(this, parts);
	};
}

/**
 * Node's environment, which also switches off what a test file has left behind. Each file has a jest-circus of its own
 * with an `AsyncLocalStorage` that is never disabled, and before Node 24 every promise is given an entry for each of
 * them: the hundredth file would take several times as long as the first, most of it garbage collection.
 */
module.exports = class extends TestEnvironment {
	async teardown() {
		for (const storage of inUse) storage.disable();
		inUse.clear();
		await super.teardown();
	}
};
