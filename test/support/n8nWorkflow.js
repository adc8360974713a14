/** The modules of n8n-workflow that hold nearly all that we use. */
const PARTS = ['interfaces', 'constants', 'errors/index', 'utils', 'node-helpers'];

const whole = () => require('n8n-workflow/dist/cjs/index.js');

let loaded;

function valueOf(_target, name) {
	// All at once: what goes on after the end of a test file can load nothing any more.
	loaded ??= PARTS.map((part) => require(`n8n-workflow/dist/cjs/${part}.js`));
	const part = loaded.find((each) => Object.hasOwn(each, name)) ?? whole();
	return part[name];
}

/**
 * n8n-workflow, of which only that is loaded which is asked for. Loading all of it, the evaluation of expressions and
 * the transliteration of every script included, takes a quarter of a second in each test file: longer than most tests.
 */
module.exports = new Proxy(
	{},
	{
		get: valueOf,
		has: (_target, name) => name in whole(),
		ownKeys: () => Reflect.ownKeys(whole()),
		getOwnPropertyDescriptor: (target, name) => ({
			value: valueOf(target, name),
			enumerable: true,
			configurable: true,
		}),
	},
);
