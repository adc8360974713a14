import type { INode } from 'n8n-workflow';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { exampleOf, itemsIn, runExample, saveExample } from './support/examples';
import { credentials, n8nUrl, rest, sandbox } from './support/harness';
import { OPEN_MS, openEditor, STEP_MS, type OpenEditor } from './support/openEditor';
import { startUnattended } from './support/unattended';

/*
 * The examples that are looked at: what n8n's panel and its forms show of them in the real editor, where all
 * HTML is cleaned by n8n and shown in a frame without rights.
 */

const TABLE = 'mediagen prompts';
/** A row whose link was good when it was written. */
const EXPIRED = {
	prompt: 'A boat of yesterday',
	status: 'done',
	link: 'https://localhost:1/expired.png',
	credits: 2,
};

const HOSTILE = '<script>document.title = "run"</script> {{ 7 * 7 }} $& "quoted"';

let open: OpenEditor;

beforeAll(async () => {
	open = await openEditor({ height: 1_200 });
}, OPEN_MS);

afterAll(async () => await open?.close());

beforeEach(async () => await sandbox.reset());

/** What the frame in the output of the open node shows, once it has the pictures of these names. */
async function sheet(...names: string[]) {
	const { page } = open;
	const element = page.getByTestId('output-panel').locator('iframe');
	await element.waitFor();
	const frame = await (await element.elementHandle())?.contentFrame();
	if (!frame) throw new Error('The panel shows no frame');
	const loaded = '[...document.images].filter((image) => image.naturalWidth > 0)';
	const shown = `${loaded}.map(({ alt }) => alt)`;
	await frame.waitForFunction(`${JSON.stringify(names)}.every((one) => ${shown}.includes(one))`);
	return frame;
}

it(
	'16: one picture by each model, with what it costs, and the prompt as it was written',
	async () => {
		const example = exampleOf('16', credentials.full);
		const assignments = [{ id: 'prompt', name: 'prompt', type: 'string', value: HOSTILE }];
		const nodes = example.nodes.map((node): INode => {
			if (node.name !== 'Prompt') return node;
			return { ...node, parameters: { assignments: { assignments } } };
		});
		const { id } = await rest.workflows.create({ ...example, nodes });
		await open.editor.openWorkflow(id);
		await open.editor.openNode('Compare');
		await open.page.getByTestId('node-execute-button').click();
		const frame = await sheet('studio/image-1', 'studio/image-2');
		expect(await frame.locator('h2').innerText()).toBe(HOSTILE);
		expect(await frame.locator('p').allInnerTexts()).toEqual([
			'2 of 2 models, 6 credits together',
			'studio/image-1\n2 credits a picture',
			'studio/image-2\n4 credits a picture',
		]);
	},
	3 * STEP_MS,
);

it(
	'17: what the batch has made, what failed in red, and the same HTML for the mail',
	async () => {
		const batch = await saveExample('8');
		await runExample(batch, 'Every Night');
		const long = 'A pier '.repeat(100);
		const rows = [HOSTILE, 'A boat', '[fail] A well', long].map((prompt) => ({ prompt }));
		await rest.tables.insert(TABLE, rows);
		const made = (await runExample(batch, 'Every Night'))('Fetch Pictures');
		await rest.tables.insert(TABLE, [{ ...EXPIRED, job: made[0]?.json.id }]);

		const workflow = await saveExample('17');
		const before = (await sandbox.requests()).length;
		const items = await runExample(workflow);
		// Not one for each row: two hundred would take the minutes that the limit of a minute leaves.
		const sent = (await sandbox.requests()).slice(before).map(({ path }) => path);
		expect(sent.filter((path) => path !== '/v1/generations')).toEqual([]);
		expect(items('Send Mail')).toEqual(items('Contact Sheet'));
		const html = String(items('Send Mail')[0]?.json.html);
		expect(html).not.toContain('<script>');
		expect(html).not.toContain(EXPIRED.link);

		await open.editor.openWorkflow(workflow.id);
		await open.editor.openNode('Contact Sheet');
		await open.page.getByTestId('node-execute-button').click();
		const frame = await sheet(HOSTILE, 'A boat', EXPIRED.prompt);
		const titles = await frame.locator('b').allInnerTexts();
		const ours = ['[fail] A well', HOSTILE, 'A boat', `${long.slice(0, 200)} …`, EXPIRED.prompt];
		// Other tests in the same n8n may have left rows in the table.
		expect(titles.filter((title) => ours.includes(title))).toEqual(ours);
		const reason = frame.getByText(/^The job failed/).last();
		expect(await reason.getAttribute('style')).toBe('color:#b3261e');
	},
	3 * STEP_MS,
);

it('17: npm start has the batch run first, and says where the sheet is seen', async () => {
	await saveExample('8');
	const { lines } = await startUnattended(await saveExample('17'));
	expect(lines.join('\n')).toMatch(/"MediaGen 8: .* runs first\.[^]*A page: open the node/);
});

describe('18: a storyboard', () => {
	let workflow: SavedWorkflow;

	beforeAll(async () => {
		workflow = await saveExample('18');
		await rest.workflows.publish(workflow);
	});

	afterAll(async () => await rest.workflows.unpublish(workflow.id));

	const ended = async () => {
		const [execution] = await rest.executions.list(workflow.id);
		return await rest.executions.wait(execution?.id ?? '');
	};

	it(
		'only frames that were seen and ticked become films; the form and the panel show them',
		async () => {
			const { page, editor } = open;
			await page.goto(`${n8nUrl}/form/mediagen-example-story`);
			const story = ['A keeper climbs the stairs.', HOSTILE, '[fail] A storm.', 'A ship turns.'];
			await page.locator('textarea').fill(story.join('\n'));
			await page.getByRole('button', { name: 'Submit' }).click();
			await page.getByText('Which scenes are filmed?').waitFor();
			await page.waitForFunction(
				'[...document.images].filter((one) => one.alt.startsWith("Scene") && one.naturalWidth > 0).length === 3',
			);
			expect(await page.locator('td').nth(1).innerText()).toContain(HOSTILE);
			expect(await page.locator('td').nth(2).innerText()).toContain('Failed: The job failed');
			expect(await page.locator('.multiselect-option').allInnerTexts()).toEqual([
				'Scene 1',
				'Scene 2',
				'Scene 4',
			]);
			for (const scene of ['Scene 1', 'Scene 4'])
				await page.locator('.multiselect-option').getByText(scene).click();
			await page.getByRole('button', { name: 'Submit' }).click();
			await page.getByText('2 of 2 films').waitFor();
			await page.waitForFunction(
				'[...document.querySelectorAll("video")].filter((one) => one.readyState > 0).length === 2',
			);
			const execution = await ended();
			expect(execution.status).toBe('success');
			expect(itemsIn(execution)('Films').map(({ json }) => json.number)).toEqual([1, 4]);

			await page.goto(`${n8nUrl}/workflow/${workflow.id}/executions/${execution.id}`);
			await editor.openNode('Contact Sheet');
			await sheet('Scene 1', 'Scene 2', 'Scene 4');
			await editor.openNode('Film Sheet');
			const frame = await sheet('Scene 1', 'Scene 4');
			expect(await frame.getByRole('link', { name: 'Open the film' }).count()).toBe(2);
		},
		4 * STEP_MS,
	);

	it(
		'npm start fills in the form',
		async () => {
			const { files } = await startUnattended(workflow);
			expect(files).toEqual(['films.mp4', 'start-frames-2.png', 'start-frames.png']);
		},
		2 * STEP_MS,
	);

	it(
		'nothing ticked: nothing is filmed',
		async () => {
			const { page } = open;
			await page.goto(`${n8nUrl}/form/mediagen-example-story`);
			await page.locator('textarea').fill('A keeper climbs the stairs.');
			await page.getByRole('button', { name: 'Submit' }).click();
			await page.getByText('Which scenes are filmed?').waitFor();
			await page.getByRole('button', { name: 'Submit' }).click();
			await page.getByText('No scene is filmed').waitFor();
			expect(itemsIn(await ended())('Films')).toEqual([]);
		},
		2 * STEP_MS,
	);
});
