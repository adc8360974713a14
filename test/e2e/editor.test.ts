import type { INodeParameters } from 'n8n-workflow';
import type { Editor, Page } from '../../lab/n8n/editor';
import { withLanguageModel } from '../../lab/demo/examples';
import { ModelServer } from '../../lab/model/server';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { MODELS } from '../../sandbox/catalogue/models';
import { exampleOf } from './support/examples';
import { call } from './support/fixtures';
import { nodeInRow, STEP_MS, openEditor, OPEN_MS, type OpenEditor } from './support/openEditor';
import { startUnattended } from './support/unattended';
import { until } from './support/until';
import { baseUrl, credentials, keys, rest, sandbox } from './support/harness';

/*
 * What people do by hand in the real editor. Each test goes on in the page that the one before has left, as
 * n8n's page takes a busy processor half a minute to open.
 */

/** n8n takes a browser without a window for a program that looks at links, which presses no button. */
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

let open: OpenEditor;
let page: Page;
let editor: Editor;

beforeAll(async () => {
	open = await openEditor({ height: 1400, userAgent });
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

describe('10: an agent in the chat asks before it pays', () => {
	let model: ModelServer;
	let workflow: SavedWorkflow;

	beforeAll(async () => {
		model = await ModelServer.start();
		const credential = await rest.credentials.create('openAiApi', 'A model for the example', {
			apiKey: 'none',
			url: model.baseUrl,
		});
		const example = exampleOf('10', credentials.full);
		workflow = await rest.workflows.create(withLanguageModel(example, credential));
	});

	afterAll(async () => await model?.close());

	beforeEach(async () => await sandbox.reset());

	/** What a model does that was asked for three pictures of a green boat. */
	const WISH = JSON.stringify({
		rounds: [
			[
				{
					about: 'Generate an image',
					args: { toolParameters: { prompt: 'a green boat', count: 3 }, hitlParameters: {} },
				},
			],
		],
	});

	/** What each job has reserved. */
	const charged = async () =>
		(await sandbox.ledger(keys.full.workspace)).lines
			.filter(({ movement }) => movement === 'reserve')
			.map(({ amount }) => Math.abs(amount));

	it('the question names the model, the count, the price as it was last and the prompt, and that is what is paid', async () => {
		const body = {
			mode: 'image',
			model: 'studio/image-1',
			prompt: 'A boat',
			parameters: { count: 2 },
		};
		await call('POST', '/generations', body);
		await until(async () => (await sandbox.jobs())[0]?.status === 'completed');
		const [earlier = 0] = await charged();
		await editor.openWorkflow(workflow.id);
		await editor.openChat();
		await editor.writeInChat(WISH);
		const asked = editor.chat.getByText(
			/^(May I make this|Model:|Pictures:|Last known price:|Prompt:)/,
		);
		await asked.nth(4).waitFor();
		expect(await asked.allInnerTexts()).toEqual([
			'May I make this?',
			'Model: Studio Image 1',
			'Pictures: 3',
			`Last known price: ${(earlier / 2) * 3} credits`,
			'Prompt: a green boat',
		]);
		expect(await charged()).toEqual([earlier]);
		await editor.answerInChat('Approve');
		await editor.chat.getByText(/^Here is your picture/).waitFor();
		const pictures = editor.chat.locator('img[src*="/outputs/"]');
		await pictures.nth(2).waitFor();
		expect(await pictures.count()).toBe(3);
		type Picture = { decode(): Promise<void>; naturalWidth: number };
		for (const picture of await pictures.all()) {
			const width = await picture.evaluate(async (image) => {
				await (image as unknown as Picture).decode();
				return (image as unknown as Picture).naturalWidth;
			});
			expect(width).toBeGreaterThan(100);
		}
		expect(await charged()).toEqual([earlier, (earlier / 2) * 3]);
		expect((await sandbox.jobs())[0]?.text).toBe('a green boat');
	});

	it('approved as npm start does it where nobody is there, one picture is paid for and written', async () => {
		const { lines, files } = await startUnattended(workflow);
		expect(lines.join('\n')).toMatch(/asks: May I make this\?[^]*says: Here is your picture/);
		expect(files).toEqual(['generate-an-image.png']);
		expect(await charged()).toHaveLength(1);
	});
});

describe('the first hour of a newcomer, without REST, and with a credential of which only the key and the address are filled in', () => {
	beforeAll(async () => await sandbox.reset());

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

	it('the panel finds the triggers in a new workflow, that of events in the entry of the node itself; with a trigger the right node by what people type, for mediagen the one that most people want', async () => {
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

	it('a picture, a video that begins with it, a spoken line and a spoken text, all by hand', async () => {
		// A picture: action, credential with key and base URL only, prompt. The model is the first of the
		// workspace.
		await editor.add('mediagen', 'MediaGen', 'Generate an image');
		// n8n looks for the model in the list of a new credential, and clears it when somebody types
		// meanwhile.
		const isListed = page.waitForResponse(/resource-locator-results/);
		const credential = await editor.connect({ apiKey: keys.full.key, baseUrl });
		await isListed;
		expect(await editor.shown('operation')).toBe('Generate Image');
		await until(async () => (await editor.chosen('model')) !== 'First Model of the Workspace');
		expect(await editor.chosen('model')).toBe('Studio Image 1, the first of the workspace');
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
	}, 240_000);

	it.each([
		['a wrong key first', { apiKey: 'wrong', baseUrl }],
		['a service that is down first', { apiKey: 'wrong', baseUrl: 'http://127.0.0.1:9/v1' }],
	])(
		'Model survives %s',
		async (_, wrong) => {
			await editor.closeNode();
			await editor.openPanel();
			await editor.add('mediagen', 'MediaGen', 'Generate an image');
			const isListed = page.waitForResponse(/resource-locator-results/);
			await editor.connect({ apiKey: keys.full.key, baseUrl }, [wrong]);
			await isListed;
			await page.waitForTimeout(1_000);
			expect(await editor.chosen('model')).toMatch(/the first of the workspace|First Model/);
			// n8n reads a list again that it has read once, with or without an error, when something in the
			// node changes.
			await editor.write('prompt', 'A lighthouse');
			await until(async () => (await editor.peek('model')).length > 2);
			const offered = await editor.peek('model');
			expect(offered[0]).toMatch(/the first of the workspace|First Model/);
			expect(offered).toContainEqual(expect.stringMatching(/^Studio Image 2/));
		},
		240_000,
	);

	it('Model survives a key that may not list the models, and sound has none until it is chosen', async () => {
		await editor.closeNode();
		await editor.openPanel();
		await editor.add('mediagen', 'MediaGen', 'Generate an image');
		const isListed = page.waitForResponse(/resource-locator-results/);
		const scopes = ['generations:write', 'generations:read'];
		await editor.connect({ apiKey: await sandbox.addKey(keys.full.workspace, scopes), baseUrl });
		await isListed;
		await page.waitForTimeout(1_000);
		expect(await editor.chosen('model')).toBe('First Model of the Workspace');
		await until(async () => (await editor.peek('model')).length > 1);
		expect(await editor.peek('model')).toEqual([
			'First Model of the Workspace',
			expect.stringMatching(/scope models:read/),
		]);
		await editor.closeNode();
		await editor.openPanel();
		await editor.add('music', 'MediaGen', 'Generate audio');
		expect(await editor.chosen('model')).toBe('');
	}, 240_000);

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

describe('the fields of Generation follow the operation and the model', () => {
	const locator = (value = '', mode = 'list') => ({ __rl: true, mode, value });

	const LISTED = ['aspect_ratio', 'duration', 'quality', 'resolution', 'size', 'speed'];

	const listed = Object.fromEntries(LISTED.map((name) => [name, locator()]));

	const usual = { prompt: 'A boat', model: locator('studio/image-1') };

	const NODES: Record<string, INodeParameters> = {
		video: { ...usual, operation: 'generateVideo', parameters: listed },
		audio: { ...usual, operation: 'generateAudio', parameters: { voice: locator() } },
		empty: { ...usual, operation: 'generateImage' },
		/** With plain texts where the editor puts locators. */
		before: {
			...usual,
			operation: 'generateImage',
			parameters: { aspect_ratio: '16:9', quality: 'high' },
			input: { reference_images: 'https://example.com/a.png\nhttps://example.com/b.png' },
			options: {},
		},
	};

	const TOOL: INodeParameters = {
		...usual,
		operation: 'generateVideo',
		parameters: { ...listed, count: 1, loop: false },
		input: { start_frame: locator('', 'url'), image_refs: locator('', 'url') },
		options: {
			additionalFields: '{}',
			delivery: 'signed_url',
			personaId: locator(),
			waitForCompletion: true,
			downloadOutputs: true,
		},
	};

	const OURS = 'n8n-nodes-mediagen.mediaGen';

	beforeAll(async () => {
		await sandbox.reset();
		const rows = Object.entries(NODES).map(([name, parameters], row) =>
			nodeInRow(row, name, OURS, parameters),
		);
		const main = rows.map(({ name }) => ({ node: name, type: 'main' as const, index: 0 }));
		const start = nodeInRow(0, 'Start', 'n8n-nodes-base.manualTrigger', {});
		const events = { events: ['generation.completed', 'agent.failed'] };
		const agent = nodeInRow(9, 'Agent', '@n8n/n8n-nodes-langchain.agent', {});
		const { id } = await rest.workflows.create({
			name: 'Fields that follow the model',
			nodes: [
				{ ...start, position: [0, 0] },
				...rows,
				{ ...nodeInRow(5, 'Event', `${OURS}Trigger`, events), typeVersion: 2 },
				nodeInRow(6, 'Poll', `${OURS}PollingTrigger`, {}),
				nodeInRow(8, 'tool', `${OURS}Tool`, TOOL),
				{ ...agent, typeVersion: 3.1, credentials: {} },
			],
			connections: {
				Start: { main: [main] },
				tool: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
			},
		});
		await editor.openWorkflow(id);
	}, OPEN_MS);

	const chooseModel = async (label: string) => {
		await editor.listed('model');
		await editor.choose(new RegExp(`^\\s*${label}`));
	};

	it('the canvas says in words what starts a trigger', async () => {
		const said = async (name: string) =>
			await page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`).innerText();
		expect(await said('Event')).toContain('Image, Video or Audio Ready, Agent Run Failed');
		expect(await said('Poll')).toContain('Completed, Partially Completed');
	});

	it(
		'a model shows its own values, the default marked; so does another one',
		async () => {
			await editor.openNode('video');
			for (const { label, choices, defaults } of MODELS.filter(({ mode }) => mode === 'video')) {
				await chooseModel(label);
				const values = (choices?.resolution ?? []).map((value) =>
					value === defaults.resolution ? `${value} (default)` : value,
				);
				expect(values).not.toEqual([]);
				expect([label, await editor.peek('resolution')]).toEqual([label, values]);
			}
		},
		4 * STEP_MS,
	);

	it(
		'a speech model offers its own voices; another model clears the voice that it does not have',
		async () => {
			await editor.openNode('audio');
			await chooseModel('Speech Lite');
			expect(await editor.listed('voice')).toContain('Ava – English (US), female');
			await editor.choose(/^\s*Ava – /);
			expect(await editor.chosen('voice')).toBe('Ava – English (US), female');
			await chooseModel('Studio Music 2');
			await page.waitForFunction(
				`document.querySelector('[data-test-id="resource-locator-voice"] [data-test-id="rlc-input"]').value === ''`,
			);
			expect(await editor.peek('voice')).toEqual([
				'The catalogue lists no voices for this model: leave it empty, or enter an ID',
			]);
		},
		4 * STEP_MS,
	);

	it(
		'another operation offers its own fields and models: what was set for the one before goes, the model stays',
		async () => {
			const slots = ['Reference Images', 'Character', 'Image Refs'];
			await editor.openNode('empty');
			expect(await editor.offeredIn(0)).toEqual([
				'Aspect Ratio',
				'Count',
				'Quality',
				'Resolution',
				'Size',
			]);
			expect(await editor.offeredIn(1)).toEqual(slots);
			await editor.select('operation', 'Generate Video');
			expect(await editor.chosen('model')).toBe('studio/image-1');
			expect(await editor.peek('model')).toEqual([
				'Studio Video 1, the first of the workspace',
				// With the prices of what other tests have made.
				expect.stringMatching(/^Studio Video 1/),
				expect.stringMatching(/^Studio Video 2/),
			]);
			await editor.addable(1);
			await editor.addOption('Start Frame');
			await editor.fillBy('start_frame', 'Binary', 'photo');
			await editor.select('operation', 'Generate Image');
			expect(await editor.offeredIn(1)).toEqual(slots);
			await editor.select('operation', 'Generate Video');
			expect(await editor.offeredIn(1)).toContain('Start Frame');
		},
		5 * STEP_MS,
	);

	it(
		'a workflow with plain texts in place of locators opens with its values',
		async () => {
			await editor.openNode('before');
			expect(await editor.chosen('aspect_ratio')).toBe('16:9');
			expect(await editor.chosen('quality')).toBe('high');
			expect(await editor.issues()).toBe(0);
		},
		2 * STEP_MS,
	);

	it(
		'as a tool every field that an AI could fill in has its button; what steers the node has none',
		async () => {
			await editor.openNode('tool');
			const fields = [
				'model',
				'prompt',
				...LISTED,
				'count',
				'loop',
				'start_frame',
				'image_refs',
				'waitForCompletion',
				'downloadOutputs',
				'personaId',
				'additionalFields',
			];
			const without: string[] = [];
			for (const name of fields) if (!(await editor.hasAiButton(name))) without.push(name);
			expect(without).toEqual([]);
			for (const name of ['operation', 'delivery'])
				expect([name, await editor.hasAiButton(name)]).toEqual([name, false]);
		},
		2 * STEP_MS,
	);
});
