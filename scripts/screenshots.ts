/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import sharp from 'sharp';
import { numbered, readExamples, withCredential } from '../lab/demo/examples';
import { callerOf } from '../lab/demo/otherProgram';
import { launchChromium } from '../lab/n8n/chromium';
import { saveCredential } from '../lab/n8n/credential';
import { Editor, type Page } from '../lab/n8n/editor';
import { startInstance } from '../lab/n8n/instance';
import { nodeName, workflowOf } from '../lab/n8n/nodeWorkflow';
import {
	credentialOf,
	finalStatuses,
	type Rest,
	type SavedCredential,
	type WorkflowData,
} from '../lab/n8n/rest';
import { runNode } from '../lab/n8n/runNode';
import { examplesRoot, projectRoot, shown } from '../lab/process/paths';
import { until } from '../lab/process/process';
import { keyRing, SandboxAdmin } from '../lab/sandbox/admin';
import { createSandbox, type Sandbox } from '../sandbox/server';
import { readNodes } from './nodes';

const clockScale = 60;

/** The editor of a running n8n, with its owner signed in and a credential that works. */
interface EditorSession {
	page: Page;
	editor: Editor;
	rest: Rest;
	credential: SavedCredential;
	sandbox: Sandbox;
}

/** Where a picture goes, its path below `docs/images` given. */
function imageAt(name: string): string {
	const file = path.join(projectRoot, 'docs', 'images', name);
	mkdirSync(path.dirname(file), { recursive: true });
	console.log(`Written: ${shown(file)}`);
	return file;
}

async function closeNotification(page: Page): Promise<void> {
	const notification = page.locator('.el-notification__closeBtn').first();
	if (await notification.isVisible()) await notification.click();
	// It fades away.
	await page.locator('.el-notification').first().waitFor({ state: 'detached' });
}

/** Shows the picture that the open node has made. */
async function viewPicture(page: Page): Promise<void> {
	const output = page.getByTestId('output-panel');
	await output.getByTestId('ndv-view-binary-data').first().click({ timeout: 60_000 });
	const picture = output.locator('img').last();
	type Picture = { decode(): Promise<void> };
	await picture.evaluate(async (image) => await (image as unknown as Picture).decode());
	await closeNotification(page);
}

/** A node of the first example in the editor, with the picture that it made. */
async function takeResult({ page, editor, rest, credential }: EditorSession): Promise<void> {
	const example = numbered(readExamples(), '1');
	const { id } = await rest.workflows.create(withCredential(example, credential));
	await page.setViewportSize({ width: 1440, height: 900 });
	await editor.openWorkflow(id);
	await editor.openNode('Generate Image');
	await page.getByTestId('node-execute-button').click();
	await viewPicture(page);
	await page.screenshot({ path: imageAt('editor.png') });
}

/** The panel of a node's output, once every picture in its HTML is there. */
async function takePanelOf({ page, editor }: EditorSession, node: string, name: string) {
	await editor.openNode(node);
	await page.getByTestId('node-execute-button').click();
	const panel = page.getByTestId('output-panel');
	const frame = await (await panel.locator('iframe').elementHandle())?.contentFrame();
	await frame?.waitForFunction('[...document.images].every((one) => one.naturalWidth > 0)');
	await closeNotification(page);
	await page.mouse.move(0, 0);
	const margin = 24;
	const box = await panel.boundingBox();
	const sheet = await panel.frameLocator('iframe').locator('body').boundingBox();
	if (!box || !sheet) return;
	// The arrows to the nodes beside it lie over the panel.
	const style = '[data-test-id="floating-nodes"] { visibility: hidden; }';
	// Without what is empty below the sheet.
	const height = Math.min(box.height, sheet.y + sheet.height + margin - box.y);
	await page.screenshot({ path: imageAt(name), style, clip: { ...box, height } });
	await editor.closeNode();
}

/** What the batch of example 8 finds in its table, for the contact sheet. */
const BATCH = [
	'A lighthouse at dawn',
	'A paper boat on a puddle',
	'A fox asleep under a fern',
	'An old tram in the rain [fail]',
].map((prompt) => ({ prompt }));

/** Takes a picture of what is seen of the examples that are looked at, in the panel and in a form. */
async function takeSheets(session: EditorSession): Promise<void> {
	const { page, editor, rest, credential, sandbox } = session;
	const save = async (number: string) =>
		await rest.workflows.create(withCredential(numbered(readExamples(), number), credential));
	await page.setViewportSize({ width: 1800, height: 900 });

	await editor.openWorkflow((await save('16')).id);
	await takePanelOf(session, 'Compare', 'sheets/compare-models.png');

	const batch = await save('8');
	const run = async () =>
		await rest.executions.wait(await rest.workflows.run(batch.id, 'Every Night'));
	await run();
	await rest.tables.insert('mediagen prompts', BATCH);
	await run();
	await editor.openWorkflow((await save('17')).id);
	await takePanelOf(session, 'Contact Sheet', 'sheets/contact-sheet.png');

	const storyboard = await save('18');
	await rest.workflows.publish(storyboard);
	await page.setViewportSize({ width: 640, height: 1000 });
	await page.goto(`${editor.baseUrl}/form/mediagen-example-story`);
	const story = [
		'A keeper climbs the stairs at dusk.',
		'She lights the lamp.',
		'A ship turns away.',
	];
	await page.locator('textarea').fill(story.join('\n'));
	await page.getByRole('button', { name: 'Submit' }).click();
	await page.getByText('Which scenes are filmed?').waitFor();
	await page.waitForFunction('[...document.images].every((one) => one.naturalWidth > 0)');
	await page.getByText('Scene 1', { exact: true }).last().click();
	await page
		.locator('.card')
		.first()
		.screenshot({ path: imageAt('sheets/storyboard.png') });
	await rest.workflows.unpublish(storyboard.id);
	await sandbox.reset();
	await page.goto(editor.baseUrl);
}

const background = '#f5f5f5';

/** Only the workflow: buttons and tabs of the editor lie over it. */
const workflowOnly = `
	html { background: ${background}; }
	body { visibility: hidden; }
	.vue-flow__transformationpane { visibility: visible; }
	[data-test-id^="execute-workflow-button"] { visibility: hidden; }
`;

/** Takes a picture of the canvas of each example, with its notes, as it is after choosing the credential. */
async function takeExamples({ page, editor, rest, credential }: EditorSession): Promise<void> {
	await page.setViewportSize({ width: 1600, height: 900 });
	const names = readdirSync(examplesRoot).filter((file) => file.endsWith('.json'));
	for (const [index, example] of readExamples().entries()) {
		const { id } = await rest.workflows.create(withCredential(example, credential));
		await editor.openWorkflow(id);
		await page.getByTestId('zoom-to-fit').click();
		// What the pointer is over shows more than a reader sees.
		await page.mouse.move(0, 0);
		await sleep(800);
		const whole = await page.screenshot({ style: workflowOnly });
		const margin = { top: 24, bottom: 24, left: 24, right: 24, background };
		const file = imageAt(`examples/${names.sort()[index]?.replace('.json', '.png')}`);
		await sharp(whole).trim({ background, threshold: 1 }).extend(margin).toFile(file);
	}
}

const listed = (value: string, cachedResultName: string) => ({
	__rl: true,
	mode: 'list',
	value,
	cachedResultName,
});

/** What is filled in for the picture, by the name of the page; the rest is as the editor adds the node. */
const FILLED: Record<string, INodeParameters> = {
	mediagen: { prompt: 'A lighthouse at dawn' },
	speech: {
		model: listed('service/speech-lite', 'Speech Lite'),
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

const FIELDS =
	'[data-test-id^="parameter-input"], [data-test-id="collection-parameter-add"], button, textarea';

/**
 * Takes a picture of the panel of each node, as it is when the node has been added and its main fields filled
 * in.
 */
async function takePanels({ page, editor, rest, credential }: EditorSession): Promise<void> {
	const nodes = await readNodes();
	const added = nodes.map(({ description, slug }, index) => ({
		id: slug,
		name: description.displayName,
		type: `n8n-nodes-mediagen.${description.name}`,
		typeVersion: [description.version].flat()[0] ?? 1,
		position: [(index % 4) * 240, Math.floor(index / 4) * 200] as [number, number],
		parameters: FILLED[slug] ?? {},
		credentials: credentialOf(credential),
	}));
	const all = { name: 'All nodes', nodes: added, connections: {} };
	const { id } = await rest.workflows.create(all);
	// High enough for the longest panel.
	const height = 1600;
	await page.setViewportSize({ width: 1280, height });
	await editor.openWorkflow(id);
	for (const { description, slug } of nodes) {
		await editor.openNode(description.displayName);
		await page.mouse.move(0, 0);
		const panel = page.getByTestId('node-parameters');
		// n8n loads its own fields, such as Poll Times, a moment after ours.
		await panel.getByText('Loading').first().waitFor({ state: 'detached' });
		const boxOf = async (part: ReturnType<Page['locator']>) =>
			(await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
		const fields = await boxOf(panel);
		const tab = await boxOf(page.getByText('Parameters', { exact: true }).first());
		// What fills the rest of the window is left out: a wish to n8n, and nothing.
		const shown = await panel.locator(FIELDS).filter({ visible: true }).all();
		const ends = (await Promise.all(shown.map(boxOf))).map((box) => box.y + box.height);
		const margin = 16;
		const [x, y] = [fields.x - margin, tab.y - margin];
		const bottom = Math.min(Math.max(...ends) + margin, height - 2 * margin);
		const clip = { x, y, width: fields.width + 2 * margin, height: bottom - y };
		await page.screenshot({ path: imageAt(`nodes/${slug}.png`), clip });
	}
}

/** A run whose end is pictured, by what is filled in. */
interface Pictured {
	apiKey: string;
	prompt?: string;
	parameters?: INodeParameters;
	options?: INodeParameters;
	/** Default: one item without fields. */
	rows?: IDataObject[];
	/** Whether a failed row leaves the others alone. */
	continues?: boolean;
	/** Whether the picture is of the output only, so that its words can be read. */
	outputOnly?: boolean;
}

const shownName = 'Generate Image';

/** Runs the node as it is filled in, and takes a picture of what the editor says then. */
async function takeRun(session: EditorSession, name: string, given: Pictured): Promise<void> {
	const { page, editor, rest, sandbox } = session;
	const { apiKey, prompt = 'A lighthouse at dawn', rows = [{}] } = given;
	const { parameters = {}, options = {}, continues = false } = given;
	const access = { apiKey, baseUrl: sandbox.baseUrl, clockScale };
	const credential = await saveCredential(rest, 'MediaGen account', access);
	const model = listed('studio/image-1', 'Studio Image 1');
	const workflow = workflowOf({
		type: 'n8n-nodes-mediagen.mediaGen',
		credential,
		parameters: { operation: 'generateImage', model, prompt, parameters, options },
		items: rows.map((json) => ({ json })),
		onError: continues ? 'continueRegularOutput' : undefined,
	});
	const renamed = JSON.stringify(workflow).replaceAll(nodeName, shownName);
	const { id } = await rest.workflows.create(JSON.parse(renamed) as WorkflowData);
	// Alone, the output is as wide as its tabs and two files; the whole editor as high as the parameters.
	await page.setViewportSize({ width: given.outputOnly ? 2_100 : 1280, height: 850 });
	await editor.openWorkflow(id);
	await editor.openNode(shownName);
	await page.getByTestId('node-execute-button').click();
	await until(async () => (await rest.executions.list(id, finalStatuses)).length > 0);
	// The editor draws a moment after the execution has ended.
	await sleep(2_000);
	await closeNotification(page);
	await page.mouse.move(0, 0);
	const file = imageAt(`${name}.png`);
	if (!given.outputOnly) return void (await page.screenshot({ path: file }));
	const panel = page.getByTestId('output-panel');
	const box = await panel.boundingBox();
	const button = await panel.getByTestId('ndv-view-binary-data').first().boundingBox();
	if (!box || !button) return;
	// Without what is empty below the files.
	const height = button.y + button.height + 32 - box.y;
	await page.screenshot({ path: file, clip: { ...box, height } });
}

/** The sentence above the output, of the ends that a run can have. */
async function takeReceipts(session: EditorSession): Promise<void> {
	const { full } = keyRing(session.sandbox);
	const shared = { apiKey: full.key, outputOnly: true };
	await takeRun(session, 'receipt', { ...shared, parameters: { count: 2 } });
	await takeRun(session, 'receipt-batch', {
		...shared,
		prompt: '={{ $json.prompt }}',
		continues: true,
		rows: [
			{ prompt: 'A fox in the snow' },
			{ prompt: 'A lighthouse in a storm [fail]' },
			{ prompt: 'An owl with glasses' },
		],
	});
	await takeRun(session, 'job-partial', {
		...shared,
		prompt: 'A lighthouse at dawn [partial]',
		parameters: { count: 3 },
	});
	await takeRun(session, 'dry-run', { ...shared, options: { dryRun: true } });
}

/** Takes a picture of the editor for each problem that people meet first. */
async function takeProblems(session: EditorSession): Promise<void> {
	const { sandbox } = session;
	const { full, readOnly } = keyRing(sandbox);
	const { key: apiKey } = full;
	await takeRun(session, 'wrong-key', { apiKey: 'not-a-key' });
	await takeRun(session, 'missing-scope', { apiKey: readOnly.key });
	await takeRun(session, 'job-failed', { apiKey, prompt: 'A lighthouse at dawn [fail]' });
	await new SandboxAdmin(sandbox.adminUrl).addCredits(full.workspace, -1_000_000);
	await takeRun(session, 'no-credits', { apiKey });
}

/** Takes a picture of the sandbox's page with something in all of its lists. */
async function takeSandboxPage({ page, rest, sandbox }: EditorSession): Promise<void> {
	// It ends below the jobs; the forms and tables further down are as tall again.
	const [width, height] = [1280, 2000];
	await page.setViewportSize({ width, height });
	await sandbox.reset();
	const { full, notEntitled } = keyRing(sandbox);
	const callAs = (apiKey: string) => callerOf({ apiKey, baseUrl: sandbox.baseUrl });
	const credential = await saveCredential(rest, 'MediaGen account', {
		apiKey: full.key,
		baseUrl: sandbox.baseUrl,
		clockScale,
	});
	/** By a node of n8n, whose execution the page names. */
	const create = async (operation: string, model: string, prompt: string, parameters = {}) =>
		await runNode(rest, {
			type: 'n8n-nodes-mediagen.mediaGen',
			credential,
			parameters: {
				operation,
				model: { __rl: true, mode: 'id', value: model },
				prompt,
				parameters,
			},
		});
	await create('generateImage', 'studio/image-1', 'A fox in the snow');
	await create('generateImage', 'studio/image-1', 'A paper boat on a puddle');
	await create('generateAudio', 'studio/music-1', 'A quiet piano', { duration: '6' });
	await create('generateImage', 'studio/image-1', 'An old tram in the rain');
	await create('generateVideo', 'studio/video-1', 'Waves at dusk', { duration: '2' });
	await create('generateImage', 'studio/image-1', 'A lighthouse in a storm [fail]');
	await callAs(notEntitled.key)('GET', '/credits').catch(() => undefined);
	await page.goto(new URL('/', sandbox.baseUrl).href);
	await page.waitForFunction("document.querySelector('#made video')?.readyState >= 2");
	await page.waitForFunction("document.querySelector('#made img')?.naturalWidth > 0");
	await page.waitForSelector('#failed .bad');
	const admin = new SandboxAdmin(sandbox.adminUrl);
	await admin.settings({ clockScale: 1 });
	const owl = { mode: 'image', model: 'studio/image-1', prompt: 'An owl with glasses' };
	await admin.setFaults([{ kind: 'job_slow', name: 'Slow jobs' }]);
	await callAs(full.key)('POST', '/generations', owl);
	await page.waitForSelector('#running article');
	await page.waitForSelector('#faults li');
	const last = await page.locator('section', { has: page.locator('#failed') }).boundingBox();
	const clip = { x: 0, y: 0, width, height: last ? last.y + last.height + 8 : height };
	await page.screenshot({ path: imageAt('sandbox-page.png'), clip });
	await sandbox.reset();
}

/**
 * Films how the first picture is made: the node is chosen, then the model, then it runs and the
 * picture appears.
 */
async function takeMovie({ page, editor, credential }: EditorSession): Promise<void> {
	await page.setViewportSize({ width: 1200, height: 720 });
	const frames: Buffer[] = [];
	/** How long each is shown, in milliseconds. */
	const delay: number[] = [];
	const show = async (milliseconds: number, wait = 800) => {
		// The editor moves what it opens.
		await sleep(wait);
		// As wide as GitHub shows a README, so that the letters stay sharp.
		const frame = sharp(await page.screenshot()).resize({ width: 1000 });
		frames.push(await frame.png().toBuffer());
		delay.push(milliseconds);
	};
	await editor.newWorkflow();
	await editor.addManualTrigger();
	await show(900);

	await editor.openPanel();
	for (const typed of ['med', 'mediag', 'mediagen']) {
		await page.getByTestId('node-creator-search-bar').fill(typed);
		await show(350);
	}
	await editor.offered.filter({ hasText: /^\s*MediaGen\s*$/ }).click();
	await show(1_300);
	await editor.offered.filter({ hasText: /^\s*Generate an image\s*$/ }).click();
	await page.getByTestId('node-parameters').waitFor();
	await editor.useCredential(credential.name);
	await show(1_000);

	await editor.listed('model');
	await show(1_500);
	await editor.choose(/^Studio Image 1/);
	await show(600);
	const field = page.getByTestId('parameter-input-prompt').locator('textarea');
	for (const word of ['A ', 'lighthouse ', 'at ', 'dawn, ', 'oil ', 'on ', 'canvas']) {
		await field.pressSequentially(word);
		await show(250, 0);
	}
	// Leaving the field is what makes n8n take all of it.
	await field.blur();
	await show(500);

	await page.getByTestId('node-execute-button').click();
	const picture = page.getByTestId('output-panel').getByTestId('ndv-view-binary-data').first();
	for (let shots = 0; shots < 4 && !(await picture.isVisible()); shots += 1) {
		await show(400, 0);
		await sleep(500);
	}
	await picture.waitFor();
	await closeNotification(page);
	// What was made, and for how many credits.
	await show(2_000);
	await viewPicture(page);
	await show(4_000);
	await sharp(frames, { join: { animated: true } })
		.gif({ delay, loop: 0, colours: 128, dither: 0.4, effort: 10 })
		.toFile(imageAt('first-picture.gif'));
}

/** What can be taken; the problems come last: one of them takes all credits away. */
const pictures: Record<string, (session: EditorSession) => Promise<void>> = {
	movie: takeMovie,
	result: takeResult,
	panels: takePanels,
	examples: takeExamples,
	receipts: takeReceipts,
	sheets: takeSheets,
	page: takeSandboxPage,
	problems: takeProblems,
};

/** Takes all pictures, or those that the command line names, such as `movie`. */
async function main(wanted = process.argv.slice(2)): Promise<void> {
	const sandbox = await createSandbox({ settings: { clockScale }, seed: 1 });
	const { n8n, rest } = await startInstance({ log: console.log });
	const browser = await launchChromium();
	try {
		const access = { apiKey: keyRing(sandbox).full.key, baseUrl: sandbox.baseUrl, clockScale };
		const credential = await saveCredential(rest, 'MediaGen account', access);
		const page = await browser.newPage();
		// On a busy machine the editor takes longer than half a minute to load.
		page.setDefaultTimeout(180_000);
		const editor = new Editor(page, n8n.baseUrl);
		await editor.signIn(rest.session.ticket);
		for (const [name, take] of Object.entries(pictures)) {
			if (wanted.length === 0 || wanted.includes(name))
				await take({ page, editor, rest, credential, sandbox });
		}
	} finally {
		await browser.close();
		await n8n.stop();
		await sandbox.close();
	}
}

void main();
