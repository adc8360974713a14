/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { INode, INodeParameters } from 'n8n-workflow';
import { Editor, type Page } from '../../lab/n8n/editor';
import { projectRoot } from '../../lab/process/paths';
import { readNodes } from '../nodes';
import type { EditorSession } from './editorSession';

const folder = path.join(projectRoot, 'docs', 'images', 'nodes');
/** High enough for the longest panel. */
const viewport = { width: 1280, height: 1600 };

/** What is filled in for the picture, by the name of the page; the rest is as the editor adds the node. */
const FILLED: Record<string, INodeParameters> = {
	mediagen: {
		model: {
			__rl: true,
			mode: 'list',
			value: 'studio/image-1',
			cachedResultName: 'Studio Image 1',
		},
		prompt: 'A lighthouse at dawn',
	},
	speech: {
		model: {
			__rl: true,
			mode: 'list',
			value: 'service/speech-lite',
			cachedResultName: 'Speech Lite',
		},
		blocksFrom: 'text',
		text: 'Good morning, everybody.',
	},
	'agent-run': { brief: 'A film of 30 seconds about a lighthouse and the people who keep it' },
	voice: {
		resource: 'customVoice',
		operation: 'design',
		name: 'Harbour master',
		description: 'A calm, deep voice of an old man',
	},
	persona: {
		operation: 'createFromDescription',
		name: 'The keeper',
		description: 'A woman of sixty with grey hair and a yellow raincoat',
	},
	job: { operation: 'wait', jobId: '={{ $json.id }}' },
	webhook: {
		resource: 'webhook',
		operation: 'create',
		url: 'https://example.com/events',
		events: ['generation.completed'],
	},
	trigger: { events: ['generation.completed', 'generation.failed'] },
};

/** Takes a picture of the panel of each node, as it is when the node has been added and its main fields filled in. */
export async function takePanels(session: EditorSession): Promise<string[]> {
	const { page, rest, baseUrl, credential } = session;
	const nodes = await readNodes();
	const added: INode[] = nodes.map(({ description, slug }, index) => ({
		id: slug,
		name: description.displayName,
		type: `n8n-nodes-mediagen.${description.name}`,
		typeVersion: [description.version].flat()[0] ?? 1,
		position: [(index % 4) * 240, Math.floor(index / 4) * 200],
		parameters: FILLED[slug] ?? {},
		credentials: { [credential.type]: { id: credential.id, name: credential.name } },
	}));
	const workflow = { name: 'All nodes', nodes: added, connections: {} };
	const { id } = await rest.workflows.create(workflow);
	await page.setViewportSize(viewport);
	mkdirSync(folder, { recursive: true });
	const editor = new Editor(page, baseUrl);
	await editor.openWorkflow(id);
	const written: string[] = [];
	for (const { description, slug } of nodes) {
		await editor.openNode(description.displayName);
		// What the pointer is over shows more than a reader sees.
		await page.mouse.move(0, 0);
		const file = path.join(folder, `${slug}.png`);
		await page.screenshot({ path: file, clip: await panelOf(page) });
		written.push(file);
	}
	return written;
}

/** What is used of an element of the page; the types of the DOM are not those of Node. */
interface Positioned {
	getBoundingClientRect(): { bottom: number };
}

/** Where the fields of the open node are, with the tabs above them. */
async function panelOf(page: Page) {
	const panel = page.getByTestId('node-parameters');
	const fields = await panel.boundingBox();
	// What fills the rest of the window is left out: a wish to n8n, and nothing.
	const ends = await panel
		.locator(
			'[data-test-id^="parameter-input"], [data-test-id="collection-parameter-add"], button, textarea',
		)
		.filter({ visible: true })
		.evaluateAll((elements) =>
			elements.map((each) => (each as Positioned).getBoundingClientRect()),
		);
	const end = Math.max(...ends.map(({ bottom }) => bottom));
	const tab = await page.getByText('Parameters', { exact: true }).first().boundingBox();
	if (!fields || !tab) throw new Error('The node is not open');
	const margin = 16;
	const top = tab.y - margin;
	const bottom = Math.min(end + margin, viewport.height - 2 * margin);
	return {
		x: fields.x - margin,
		y: top,
		width: fields.width + 2 * margin,
		height: bottom - top,
	};
}
