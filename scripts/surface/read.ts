import type {
	ICredentialType,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';
import type { NodeSurface, Parameter, Parameters, Surface, Value, Visibility } from './surface';

/**
 * The surface of these nodes and credentials; keys sorted, so that a change is a small difference.
 */
export function readSurface(
	nodes: INodeTypeDescription[],
	credentials: ICredentialType[],
): Surface {
	return {
		nodes: sorted(nodes.map((node) => [node.name, readNode(node)])),
		credentials: sorted(credentials.map(({ name, properties }) => [name, read(properties, {})])),
	};
}

/** Values of the parameters that choose what a node does. */
type Choice = Partial<Record<'resource' | 'operation', Value>>;

function readNode(node: INodeTypeDescription): NodeSurface {
	const { properties, version, credentials = [] } = node;
	// A workflow need not contain a resource that cannot be chosen: it always has its default.
	const isChosen = properties.some(({ name, type }) => name === 'resource' && type !== 'hidden');
	const nameOf = ({ resource, operation }: Choice) =>
		[isChosen ? resource : undefined, operation].filter((part) => part !== undefined).join('.');
	const operations = choicesOf(properties).map((choice): [string, Parameters] => [
		nameOf(choice),
		read(properties, choice),
	]);
	return {
		version,
		credentials: credentials.map(({ name }) => name),
		operations: sorted(operations),
	};
}

function choicesOf(properties: INodeProperties[]): Choice[] {
	const valuesOf = (name: string, choice: Choice) =>
		properties
			.filter((property) => property.name === name && remaining(property, choice))
			.flatMap(({ options = [] }) => (options as INodePropertyOptions[]).map(({ value }) => value));
	const resources = valuesOf('resource', {});
	const chosen: Choice[] = resources.length ? resources.map((resource) => ({ resource })) : [{}];
	return chosen.flatMap((choice) => {
		const operations = valuesOf('operation', choice);
		return operations.length ? operations.map((operation) => ({ ...choice, operation })) : [choice];
	});
}

function read(properties: INodeProperties[], choice: Choice): Parameters {
	const found: Parameters = {};
	collect(properties, choice, '', found);
	return sorted(Object.entries(found));
}

function collect(
	properties: INodeProperties[],
	choice: Choice,
	within: string,
	found: Parameters,
): void {
	for (const property of properties) {
		const { name, type, options = [] } = property;
		if (type === 'notice' || (!within && (name === 'resource' || name === 'operation'))) continue;
		const when = remaining(property, choice);
		if (!when) continue;
		const path = `${within}${name}`;
		(found[path] ??= []).push(readParameter(property, when));
		if (type === 'collection') collect(options as INodeProperties[], choice, `${path}.`, found);
		if (type === 'fixedCollection') {
			for (const group of options as INodePropertyCollection[])
				collect(group.values, choice, `${path}.${group.name}.`, found);
		}
	}
}

function readParameter(property: INodeProperties, when: Visibility): Parameter {
	const { type, default: standard, options = [], modes } = property;
	const values =
		type === 'options' || type === 'multiOptions'
			? (options as INodePropertyOptions[]).map(({ value }) => value)
			: modes?.map(({ name }) => name);
	// Their order in the editor is free.
	values?.sort((a, b) => (String(a) < String(b) ? -1 : 1));
	return {
		type,
		default: standard,
		...(values && { values }),
		...(Object.keys(when).length > 0 && { when }),
	};
}

/**
 * What is left of a property's conditions once the operation is chosen; undefined when it is not
 * shown.
 */
function remaining({ displayOptions }: INodeProperties, choice: Choice): Visibility | undefined {
	const { show = {}, hide = {} } = (displayOptions ?? {}) as Visibility;
	const plain = (name: string) => name.replace(/^\//, '');
	const isChosen = (name: string) => plain(name) in choice;
	const meets = ([name, values]: [string, unknown[]]) =>
		values.includes(choice[plain(name) as keyof Choice]);
	const shown = Object.entries(show);
	const hidden = Object.entries(hide);
	if (!shown.filter(([name]) => isChosen(name)).every(meets)) return undefined;
	if (hidden.filter(([name]) => isChosen(name)).some(meets)) return undefined;
	const rest = (rules: Array<[string, unknown[]]>) =>
		sorted(
			rules.filter(([name]) => !isChosen(name)).map(([name, values]) => [plain(name), values]),
		);
	const when: Visibility = {};
	if (shown.some(([name]) => !isChosen(name))) when.show = rest(shown);
	if (hidden.some(([name]) => !isChosen(name))) when.hide = rest(hidden);
	return when;
}

function sorted<T>(entries: Array<[string, T]>): Record<string, T> {
	return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
