/** Labels of the editor by the path that a field has in the request, such as `parameters.count`. */
export type Labels = Record<string, string>;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A path as services write it: dots or slashes between names, perhaps an index behind it. */
const pattern = (path: string) =>
	`/?${path.split('.').map(escaped).join('[./]')}(?:\\[\\d+\\]|[./]\\d+)?`;

const QUOTES = '["\'`]';

/** Whether nobody would write it as a word of English. */
const isPath = (path: string) => /[._]/.test(path);

function translated(text: string, path: string, label: string): string {
	const quoted = new RegExp(`(${QUOTES})${pattern(path)}\\1`, 'g');
	const bare = isPath(path)
		? new RegExp(`(?<![\\w./])${pattern(path)}(?![\\w[]|[./]\\w)`, 'g')
		: new RegExp(`^${pattern(path)}(?=[\\s:])`, 'g');
	return text.replace(quoted, label).replace(bare, label);
}

/**
 * A message of the service with the labels of the editor in place of the names that fields have in the API. A name that is an English
 * word as well, such as `model`, is replaced where it is quoted or begins the message.
 */
export function inEditorWords(text: string, labels: Labels): string {
	const paths = Object.keys(labels).sort((a, b) => b.length - a.length);
	return paths.reduce((said, path) => translated(said, path, labels[path] ?? path), text);
}

const NAMING = ['field', 'path', 'param', 'parameter', 'pointer', 'property', 'loc'];

/** Details may hold a list of issues. */
const DEEPEST = 3;

function labelOf(value: unknown, labels: Labels): string | undefined {
	const parts = Array.isArray(value) ? value : String(value ?? '').split(/[./[\]]+/);
	const path = parts.filter((part) => !/^(\d*|body)$/.test(String(part))).join('.');
	return Object.hasOwn(labels, path) ? labels[path] : undefined;
}

/** The label of the field that free-form details name, where they name one that the editor has. */
export function fieldNamed(details: unknown, labels: Labels, depth = 0): string | undefined {
	if (typeof details !== 'object' || details === null || depth > DEEPEST) return undefined;
	const entries = Object.entries(details);
	const named = entries
		.filter(([name]) => NAMING.includes(name))
		.map(([, value]) => labelOf(value, labels));
	const within = entries.map(([, value]) => fieldNamed(value, labels, depth + 1));
	return [...named, ...within].find((label) => label !== undefined);
}
