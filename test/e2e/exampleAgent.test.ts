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

/** What a model does that was asked for pictures of a green boat. */
const wish = (count: number) => {
	const args = { toolParameters: { prompt: 'a green boat', count }, hitlParameters: {} };
	return JSON.stringify({ rounds: [[{ about: 'Generate an image', args }]] });
};

interface Answered {
	/** What the person is asked, line by line. */
	question: string[];
	/** What the agent says at the end. */
	reply: string;
}

/** Asks for pictures in a chat and presses a button there. */
async function answered(button: string, text: string): Promise<Answered> {
	const before = await charged();
	// What is written right after a reply n8n may still take as said to the execution that has ended.
	await editor.openWorkflow(workflow.id);
	await editor.openChat();
	await editor.writeInChat(text);
	const asked = editor.chat.getByText(
		/^(May I make this|Model:|Pictures:|Last known price:|Prompt:)/,
	);
	await asked.nth(4).waitFor();
	const question = await asked.allInnerTexts();
	expect(await charged()).toEqual(before);
	await editor.answerInChat(button);
	const reply = editor.chat.getByText(/^(Here is your picture|No picture was made)/);
	await reply.waitFor();
	return { question, reply: await reply.innerText() };
}

/** What each job has reserved. */
const charged = async () =>
	(await sandbox.ledger(keys.full.workspace)).lines
		.filter(({ movement }) => movement === 'reserve')
		.map(({ amount }) => Math.abs(amount));

/** How many creations the service was asked for. */
const creations = async () =>
	(await sandbox.requests()).filter(({ operation }) => operation === 'createGeneration').length;

it('10: declined in the chat, nothing is sent, and the agent learns of it', async () => {
	const { question, reply } = await answered('Decline', wish(1));
	expect(question).toEqual([
		'May I make this?',
		'Model: Studio Image 1',
		'Pictures: 1',
		'Last known price: none, as nothing was made with this model lately',
		'Prompt: a green boat',
	]);
	expect(reply).toContain('User rejected the tool call to Generate an Image');
	expect(await creations()).toBe(0);
	expect(await charged()).toEqual([]);
});

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
	const { question, reply } = await answered('Approve', wish(3));
	expect(question).toEqual([
		'May I make this?',
		'Model: Studio Image 1',
		'Pictures: 3',
		`Last known price: ${(earlier / 2) * 3} credits`,
		'Prompt: a green boat',
	]);
	expect(reply).toMatch(/^Here is your picture/);
	expect(await charged()).toEqual([earlier, (earlier / 2) * 3]);
	expect((await sandbox.jobs())[0]?.text).toBe('a green boat');
});

it('10: approved as npm start does it where nobody is there, one picture is paid for and written', async () => {
	const { lines, files } = await startUnattended(workflow);
	expect(lines.join('\n')).toMatch(/asks: May I make this\?[^]*says: Here is your picture/);
	expect(files).toEqual(['generate-an-image.png']);
	expect(await charged()).toHaveLength(1);
});
