import type { Labels } from '../nodeCall';

/**
 * Replaces the names of API fields in a message of the service by the labels of the editor. A name that is
 * also an English word, such as `model`, is replaced only if it is quoted or begins the message.
 */
export function withEditorLabels(text: string, labels: Labels): string {
	const paths = Object.keys(labels).sort((one, other) => other.length - one.length);
	return paths.reduce((message, path) => {
		const names = path.split('.').map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
		const name = `/?${names.join('[./]')}(?:\\[\\d+\\]|[./]\\d+)?`;
		const isWord = !/[._]/.test(path);
		const bare = isWord ? `^${name}(?=[\\s:])` : `(?<![\\w./])${name}(?![\\w[]|[./]\\w)`;
		return message.replace(new RegExp(`(["'\`])${name}\\1|${bare}`, 'g'), labels[path] ?? path);
	}, text);
}
