/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { found, ourNodes, SEARCHES, type Searchable } from '../support/panelSearch';

const nodesOf = (name: string) => {
	const file = path.join(__dirname, '../../lab/node_modules', name, 'dist/types/nodes.json');
	const all = JSON.parse(readFileSync(file, 'utf8')) as Searchable[];
	// Of a node with several versions the panel shows the newest.
	return [...new Map(all.map((node) => [node.name, node])).values()];
};

const others = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'].flatMap(nodesOf);

it.each(SEARCHES)(
	'among all nodes of n8n "%s" finds one of ours in the first five',
	async (text) => {
		const first = found(text, [...others, ...(await ourNodes())]).slice(0, 5);
		expect(others.length).toBeGreaterThan(400);
		expect(first).toContainEqual(expect.stringMatching(/^MediaGen/));
	},
);
