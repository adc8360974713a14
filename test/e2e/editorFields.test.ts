import type { INode, INodeParameters } from 'n8n-workflow';
import type { Editor, Page } from '../../lab/n8n/editor';
import { MODELS, type ModelEntry, type ParameterName } from '../../sandbox/catalogue/models';
import { presetVoices } from '../../sandbox/catalogue/voices';
import type { SpeechModel } from '../../src/contract';
import { credentials, rest, runOurs, sandbox } from './support/harness';
import { STEP_MS, openEditor, OPEN_MS, type OpenEditor } from './support/openEditor';

/**
 * The fields of Generation as a person sees them: they follow the operation and the model
 * that are chosen.
 */
let open: OpenEditor;
let page: Page;
let editor: Editor;
let workflowId = '';

const locator = (value = '', mode = 'list') => ({ __rl: true, mode, value });

const LISTED = {
	video: ['aspect_ratio', 'duration', 'quality', 'resolution', 'size', 'speed'],
	audio: ['duration', 'language_boost', 'quality', 'speed'],
} as const;

const locators = (names: readonly string[]) =>
	Object.fromEntries(names.map((name) => [name, locator()]));

const usual = { prompt: 'A boat', model: locator('studio/image-1') };

/** With plain texts where the editor puts locators. */
const before = {
	...usual,
	operation: 'generateImage',
	parameters: { aspect_ratio: '16:9', quality: 'high' },
	input: { reference_images: 'https://example.com/a.png\nhttps://example.com/b.png' },
	options: {},
};

const NODES: Record<string, INodeParameters> = {
	video: { ...usual, operation: 'generateVideo', parameters: locators(LISTED.video) },
	audio: { ...usual, operation: 'generateAudio', parameters: locators([...LISTED.audio, 'voice']) },
	empty: { ...usual, operation: 'generateImage' },
	both: { ...usual, operation: 'generateImage' },
	before,
};

const OURS = 'n8n-nodes-mediagen.mediaGen';
const EVENT_TRIGGER = `${OURS}Trigger`;
const POLLING_TRIGGER = `${OURS}PollingTrigger`;

const node = (name: string, parameters: INodeParameters, row: number, type = OURS): INode => ({
	id: name,
	name,
	type,
	typeVersion: 1,
	position: [300, row * 200],
	parameters,
	credentials: { mediaGenApi: credentials.full },
});

const TOOL: INodeParameters = {
	...usual,
	operation: 'generateVideo',
	parameters: { ...locators(LISTED.video), count: 1, loop: false },
	input: { start_frame: locator('', 'url'), image_refs: locator('', 'url') },
	options: {
		additionalFields: '{}',
		delivery: 'signed_url',
		personaId: locator(),
		waitForCompletion: true,
		downloadOutputs: true,
	},
};

beforeAll(async () => {
	await sandbox.reset();
	const nodes = Object.entries(NODES).map(([name, parameters], row) => node(name, parameters, row));
	const trigger: INode = {
		...node('Start', {}, 0, 'n8n-nodes-base.manualTrigger'),
		position: [0, 0],
	};
	const agent = '@n8n/n8n-nodes-langchain.agent';
	const main = nodes.map(({ name }) => ({ node: name, type: 'main' as const, index: 0 }));
	({ id: workflowId } = await rest.workflows.create({
		name: 'Fields that follow the model',
		nodes: [
			trigger,
			...nodes,
			{ ...node('priced', usual, 8), credentials: { mediaGenApi: credentials.otherWorkspace } },
			{
				...node('Event', { events: ['generation.completed', 'agent.failed'] }, 11, EVENT_TRIGGER),
				typeVersion: 2,
			},
			node('Poll', {}, 12, POLLING_TRIGGER),
			node('tool', TOOL, 7, `${OURS}Tool`),
			{ ...node('Agent', {}, 9, agent), typeVersion: 3.1, credentials: {} },
		],
		connections: {
			Start: { main: [main] },
			tool: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
	}));
	open = await openEditor({ height: 1400 });
	({ editor, page } = open);
	await editor.openWorkflow(workflowId);
}, OPEN_MS);

afterAll(async () => {
	await open?.close();
	if (workflowId) await rest.workflows.delete(workflowId);
});

/** What the list of a parameter shows for a model, by the sandbox's own catalogue. */
function wanted(model: ModelEntry, name: string): unknown {
	const values = model.choices?.[name as ParameterName];
	if (!values) return [`The catalogue lists no values for ${model.label}: type one`];
	return values.map((value) => (model.defaults[name] === value ? `${value} (default)` : value));
}

/** As the picker names a voice; the regions of two codes are in the name already. */
const namesOf = (id: SpeechModel) => presetVoices(id, 12).map(({ name }) => name);

describe('with a full catalogue', () => {
	test(
		'a model shows its own values, exactly, the default marked; so does another one',
		async () => {
			const mode = 'video';
			await editor.openNode(mode);
			const [model, other] = MODELS.filter((one) => one.mode === mode);
			if (!model || !other) throw new Error(`The catalogue has too few models for ${mode}`);
			const choose = async ({ label }: ModelEntry) => {
				await editor.listed('model');
				await editor.choose(new RegExp(`^\\s*${label}`));
			};
			const shows = async ({ id }: ModelEntry, name: string, values: unknown) =>
				expect([id, name, await editor.peek(name)]).toEqual([id, name, values]);
			await choose(model);
			for (const name of LISTED[mode]) await shows(model, name, wanted(model, name));
			await choose(other);
			const differing = LISTED[mode].find(
				(name) => String(wanted(model, name)) !== String(wanted(other, name)),
			);
			if (!differing) throw new Error(`The models for ${mode} have the same values`);
			await shows(other, differing, wanted(other, differing));
		},
		8 * STEP_MS,
	);

	test(
		'a speech model offers its own voices; another model clears the voice that it does not have',
		async () => {
			await editor.openNode('audio');
			const choose = async (label: string) => {
				await editor.listed('model');
				await editor.choose(new RegExp(`^\\s*${label}`));
			};
			await choose('Speech Lite');
			const lite = await editor.listed('voice');
			expect(lite.map((name) => name.split(' – ')[0])).toEqual(namesOf('service/speech-lite'));
			expect(lite).toContain('Ava – English (US), female');
			await editor.choose(/^\s*Ava – /);
			expect(await editor.chosen('voice')).toBe('Ava – English (US), female');
			await choose('Speech 2.8 Turbo');
			await page.waitForFunction(
				`document.querySelector('[data-test-id="resource-locator-voice"] [data-test-id="rlc-input"]').value === ''`,
			);
			const turbo = await editor.peek('voice');
			expect(turbo.map((name) => name.split(' – ')[0])).toEqual(
				namesOf('vendor/partner/speech-2.8-turbo'),
			);
			await choose('Studio Music 2');
			expect(await editor.peek('voice')).toEqual([
				'The catalogue lists no voices for this model: leave it empty, or enter an ID',
			]);
		},
		4 * STEP_MS,
	);
});

describe('the operation', () => {
	const SLOTS = {
		Image: ['Reference Images', 'Character', 'Image Refs'],
		Audio: ['Image Refs', 'Source Video', 'Video Refs', 'Audio Refs'],
	};

	const PARAMETERS = {
		Image: ['Aspect Ratio', 'Count', 'Quality', 'Resolution', 'Size'],
		Audio: [
			...['Count', 'Duration (Seconds)', 'Language Boost', 'Loop', 'Lyrics', 'Quality', 'Speed'],
			'Voice',
		],
	};

	test(
		'back and forth: nothing is offered that belongs to another one, and what was set there goes',
		async () => {
			await editor.openNode('empty');
			for (const mode of ['Audio', 'Image'] as const) {
				await editor.select('operation', `Generate ${mode}`);
				expect([mode, await editor.offeredIn(0)]).toEqual([mode, PARAMETERS[mode]]);
				expect([mode, await editor.offeredIn(1)]).toEqual([mode, SLOTS[mode]]);
			}
			await editor.select('operation', 'Generate Video');
			await editor.addable(1);
			await editor.addOption('Start Frame');
			await editor.fillBy('start_frame', 'Binary', 'photo');
			expect(await editor.chosen('start_frame')).toBe('photo');
			await editor.select('operation', 'Generate Image');
			expect(await editor.offeredIn(1)).toEqual(SLOTS.Image);
			await editor.select('operation', 'Generate Video');
			expect(await editor.offeredIn(1)).toContain('Start Frame');
		},
		5 * STEP_MS,
	);
});

test(
	'another operation keeps the model; the list of models is its own',
	async () => {
		await editor.openNode('both');
		await editor.select('operation', 'Generate Video');
		expect(await editor.chosen('model')).toBe('studio/image-1');
		expect(await editor.peek('model')).toEqual(['Studio Video 1', 'Studio Video 2']);
		await editor.select('operation', 'Generate Image');
		expect(await editor.chosen('model')).toBe('studio/image-1');
		expect(await editor.peek('model')).toEqual(['Studio Image 1', 'Studio Image 2']);
	},
	4 * STEP_MS,
);

test('the canvas says in words what starts a trigger', async () => {
	await editor.closeNode();
	const said = async (name: string) =>
		await page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`).innerText();
	expect(await said('Event')).toContain('Image, Video or Audio Ready, Agent Run Failed');
	expect(await said('Poll')).toContain('Completed, Partially Completed');
});

test(
	'the list of models says what each has cost last time, or that it is not known',
	async () => {
		const parameters = { ...usual, operation: 'generateImage', options: {} };
		const run = { node: 'mediaGen', parameters, credential: credentials.otherWorkspace };
		const { items } = await runOurs(run);
		await editor.openNode('priced');
		expect(await editor.peek('model')).toEqual([
			`Studio Image 1 – ${String(items[0]?.json.estimated_credits)} credits last time`,
			'Studio Image 2 – price unknown',
		]);
	},
	3 * STEP_MS,
);

test(
	'a workflow with plain texts in place of locators opens with its values and runs',
	async () => {
		await editor.openNode('before');
		expect(await editor.chosen('aspect_ratio')).toBe('16:9');
		expect(await editor.chosen('quality')).toBe('high');
		expect(await editor.issues()).toBe(0);
		const { status, items } = await runOurs({ node: 'mediaGen', parameters: before });
		expect([status, items[0]?.json.status]).toEqual(['success', 'completed']);
	},
	2 * STEP_MS,
);

test(
	'as a tool every field that an AI could fill in has its button; what steers the node has none',
	async () => {
		await editor.openNode('tool');
		const fields = [
			...['model', 'prompt', ...LISTED.video, 'count', 'loop', 'start_frame', 'image_refs'],
			...['waitForCompletion', 'downloadOutputs', 'personaId', 'additionalFields'],
		];
		const without: string[] = [];
		for (const name of fields) if (!(await editor.hasAiButton(name))) without.push(name);
		expect(without).toEqual([]);
		for (const name of ['operation', 'delivery']) {
			expect([name, await editor.hasAiButton(name)]).toEqual([name, false]);
		}
	},
	2 * STEP_MS,
);
