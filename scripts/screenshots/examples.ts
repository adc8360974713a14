/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readExamples, withCredential } from '../../lab/demo/examples';
import { Editor, type Page } from '../../lab/n8n/editor';
import { LabError } from '../../lab/process/failure';
import { examplesRoot, projectRoot } from '../../lab/process/paths';
import type { EditorSession } from './editorSession';

const folder = path.join(projectRoot, 'docs', 'images', 'examples');
const viewport = { width: 1600, height: 900 };

/** Only the workflow: buttons and tabs of the editor lie over it. */
const style = `
	html { background: #f5f5f5; }
	body { visibility: hidden; }
	.vue-flow__transformationpane { visibility: visible; }
`;

/** All that belongs to the workflow: nodes with their names, notes, and what connects them. */
const drawn = '.vue-flow__node, .vue-flow__node *, .vue-flow__edge-path';

/** Takes a picture of the canvas of each example, with its notes, as it is after choosing the credential. */
export async function takeExamples(session: EditorSession): Promise<string[]> {
	const { page, rest, baseUrl, credential } = session;
	const names = readdirSync(examplesRoot).filter((file) => file.endsWith('.json'));
	const examples = readExamples();
	mkdirSync(folder, { recursive: true });
	await page.setViewportSize(viewport);
	const editor = new Editor(page, baseUrl);
	const written: string[] = [];
	for (const [index, name] of names.sort().entries()) {
		const example = examples[index];
		if (!example) throw new Error(`${name} was not read`);
		const { id } = await rest.workflows.create(withCredential(example, credential));
		await editor.openWorkflow(id);
		await page.getByTestId('zoom-to-fit').click();
		// What the pointer is over shows more than a reader sees.
		await page.mouse.move(0, 0);
		// The canvas glides to its place.
		await page.waitForTimeout(800);
		const cut = await cutNotes(page);
		if (cut.length > 0) throw new LabError(`${name}: text is cut off in ${cut.join(', ')}`);
		const file = path.join(folder, name.replace('.json', '.png'));
		await page.screenshot({ path: file, style, clip: await boxOf(page) });
		written.push(file);
	}
	return written;
}

/** The first lines of the notes that are too small for their text. */
async function cutNotes(page: Page): Promise<string[]> {
	return await page.getByTestId('sticky').evaluateAll((notes) =>
		(notes as unknown as NoteElement[])
			.filter((note) => {
				const all = [note, ...note.querySelectorAll('*')];
				return all.some((one) => one.clientHeight > 0 && one.scrollHeight > one.clientHeight + 1);
			})
			.map((note) => note.innerText.split('\n')[0] ?? ''),
	);
}

/** What is used of a note; the types of the DOM are not those of Node. */
interface NoteElement {
	clientHeight: number;
	scrollHeight: number;
	innerText: string;
	querySelectorAll(selector: string): Iterable<NoteElement>;
}

interface Box {
	left: number;
	top: number;
	right: number;
	bottom: number;
	width: number;
}

/** What is used of an element of the page; the types of the DOM are not those of Node. */
interface Positioned {
	getBoundingClientRect(): Box;
}

/** Where the workflow is on the page. */
async function boxOf(page: Page) {
	const all: Box[] = await page.locator(drawn).evaluateAll((elements) =>
		elements.map((each) => {
			const { left, top, right, bottom, width } = (each as Positioned).getBoundingClientRect();
			return { left, top, right, bottom, width };
		}),
	);
	const boxes = all.filter(({ width }) => width > 0);
	const margin = 24;
	const x = Math.max(0, Math.min(...boxes.map(({ left }) => left)) - margin);
	const y = Math.max(0, Math.min(...boxes.map(({ top }) => top)) - margin);
	const right = Math.min(viewport.width, Math.max(...boxes.map((each) => each.right)) + margin);
	const bottom = Math.min(viewport.height, Math.max(...boxes.map((each) => each.bottom)) + margin);
	return { x, y, width: right - x, height: bottom - y };
}
