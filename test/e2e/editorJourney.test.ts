import type { Editor, Page } from '../../lab/n8n/editor';
import { STEP_MS, openEditor, OPEN_MS, type OpenEditor } from './support/openEditor';
import { until } from './support/until';
import { baseUrl, credentials, keys, rest, sandbox } from './support/harness';

/**
 * What a newcomer does by hand, in the real editor: without REST, and with a credential of which
 * only the key and the address are filled in. Each test goes on where the one before has ended, as
 * n8n's page takes a busy processor half a minute to open.
 */
let open: OpenEditor;
let page: Page;
let editor: Editor;

beforeAll(async () => {
	await sandbox.reset();
	open = await openEditor();
	({ editor, page } = open);
}, OPEN_MS);

afterAll(async () => {
	await open?.close();
	const own = Object.values(credentials).map(({ id }) => id);
	const made = (await rest.credentials.list()).filter(({ id }) => !own.includes(id));
	for (const { id, name } of made) {
		if (name.startsWith('MediaGen account')) await rest.credentials.delete(id);
	}
});

const ours = (names: string[]) => names.filter((name) => name.startsWith('MediaGen'));

/** Waits until an expression holds of the first such element in the output of the open node. */
const untilShown = async (element: string, expression: string) => {
	const found = `document.querySelector('[data-test-id="output-panel"] ${element}')`;
	await page.waitForFunction(`(() => { const it = ${found}; return !!it && ${expression}; })()`);
};

const created = async () =>
	(await sandbox.requests())
		.filter(({ method, path }) => method === 'POST' && path.startsWith('/v1/'))
		.map(({ path, status }) => [path, status]);

describe('the panel', () => {
	it('finds the triggers in a new workflow, that of events in the entry of the node itself; with a trigger the right node by what people type, for mediagen the one that most people want', async () => {
		await editor.newWorkflow();
		const found = ours(await editor.find('mediagen'));
		expect(found).toEqual(expect.arrayContaining(['MediaGen', 'MediaGen Polling Trigger']));
		expect(ours(await editor.find('when done'))).toEqual(
			expect.arrayContaining(['MediaGen', 'MediaGen Polling Trigger']),
		);

		await editor.addManualTrigger();
		await editor.openPanel();
		const first = async (words: string) => ours(await editor.find(words))[0];
		const all = await editor.find('mediagen');
		expect(all[0]).toBe('MediaGen');
		expect(ours(all)).toHaveLength(10);
		expect(await first('image generation')).toBe('MediaGen');
		expect(await first('generate image')).toBe('MediaGen');
		expect(await first('text to video')).toBe('MediaGen');
		expect(await first('music')).toBe('MediaGen');
		expect(ours(await editor.find('text to speech')).slice(0, 2)).toContain('MediaGen Speech');
		expect(await first('voice clone')).toBe('MediaGen Voice');
		expect(await first('upload file')).toBe('MediaGen File');
	}, 240_000);
});

it('the first hour: a picture, a video that begins with it, a spoken line and a spoken text, all by hand', async () => {
	// A picture: action, credential with key and base URL only, prompt. The model is the first of the workspace.
	await editor.add('mediagen', 'MediaGen', 'Generate an image');
	// n8n looks for the model in the list of a new credential, and clears it when somebody types meanwhile.
	const isListed = page.waitForResponse(/resource-locator-results/);
	const credential = await editor.connect({ apiKey: keys.full.key, baseUrl });
	await isListed;
	expect(await editor.shown('operation')).toBe('Generate Image');
	expect(await editor.chosen('model')).toBe('First Model of the Workspace');
	await editor.write('prompt', 'A lighthouse at dawn');
	await editor.executeAndView(2 * STEP_MS);
	await untilShown('img', 'it.naturalWidth === 1024 && it.naturalHeight === 1024');
	expect(await created()).toEqual([['/v1/generations', 202]]);

	// A video that begins with that picture, from the binary field that was chosen by hand.
	await editor.closeNode();
	await editor.openPanel();
	await editor.add('text to video', 'MediaGen', 'Generate a video');
	await editor.useCredential(credential);
	expect(await editor.shown('operation')).toBe('Generate Video');
	await editor.listed('model');
	await editor.choose(/^Studio Video 1/);
	await editor.write('prompt', 'Waves at dusk');
	await editor.addable(1);
	await editor.addOption('Start Frame');
	await editor.fillBy('start_frame', 'Binary', 'data');
	await editor.executeAndView(2 * STEP_MS);
	await untilShown('video', 'it.readyState >= 2 && it.videoWidth > 0');
	// The picture is taken from the run before: it is uploaded, not made again.
	expect((await created()).slice(1)).toEqual([
		['/v1/files', 201],
		['/v1/generations', 202],
	]);

	// A spoken line, with a voice from a list that describes the voices.
	await editor.closeNode();
	await editor.openPanel();
	await editor.add('text to speech', 'MediaGen Speech', 'Generate speech from text');
	await editor.useCredential(credential);
	expect(await editor.listed('model')).toContainEqual(expect.stringMatching(/^Speech Lite/));
	await editor.choose(/^Speech Lite/);
	await editor.write('text', 'Good morning, everybody.');
	expect(await editor.listed('voice')).toContain('Ava – English (US), female');
	await editor.choose(/^Ava – /);
	await editor.executeAndView(2 * STEP_MS);
	await untilShown('audio', 'it.readyState >= 2 && it.duration > 0.5');
	const [path, status] = (await created()).at(-1) ?? [];
	expect([path, status]).toEqual(['/v1/speech', 202]);
	expect(await created()).toHaveLength(4);

	// Another text in the same node.
	await editor.write('text', 'Good night, everybody.');
	await page.getByTestId('node-execute-button').click();
	const newest = async () => (await sandbox.jobs())[0];
	await until(async () => (await newest())?.text === 'Good night, everybody.', STEP_MS);
	expect(await newest()).toMatchObject({ text: 'Good night, everybody.' });
	expect((await created()).at(-1)).toEqual(['/v1/speech', 202]);
}, 400_000);

describe('forms', () => {
	it('Approve opens without an error and with a budget; a key is offered with its choice only', async () => {
		await editor.closeNode();
		await editor.openPanel();
		await editor.add('approval', 'MediaGen Agent Run', 'Approve an agent run');
		expect(await editor.shown('maxCredits')).toBe('100');
		expect(await editor.issues()).toBe(0);
		const before = await editor.addable();
		expect(before).toContain('Avoid Paying Twice');
		expect(before).not.toContain('Own Key');
		await editor.addOption('Avoid Paying Twice');
		await editor.select('idempotency', 'Own Key');
		expect(await editor.addable()).toContain('Own Key');
	}, 240_000);
});
