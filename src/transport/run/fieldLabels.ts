/** Labels of the editor by the path of the field in the request, such as `parameters.count`. */
export type Labels = Record<string, string>;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * A path as services write it: names separated by dots or slashes, perhaps followed by an index.
 */
const pattern = (path: string) =>
	`/?${path.split('.').map(escaped).join('[./]')}(?:\\[\\d+\\]|[./]\\d+)?`;

const QUOTES = '["\'`]';

/** Whether it cannot be mistaken for an English word. */
const isPath = (path: string) => /[._]/.test(path);

function translated(text: string, path: string, label: string): string {
	const quoted = new RegExp(`(${QUOTES})${pattern(path)}\\1`, 'g');
	const bare = isPath(path)
		? new RegExp(`(?<![\\w./])${pattern(path)}(?![\\w[]|[./]\\w)`, 'g')
		: new RegExp(`^${pattern(path)}(?=[\\s:])`, 'g');
	return text.replace(quoted, label).replace(bare, label);
}

/**
 * A message of the service with API field names replaced by the labels of the editor. A name that
 * is also an English word, such as `model`, is replaced only if it is quoted or begins the message.
 */
export function withEditorLabels(text: string, labels: Labels): string {
	const paths = Object.keys(labels).sort((a, b) => b.length - a.length);
	return paths.reduce((message, path) => translated(message, path, labels[path] ?? path), text);
}

const PATH_KEYS = ['field', 'path', 'param', 'parameter', 'pointer', 'property', 'loc'];

/** Details may hold a list of issues. */
const MAX_DEPTH = 3;

function labelOf(value: unknown, labels: Labels): string | undefined {
	const parts = Array.isArray(value) ? value : String(value ?? '').split(/[./[\]]+/);
	const path = parts.filter((part) => !/^(\d*|body)$/.test(String(part))).join('.');
	return Object.hasOwn(labels, path) ? labels[path] : undefined;
}

/** The label of the field that free-form details refer to, if the editor has that field. */
export function findFieldLabel(details: unknown, labels: Labels, depth = 0): string | undefined {
	if (typeof details !== 'object' || details === null || depth > MAX_DEPTH) return undefined;
	const entries = Object.entries(details);
	const named = entries
		.filter(([name]) => PATH_KEYS.includes(name))
		.map(([, value]) => labelOf(value, labels));
	const within = entries.map(([, value]) => findFieldLabel(value, labels, depth + 1));
	return [...named, ...within].find((label) => label !== undefined);
}
