/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INode, INodeParameters } from 'n8n-workflow';
import sharp from 'sharp';
import { readExamples, withCredential } from '../lab/demo/examples';
import { launchChromium } from '../lab/n8n/chromium';
import { saveCredential } from '../lab/n8n/credential';
import { Editor, type Page } from '../lab/n8n/editor';
import { startInstance } from '../lab/n8n/instance';
import { nodeName, workflowOf } from '../lab/n8n/nodeWorkflow';
import { credentialOf, finalStatuses, type Rest, type SavedCredential } from '../lab/n8n/rest';
import { LabError } from '../lab/process/failure';
import { examplesRoot, projectRoot, shown } from '../lab/process/paths';
import { until } from '../lab/process/process';
import { keyRing, SandboxAdmin } from '../lab/sandbox/admin';
import { startSandbox, type Sandbox } from '../lab/sandbox/start';
import { readNodes } from './nodes';

const images = path.join(projectRoot, 'docs', 'images');
const clockScale = 60;

/** The editor of a running n8n, with its owner signed in and a credential that works. */
interface EditorSession {
	page: Page;
	editor: Editor;
	rest: Rest;
	/** n8n's own address. */
	baseUrl: string;
	credential: SavedCredential;
	sandbox: Sandbox;
}

/** As text, because the lab is not compiled for a browser. */
const untilDrawn = async (page: Page) =>
	await page
		.getByTestId('output-panel')
		.locator('img')
		.last()
		.evaluate('(image) => image.decode()');

async function closeNotification(page: Page): Promise<void> {
	const notification = page.locator('.el-notification__closeBtn').first();
	if (await notification.isVisible()) await notification.click();
	// It fades away.
	await page.locator('.el-notification').first().waitFor({ state: 'detached' });
}

/** A node of the first example in the editor, with the picture that it made. */
async function takeResult({ page, editor, rest, credential }: EditorSession): Promise<string[]> {
	const [example] = readExamples();
	if (!example) throw new Error('No example was found');
	const { id } = await rest.workflows.create(withCredential(example, credential));
	await page.setViewportSize({ width: 1440, height: 900 });
	await editor.openWorkflow(id);
	await editor.openNode('Image');
	await page.getByTestId('node-execute-button').click();
	await page.getByTestId('ndv-view-binary-data').first().click({ timeout: 60_000 });
	await untilDrawn(page);
	await closeNotification(page);
	const file = path.join(images, 'editor.png');
	await page.screenshot({ path: file });
	return [file];
}

/** Only the workflow: buttons and tabs of the editor lie over it. */
const workflowOnly = `
	html { background: #f5f5f5; }
	body { visibility: hidden; }
	.vue-flow__transformationpane { visibility: visible; }
`;

/** All that belongs to the workflow: nodes with their names, notes, and what connects them. */
const drawn = '.vue-flow__node, .vue-flow__node *, .vue-flow__edge-path';

/** Takes a picture of the canvas of each example, with its notes, as it is after choosing the credential. */
async function takeExamples(session: EditorSession): Promise<string[]> {
	const { page, editor, rest, credential } = session;
	const viewport = { width: 1600, height: 900 };
	const folder = path.join(images, 'examples');
	const names = readdirSync(examplesRoot).filter((file) => file.endsWith('.json'));
	const examples = readExamples();
	mkdirSync(folder, { recursive: true });
	await page.setViewportSize(viewport);
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
		await page.screenshot({ path: file, style: workflowOnly, clip: await boxOf(page, viewport) });
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
async function boxOf(page: Page, viewport: { width: number; height: number }) {
	const all: Box[] = await page.locator(drawn).evaluateAll((elements) =>
		elements.map((each) => {
			const { left, top, right, bottom, width } = (
				each as unknown as Positioned
			).getBoundingClientRect();
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

/** High enough for the longest panel. */
const panelViewport = { width: 1280, height: 1600 };

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
async function takePanels({ page, editor, rest, credential }: EditorSession): Promise<string[]> {
	const folder = path.join(images, 'nodes');
	const nodes = await readNodes();
	const added: INode[] = nodes.map(({ description, slug }, index) => ({
		id: slug,
		name: description.displayName,
		type: `n8n-nodes-mediagen.${description.name}`,
		typeVersion: [description.version].flat()[0] ?? 1,
		position: [(index % 4) * 240, Math.floor(index / 4) * 200],
		parameters: FILLED[slug] ?? {},
		credentials: credentialOf(credential),
	}));
	const workflow = { name: 'All nodes', nodes: added, connections: {} };
	const { id } = await rest.workflows.create(workflow);
	await page.setViewportSize(panelViewport);
	mkdirSync(folder, { recursive: true });
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
	const bottom = Math.min(end + margin, panelViewport.height - 2 * margin);
	return {
		x: fields.x - margin,
		y: top,
		width: fields.width + 2 * margin,
		height: bottom - top,
	};
}

interface Problem {
	/** Name of the picture. */
	name: string;
	key: string;
	prompt: string;
	parameters?: INodeParameters;
	/** Whether the workspace has no credits. */
	isBroke?: boolean;
}

/** Takes a picture of the editor for each problem that people meet first. */
async function takeProblems({ page, editor, rest, sandbox }: EditorSession): Promise<string[]> {
	const { full, readOnly } = keyRing(sandbox);
	const admin = new SandboxAdmin(sandbox.adminUrl);
	const prompt = 'A lighthouse at dawn';
	const problems: Problem[] = [
		{ name: 'wrong-key', key: 'not-a-key', prompt },
		{ name: 'missing-scope', key: readOnly.key, prompt },
		{ name: 'job-failed', key: full.key, prompt: `${prompt} [fail]` },
		{ name: 'job-partial', key: full.key, prompt: `${prompt} [partial]`, parameters: { count: 3 } },
		{ name: 'no-credits', key: full.key, prompt, isBroke: true },
	];
	await page.setViewportSize({ width: 1280, height: 720 });
	const written: string[] = [];
	for (const { name, key, prompt: asked, parameters = {}, isBroke } of problems) {
		if (isBroke) await admin.addCredits(full.workspace, -1_000_000);
		const access = { apiKey: key, baseUrl: sandbox.baseUrl, clockScale };
		const credential = await saveCredential(rest, `MediaGen ${name}`, access);
		const run = {
			type: 'n8n-nodes-mediagen.mediaGen',
			credential,
			parameters: {
				operation: 'generateImage',
				model: { __rl: true, mode: 'id', value: 'studio/image-1' },
				prompt: asked,
				parameters,
			} as INodeParameters,
		};
		const { id } = await rest.workflows.create(workflowOf(run));
		await editor.openWorkflow(id);
		await editor.openNode(nodeName);
		await page.getByTestId('node-execute-button').click();
		await until(async () => {
			const [execution] = await rest.executions.list(id);
			return execution && finalStatuses.includes(execution.status);
		});
		// The editor draws a moment after the execution has ended.
		await sleep(2_000);
		await closeNotification(page);
		const file = path.join(images, `${name}.png`);
		await page.screenshot({ path: file });
		written.push(file);
	}
	return written;
}

/** The picture ends below what failed; the forms and tables further down are as tall again. */
const pageViewport = { width: 1280, height: 1800 };

const JOBS = [
	{ mode: 'image', model: 'studio/image-1', prompt: 'A fox in the snow' },
	{
		mode: 'audio',
		model: 'studio/music-1',
		prompt: 'A quiet piano',
		parameters: { duration: '6' },
	},
	{
		mode: 'video',
		model: 'studio/video-1',
		prompt: 'Waves at dusk',
		parameters: { duration: '2' },
	},
	{ mode: 'image', model: 'studio/image-1', prompt: 'A lighthouse in a storm [fail]' },
];

/** Takes a picture of a sandbox's page with something in all of its lists. */
async function takeSandboxPage({ page: other }: EditorSession): Promise<string[]> {
	const file = path.join(images, 'sandbox-page.png');
	const sandbox = await startSandbox({ clockScale });
	const page = await other.context().newPage();
	await page.setViewportSize(pageViewport);
	try {
		const { full, notEntitled } = keyRing(sandbox);
		const call = async (key: string, where: string, body?: object) => {
			const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
			const method = body ? 'POST' : 'GET';
			await fetch(sandbox.baseUrl + where, { method, headers, body: JSON.stringify(body) });
		};
		for (const job of JOBS) await call(full.key, '/generations', job);
		await call(notEntitled.key, '/credits');
		await page.goto(new URL('/', sandbox.baseUrl).href);
		// Read in the page, where there is a document.
		await page.waitForFunction("document.querySelector('#made video')?.readyState >= 2");
		await page.waitForFunction("document.querySelector('#made img')?.naturalWidth > 0");
		await page.waitForSelector('#failed .bad');
		const admin = new SandboxAdmin(sandbox.adminUrl);
		await admin.settings({ clockScale: 1 });
		await admin.setFaults([{ kind: 'slow', probability: 0.1, seconds: 2 }]);
		await call(full.key, '/generations', { ...JOBS[0], prompt: 'An owl with glasses' });
		await page.waitForSelector('#running article');
		await page.waitForSelector('#faults li');
		const last = await page.locator('section', { has: page.locator('#failed') }).boundingBox();
		const height = last ? last.y + last.height + 16 : pageViewport.height;
		await page.screenshot({ path: file, clip: { x: 0, y: 0, width: pageViewport.width, height } });
	} finally {
		await page.close();
		await sandbox.stop();
	}
	return [file];
}

const filmed = 'A lighthouse at dawn, oil on canvas';

interface Frame {
	png: Buffer;
	/** How long it is shown, in milliseconds. */
	delay: number;
}

/**
 * Films how the first picture is made: the node is chosen, then the model, then it runs and the
 * picture appears.
 */
async function takeMovie({ page, editor, credential }: EditorSession): Promise<string[]> {
	await page.setViewportSize({ width: 1200, height: 720 });
	const frames: Frame[] = [];
	const show = async (delay: number) => {
		frames.push({ png: await page.screenshot(), delay });
	};
	await editor.newWorkflow();
	await editor.addManualTrigger();
	await settled();
	await show(900);

	await editor.openPanel();
	for (const typed of ['med', 'mediag', 'mediagen']) {
		await page.getByTestId('node-creator-search-bar').fill(typed);
		await settled();
		await show(350);
	}
	await editor.offered.filter({ hasText: /^\s*MediaGen\s*$/ }).click();
	await settled();
	await show(1_300);
	await editor.offered.filter({ hasText: /^\s*Generate an image\s*$/ }).click();
	await page.getByTestId('node-parameters').waitFor();
	await editor.useCredential(credential.name);
	await settled();
	await show(1_000);

	await editor.listed('model');
	await settled();
	await show(1_500);
	await editor.choose(/^Studio Image 1/);
	await settled();
	await show(600);
	const field = page.getByTestId('node-parameters').getByTestId('parameter-input-prompt');
	for (const word of filmed.split(/(?<= )/)) {
		await field.locator('textarea').pressSequentially(word);
		await show(250);
	}
	// Leaving the field is what makes n8n take all of it.
	await field.locator('textarea').blur();
	await settled();
	await show(500);

	await page.getByTestId('node-execute-button').click();
	const picture = page.getByTestId('output-panel').getByTestId('ndv-view-binary-data').first();
	for (let shots = 0; shots < 4 && !(await picture.isVisible()); shots += 1) {
		await show(400);
		await sleep(500);
	}
	await picture.click({ timeout: 60_000 });
	await untilDrawn(page);
	await closeNotification(page);
	await settled();
	await show(4_000);
	const file = path.join(images, 'first-picture.gif');
	await writeFilm(file, frames);
	return [file];
}

/** The editor moves what it opens; a frame in the middle of that looks like a fault. */
const settled = async () => await sleep(700);

/** As wide as GitHub shows a README, so that the letters stay sharp. */
const filmWidth = 1000;

async function writeFilm(file: string, frames: Frame[]): Promise<void> {
	const small = await Promise.all(
		frames.map(async ({ png }) => await sharp(png).resize({ width: filmWidth }).png().toBuffer()),
	);
	await sharp(small, { join: { animated: true } })
		.gif({
			delay: frames.map(({ delay }) => delay),
			loop: 0,
			colours: 128,
			dither: 0.4,
			effort: 10,
		})
		.toFile(file);
}

/** What can be taken; the problems come last: one of them takes all credits away. */
const pictures: Record<string, (session: EditorSession) => Promise<string[]>> = {
	movie: takeMovie,
	result: takeResult,
	panels: takePanels,
	examples: takeExamples,
	page: takeSandboxPage,
	problems: takeProblems,
};

/** Takes all pictures, or those that the command line names, such as `movie`. */
async function main(wanted = process.argv.slice(2)): Promise<void> {
	const sandbox = await startSandbox({ clockScale });
	const { n8n, rest } = await startInstance({ log: console.log });
	const browser = await launchChromium();
	try {
		const access = { apiKey: keyRing(sandbox).full.key, baseUrl: sandbox.baseUrl, clockScale };
		const credential = await saveCredential(rest, 'MediaGen account', access);
		const page = await browser.newPage();
		const { baseUrl } = n8n;
		const editor = new Editor(page, baseUrl);
		await editor.signIn();
		mkdirSync(images, { recursive: true });
		for (const [name, take] of Object.entries(pictures)) {
			if (wanted.length > 0 && !wanted.includes(name)) continue;
			const files = await take({ page, editor, rest, baseUrl, credential, sandbox });
			for (const file of files) console.log(`Written: ${shown(file)}`);
		}
	} finally {
		await browser.close();
		await n8n.stop();
		await sandbox.stop();
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof LabError ? error.message : error);
	process.exit(1);
});
