import type { Editor } from '../../lab/n8n/editor';
import { withLanguageModel } from '../../lab/demo/examples';
import { ModelServer } from '../../lab/model/server';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { exampleOf } from './support/examples';
import { baseUrl, credentials, filesFolder, keys, rest, sandbox } from './support/harness';
import { openEditor, OPEN_MS, type OpenEditor } from './support/openEditor';
import { startUnattended } from './support/unattended';
import { until } from './support/until';

/** n8n takes a browser without a window for a program that looks at links, which presses no button. */
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

let open: OpenEditor;
let model: ModelServer;
let workflow: SavedWorkflow;
let editor: Editor;

beforeAll(async () => {
	await sandbox.reset();
	model = await ModelServer.start();
	const credential = await rest.credentials.create('openAiApi', 'A model for the example', {
		apiKey: 'none',
		url: model.baseUrl,
	});
	const example = exampleOf('10', credentials.full, filesFolder);
	workflow = await rest.workflows.create(withLanguageModel(example, credential));
	open = await openEditor({ userAgent });
	({ editor } = open);
}, OPEN_MS);

afterAll(async () => {
	await open?.close();
	await model?.close();
});

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

it('10: the question names the model, the count, the price as it was last and the prompt, and that is what is paid', async () => {
	const body = {
		mode: 'image',
		model: 'studio/image-1',
		prompt: 'A boat',
		parameters: { count: 2 },
	};
	const headers = {
		authorization: `Bearer ${keys.full.key}`,
		'content-type': 'application/json',
	};
	await fetch(`${baseUrl}/generations`, { method: 'POST', headers, body: JSON.stringify(body) });
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
	expect(await charged()).toEqual([earlier, (earlier / 2) * 3]);
	expect((await sandbox.jobs())[0]?.text).toBe('a green boat');
});

it('10: approved as npm start does it where nobody is there, one picture is paid for and written', async () => {
	const { lines, files } = await startUnattended(workflow);
	expect(lines.join('\n')).toMatch(/asks: May I make this\?[^]*says: Here is your picture/);
	expect(files).toEqual(['generate-an-image.png']);
	expect(await charged()).toHaveLength(1);
});
