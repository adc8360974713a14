import type {
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';
import { readCredentials, readNodes } from '../../scripts/nodes';

/** A parameter with all that a saved workflow depends on; labels, descriptions and order are free. */
function lineOf(property: INodeProperties, within: string): string {
	const { name, type, default: standard, options = [], modes = [], displayOptions } = property;
	const isList = type === 'options' || type === 'multiOptions';
	const chosen = isList ? (options as INodePropertyOptions[]).map(({ value }) => value) : [];
	const values = [...chosen, ...modes.map((mode) => mode.name)].sort();
	return [
		`${within}${name}: ${type} = ${JSON.stringify(standard)}`,
		...(values.length > 0 ? [`one of ${values.join(', ')}`] : []),
		...(displayOptions ? [JSON.stringify(displayOptions).replaceAll('"', '')] : []),
	].join('; ');
}

const linesOf = (properties: INodeProperties[], within = ''): string[] =>
	properties
		.filter(({ type }) => type !== 'notice')
		.flatMap((property) => {
			const { name, type, options = [], displayOptions } = property;
			const inside = `${name}[${[displayOptions?.show?.operation ?? []].flat().join()}].`;
			const nested = type === 'collection' ? linesOf(options as INodeProperties[], inside) : [];
			const groups = type === 'fixedCollection' ? (options as INodePropertyCollection[]) : [];
			const grouped = groups.flatMap((group) => linesOf(group.values, `${inside}${group.name}.`));
			return [lineOf(property, within), ...nested, ...grouped];
		})
		.sort();

const surfaceOf = ({ name, version, usableAsTool, ...rest }: INodeTypeDescription) => [
	`\n# ${name}, version ${[version].flat().join(', ')}${usableAsTool ? ', also a tool' : ''}`,
	...(rest.credentials ?? []).map((credential) => `credential ${credential.name}`),
	...linesOf(rest.properties),
];

// What saved workflows depend on. A line that changes or goes breaks them: say so in CHANGELOG, then
// `npx jest test/repository/surface -u` takes the new surface over.
test('what saved workflows depend on changes only when somebody means it', async () => {
	const nodes = await readNodes();
	const credentials = await readCredentials();
	const lines = [
		...nodes.flatMap(({ description }) => surfaceOf(description)),
		...credentials.flatMap(({ name, properties }) => [`\n# ${name}`, ...linesOf(properties)]),
	];
	expect(lines.join('\n')).toMatchSnapshot();
});
