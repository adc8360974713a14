import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import pLimit from 'p-limit';
import { credentialOf, type SavedWorkflow } from '../../lab/n8n/rest';
import { exampleOf } from './support/examples';
import { credentials, filesFolder, keys, n8nUrl, rest, sandbox } from './support/harness';

const TOKEN = 'a-token-of-the-example';
const { workspace } = keys.full;

/** Always left in the workspace. */
const CAP = 500;

const KILOBYTES = 1_000;

let workflow: SavedWorkflow;
let client: Client;

async function connect(token: string): Promise<Client> {
	const headers = { authorization: `Bearer ${token}` };
	const url = new URL(`${n8nUrl}/mcp/mediagen`);
	const one = new Client({ name: 'a test', version: '1.0.0' });
	await one.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
	return one;
}

beforeAll(async () => {
	const bearer = await rest.credentials.create('httpBearerAuth', 'Token of the example', {
		token: TOKEN,
	});
	const example = exampleOf('14', credentials.full, filesFolder);
	workflow = await rest.workflows.create({
		...example,
		nodes: example.nodes.map((node) =>
			node.type.endsWith('.mcpTrigger') ? { ...node, credentials: credentialOf(bearer) } : node,
		),
	});
	await rest.workflows.publish(workflow);
});

afterAll(async () => await rest.workflows.unpublish(workflow.id));

beforeEach(async () => {
	await sandbox.reset();
	client = await connect(TOKEN);
});

afterEach(async () => await client?.close());

/** What a tool answers with, as text. */
async function call(name: string, args: Record<string, unknown> = {}): Promise<string> {
	const { content } = await client.callTool({ name, arguments: args });
	return (content as Array<{ text?: string }>).map(({ text }) => text ?? '').join('');
}

/** The first of the objects that a tool answers with. */
const firstOf = (text: string): Record<string, unknown> => {
	const all = JSON.parse(text) as Record<string, unknown> | Array<Record<string, unknown>>;
	return Array.isArray(all) ? (all[0] ?? {}) : all;
};

const charges = async () =>
	(await sandbox.ledger(workspace)).lines.filter(({ movement }) => movement === 'reserve');

it('14: three tools for whoever has the token', async () => {
	const { tools } = await client.listTools();
	expect(tools.map(({ name }) => name).sort()).toEqual([
		'Generate_an_Image',
		'Get_Credits',
		'Look_Up_a_Job',
	]);
	for (const { description } of tools) expect(description).toMatch(/credits|Costs nothing/);
	await expect(connect('another-token')).rejects.toThrow(/403|Authorization/);
});

it('14: of twenty calls none is paid for twice, and each answer is short', async () => {
	const atOnce = pLimit(5);
	const prompts = Array.from({ length: 6 }, (_, index) => `A boat, number ${index}`);
	const asked = await Promise.all(
		[...prompts, ...prompts].map(
			async (prompt) => await atOnce(async () => await call('Generate_an_Image', { prompt })),
		),
	);
	const ids = asked.map((text) => String(firstOf(text).id));
	expect(asked.map((text) => firstOf(text).status)).toEqual(Array(12).fill('completed'));
	const looked = await Promise.all(
		ids
			.slice(0, 4)
			.map(async (id) => await atOnce(async () => await call('Look_Up_a_Job', { job_id: id }))),
	);
	expect(looked.map((text) => firstOf(text).id)).toEqual(ids.slice(0, 4));
	const credits = await Promise.all(
		Array.from({ length: 4 }, async () => await atOnce(async () => await call('Get_Credits'))),
	);
	for (const text of credits) expect(firstOf(text)).toHaveProperty('available');

	for (const answer of [...asked, ...looked, ...credits])
		expect(Buffer.byteLength(answer)).toBeLessThan(2 * KILOBYTES);
	expect(ids.slice(6)).toEqual(ids.slice(0, 6));
	expect((await charges()).map(({ resource }) => resource).sort()).toEqual(ids.slice(0, 6).sort());
});

it('14: the answer to a long prompt and to a refused one are short, too', async () => {
	const long = await call('Generate_an_Image', { prompt: 'boat '.repeat(1_900) });
	expect(firstOf(long)).toMatchObject({ status: expect.any(String) as string });
	const refused = await call('Generate_an_Image', { prompt: '[fail] A hill' });
	expect(firstOf(refused)).toMatchObject({
		status: 'failed',
		problem: expect.stringMatching(/failed/) as string,
	});
	for (const answer of [long, refused])
		expect(Buffer.byteLength(answer)).toBeLessThan(2 * KILOBYTES);
});

it('14: at the cap nothing is sent', async () => {
	const { balance } = await sandbox.ledger(workspace);
	await sandbox.addCredits(workspace, CAP - balance.available);
	const answer = firstOf(await call('Generate_an_Image', { prompt: 'A boat' }));
	expect(answer).toMatchObject({
		status: 'not sent',
		problem: expect.stringMatching(/cap/) as string,
	});
	expect(await charges()).toEqual([]);

	await sandbox.addCredits(workspace, 1);
	const last = firstOf(await call('Generate_an_Image', { prompt: 'A boat' }));
	expect(last.status).toBe('completed');
	const next = firstOf(await call('Generate_an_Image', { prompt: 'A second boat' }));
	expect(next.status).toBe('not sent');
	expect(await charges()).toHaveLength(1);
});
