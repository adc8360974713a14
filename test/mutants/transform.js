const path = require('node:path');
const swcJest = require('@swc/jest');

/** The mutant that the tests are run against, as JSON; without it they are run against the code as it is. */
const mutant = process.env.TEST_MUTANT ? JSON.parse(process.env.TEST_MUTANT) : undefined;

const PUBLISHED = /^(?:nodes|credentials|src)[\\/]/;

const mutated = (source, file, { config: { rootDir } }) =>
	mutant && PUBLISHED.test(path.relative(rootDir, file))
		? source.replace(mutant.from, () => mutant.to)
		: source;

/**
 * A transformer for Jest: that of all tests, to which the source comes with the fault already in it. Nothing
 * is written, so that several mutants can be tried at a time. Jest's cache has an entry for each, as its key
 * is made of that source.
 */
module.exports.createTransformer = (options) => {
	const transformer = swcJest.createTransformer(options);
	return {
		...transformer,
		process: (source, file, context) =>
			transformer.process(mutated(source, file, context), file, context),
		getCacheKey: (source, file, context) =>
			transformer.getCacheKey(mutated(source, file, context), file, context),
	};
};
