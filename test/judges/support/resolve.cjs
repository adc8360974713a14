/*
 * Run by Node itself, as jest would load each n8n-workflow anew: resolves parameters with each of them.
 * Reads { nodes, choices: { [node]: parameters[] }, workflows: { [name]: workflow } },
 * prints { [version]: { resolved: number, failures: [] } }.
 */
const { readFileSync } = require('node:fs');
const { dependencies } = require('../package.json');

const VERSIONS = [
	...Object.keys(dependencies).filter((name) => name.startsWith('n8n-workflow-')),
	'n8n-workflow',
];

/** The value of a field that was added and not filled in, with everything in it added, too. */
function added({ type, default: value, options = [], typeOptions }) {
	if (type === 'collection')
		return Object.fromEntries(options.map((one) => [one.name, added(one)]));
	if (type !== 'fixedCollection') return value;
	const groups = options.map(({ name, values }) => {
		const group = Object.fromEntries(values.map((one) => [one.name, added(one)]));
		return [name, typeOptions?.multipleValues ? [group] : group];
	});
	return Object.fromEntries(groups);
}

/** Whether the editor shows a field for a choice of resource and operation. */
const isShown = ({ displayOptions: { show = {} } = {} }, choice) =>
	Object.entries(choice).every(([name, value]) => show[name]?.includes(value) ?? true);

/**
 * Each operation with nothing set, with each field of each of its collections alone, and with all of them.
 */
function parametersOf(node) {
	const collections = node.properties.filter(({ type }) => /collection/i.test(type));
	return choices[node.name].flatMap((choice) => [
		choice,
		...collections
			.filter((collection) => isShown(collection, choice))
			.flatMap((collection) => {
				const all = added(collection);
				const each = Object.entries(all).map(([name, value]) => ({ [name]: value }));
				return [...each, all].map((value) => ({ ...choice, [collection.name]: value }));
			}),
	]);
}

function judge({ NodeHelpers }, cases) {
	const failures = [];
	for (const { name, description, parameters } of cases) {
		try {
			const node = { type: description.name, typeVersion: description.version, parameters };
			for (const defaults of [true, false]) {
				for (const hidden of [true, false]) {
					const { properties } = description;
					const { getNodeParameters: resolve } = NodeHelpers;
					resolve(properties, parameters, defaults, hidden, node, description);
				}
			}
			NodeHelpers.getNodeParametersIssues(description.properties, node, description);
		} catch (error) {
			failures.push(`${name} ${JSON.stringify(parameters)}: ${error.message}`);
		}
	}
	return { resolved: cases.length, failures };
}

const { nodes, choices, workflows } = JSON.parse(readFileSync(0, 'utf8'));
const fields = nodes.flatMap((description) =>
	parametersOf(description).map((parameters) => ({
		name: description.name,
		description,
		parameters,
	})),
);
const examples = Object.entries(workflows).flatMap(([file, workflow]) =>
	workflow.nodes.flatMap(({ type, parameters }) => {
		const description = nodes.find(({ name }) => name === type || `${name}Tool` === type);
		return description ? [{ name: file, description, parameters }] : [];
	}),
);
const cases = [...examples, ...fields];
const found = VERSIONS.map((version) => [version, judge(require(version), cases)]);
console.log(JSON.stringify(Object.fromEntries(found)));
