import { sublimeSearch } from '@n8n/utils/search/sublime-search';
import type { INodeTypeDescription } from 'n8n-workflow';
import { readNodes } from '../../scripts/nodes';
import { read } from './sources';

/** What people look for, and the entries of ours that should come up. */
export const SEARCHES: Array<[text: string, entries: string[]]> = [
	['image', ['MediaGen']],
	['generate image', ['MediaGen']],
	['video', ['MediaGen']],
	['text to speech', ['MediaGen Speech', 'MediaGen']],
	['music', ['MediaGen']],
	['voice', ['MediaGen Speech', 'MediaGen Voice']],
	['render', ['MediaGen']],
	['thumbnail', ['MediaGen']],
	['job finished', ['MediaGen', 'MediaGen Job']],
	['wait for video', ['MediaGen', 'MediaGen Job']],
	['webhook media', ['MediaGen', 'MediaGen Webhook']],
	['batch', ['MediaGen']],
	['animate', ['MediaGen']],
	['upscale', ['MediaGen']],
	['lip sync', ['MediaGen']],
	['talking head', ['MediaGen']],
	['when a video is done', ['MediaGen']],
	['render done', ['MediaGen']],
];

export type Searchable = Pick<INodeTypeDescription, 'name' | 'displayName' | 'codex' | 'hidden'>;

/** Our nodes as n8n loads them: the file beside a node is its codex. */
export async function ourNodes(): Promise<Searchable[]> {
	return (await readNodes()).map(({ description, folder }) => {
		const { name, displayName } = description;
		const file = `${folder}/${name.charAt(0).toUpperCase()}${name.slice(1)}.node.json`;
		return { name, displayName, codex: JSON.parse(read(file)) as INodeTypeDescription['codex'] };
	});
}

/**
 * The entries that n8n's nodes panel shows for a search, best first, by n8n's own algorithm. A
 * trigger stands in the entry of its node and loses the word (`NodeCreator` of n8n 2.41).
 */
export function found(text: string, nodes: Searchable[]): string[] {
	const items = nodes
		.filter(({ hidden }) => !hidden)
		.map(({ displayName, codex }) => ({
			properties: {
				displayName: displayName.replace(' Trigger', ''),
				codex: { alias: [...(codex?.alias ?? []), displayName] },
			},
		}));
	const results = sublimeSearch(text, items);
	return [...new Set(results.map(({ item }) => item.properties.displayName))];
}
