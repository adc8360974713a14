import type { INode } from 'n8n-workflow';
import { connectedTo } from '../../lab/n8n/canvas';
import type { Editor, Page } from '../../lab/n8n/editor';
import { call } from './support/fixtures';
import { baseUrl, rest, sandbox } from './support/harness';
import { nodeInRow, OPEN_MS, openEditor, type OpenEditor } from './support/openEditor';
import { until } from './support/until';

/* What people look at in the real editor: what was made is opened, voices are heard, a setup is checked. */

const TYPE = 'n8n-nodes-mediagen.';
const START = 'Start';

const NODES: INode[] = [
	nodeInRow(0, 'Get', `${TYPE}mediaGen`, {
		operation: 'get',
		generationId: { __rl: true, mode: 'list', value: '' },
	}),
	nodeInRow(1, 'Voices', `${TYPE}mediaGenVoice`, {
		resource: 'presetVoice',
		operation: 'getAll',
		limit: 2,
		downloadSamples: true,
	}),
	nodeInRow(2, 'Setup', `${TYPE}mediaGenWorkspace`, { operation: 'checkSetup' }),
];

let open: OpenEditor;
let page: Page;
let editor: Editor;

beforeAll(async () => {
	await sandbox.reset();
	open = await openEditor({ height: 1200 });
	({ editor, page } = open);
}, OPEN_MS);

afterAll(async () => await open?.close());

const output = () => page.getByTestId('output-panel');

it('a generation is opened from its list, voices are heard in the panel, and a setup says above its rows how it is', async () => {
	const body = { mode: 'image', model: 'studio/image-1', prompt: 'A lighthouse' };
	const { id } = await call('POST', '/generations', body);
	await until(async () => (await call('GET', `/generations/${id}`)).status === 'completed', 60_000);
	const start: INode = {
		...nodeInRow(1, START, 'n8n-nodes-base.manualTrigger', {}),
		position: [0, 0],
		credentials: undefined,
	};
	const connections = {
		[START]: { main: [NODES.map(({ name }) => connectedTo(name).main[0]![0]!)] },
	};
	const workflow = { name: 'Look', nodes: [start, ...NODES], connections };
	await editor.openWorkflow((await rest.workflows.create(workflow)).id);

	await editor.openNode('Get');
	await editor.listed('generationId');
	await editor.choose(new RegExp(id));
	const opened = page.waitForEvent('popup');
	await page.getByTestId('rlc-open-resource-link').click();
	const tab = await opened;
	await tab.waitForURL(/^http/);
	const address = tab.url();
	await tab.close();
	expect(new URL(address).origin).toBe(new URL(baseUrl).origin);
	const picture = Buffer.from(await (await fetch(address)).arrayBuffer());
	expect(picture.subarray(1, 4).toString()).toBe('PNG');

	await editor.openNode('Voices');
	await editor.executeAndView(60_000);
	const player = output().locator('audio');
	await player.waitFor();
	await until(async () => Number(await player.evaluate('(audio) => audio.duration')) > 0, 60_000);

	await editor.openNode('Setup');
	await page.getByTestId('node-execute-button').click();
	await output().getByText('11 of 12 fine').waitFor();
	await output().getByTestId('radio-button-table').click();
	await output().getByText('Address for Events').waitFor();
}, 240_000);
