/** The modules of n8n-workflow that hold nearly all else that we use. */
const PARTS = [
	'constants',
	'errors/index',
	'utils',
	'node-helpers',
	'type-validation',
	'from-ai-parse-utils',
];

const load = (part) => require(`n8n-workflow/dist/cjs/${part}.js`);

const whole = () => load('index');

/** What was asked for, by name: some tests ask a hundred thousand times. */
const values = new Map();

function find(name) {
	// A quick one, and all that a description needs.
	const interfaces = load('interfaces');
	if (Object.hasOwn(interfaces, name)) return interfaces[name];
	// All at once: what goes on after the end of a test file can load nothing any more.
	const parts = PARTS.map(load);
	if (name === 'NodeHelpers') return load('node-helpers');
	return (parts.find((each) => Object.hasOwn(each, name)) ?? whole())[name];
}

function valueOf(_target, name) {
	if (!values.has(name)) values.set(name, find(name));
	return values.get(name);
}

/**
 * n8n-workflow, of which only that is loaded which is asked for. Loading all of it, the evaluation of
 * expressions and the transliteration of every script included, takes a tenth of a second in each test file:
 * longer than most tests.
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
