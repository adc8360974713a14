import type { Editor } from '../../lab/n8n/editor';
import { withLanguageModel } from '../../lab/demo/examples';
import { ModelServer } from '../../lab/model/server';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { exampleOf } from './support/examples';
import { credentials, filesFolder, keys, rest, sandbox } from './support/harness';
import { openEditor, OPEN_MS, type OpenEditor } from './support/openEditor';
import { startUnattended } from './support/unattended';

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

/** Asks for a picture in a chat and presses a button there; gives what the agent says at the end. */
async function answered(button: string, wish: string): Promise<string> {
	// What is written right after a reply n8n may still take as said to the execution that has ended.
	await editor.openWorkflow(workflow.id);
	await editor.openChat();
	await editor.writeInChat(wish);
	await editor.chat.getByText(`May I make this picture? ${wish}`).waitFor();
	expect(await asked()).toBe(0);
	await editor.answerInChat(button);
	const reply = editor.chat.getByText(/^(Here is your picture|No picture was made)/);
	await reply.waitFor();
	return await reply.innerText();
}

/** How many requests the service got with a key. */
const asked = async () =>
	(await sandbox.requests()).filter(({ workspace }) => workspace !== null).length;

const charged = async () =>
	(await sandbox.ledger(keys.full.workspace)).lines.filter(({ movement }) => movement === 'reserve')
		.length;

it('10: declined in the chat, nothing is sent, and the agent learns of it', async () => {
	const reply = await answered('Decline', 'a green boat');
	expect(reply).toContain('User rejected the tool call to Make a Picture');
	expect(await asked()).toBe(0);
	expect(await charged()).toBe(0);
});

it('10: approved as npm start does it where nobody is there, one picture is paid for and written', async () => {
	const { lines, files } = await startUnattended(workflow);
	expect(lines.join('\n')).toMatch(/asks: May I make this picture\?[^]*says: Here is your picture/);
	expect(files).toEqual(['make-a-picture.png']);
	expect(await charged()).toBe(1);
});
