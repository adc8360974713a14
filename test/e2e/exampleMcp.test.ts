import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { credentialOf, type SavedWorkflow } from '../../lab/n8n/rest';
import { exampleOf } from './support/examples';
import { credentials, keys, n8nUrl, rest, sandbox } from './support/harness';

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
	const example = exampleOf('14', credentials.full);
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

it('14: of calls at the same time none is paid for twice, and each answer is short, of a long prompt and of a refused one too', async () => {
	const prompts = ['A boat', 'A car', 'A boat', 'boat '.repeat(1_900)];
	const asked = await Promise.all(
		prompts.map(async (prompt) => await call('Generate_an_Image', { prompt })),
	);
	const [boat, car, again, long] = asked.map((text) => firstOf(text));
	expect([boat?.status, car?.status]).toEqual(['completed', 'completed']);
	expect(long).toMatchObject({ status: expect.any(String) as string });
	expect(again?.id).toBe(boat?.id);
	const refused = await call('Generate_an_Image', { prompt: '[fail] A hill' });
	expect(firstOf(refused)).toMatchObject({
		status: 'failed',
		problem: expect.stringMatching(/failed/) as string,
	});
	const looked = await call('Look_Up_a_Job', { job_id: boat?.id });
	expect(firstOf(looked).id).toBe(boat?.id);
	const credits = await call('Get_Credits');
	expect(firstOf(credits)).toHaveProperty('available');
	for (const answer of [...asked, refused, looked, credits])
		expect(Buffer.byteLength(answer)).toBeLessThan(2 * KILOBYTES);
	const paid = (await charges()).map(({ resource }) => resource);
	expect(paid.filter((id) => id === boat?.id)).toHaveLength(1);
	expect(new Set(paid).size).toBe(paid.length);
});

it('14: at the cap nothing is sent', async () => {
	// A prompt of its own: reset makes the sandbox forget what was made, but n8n remembers what it has paid
	// for.
	const { balance } = await sandbox.ledger(workspace);
	await sandbox.addCredits(workspace, CAP - balance.available);
	const answer = firstOf(await call('Generate_an_Image', { prompt: 'A ship' }));
	expect(answer).toMatchObject({
		status: 'not sent',
		problem: expect.stringMatching(/cap/) as string,
	});
	expect(await charges()).toEqual([]);

	// An image costs two: what is known to exceed the cap is not sent.
	await sandbox.addCredits(workspace, 1);
	const dear = firstOf(await call('Generate_an_Image', { prompt: 'A ship' }));
	expect(dear.status).toBe('failed');
	expect(await charges()).toEqual([]);

	await sandbox.addCredits(workspace, 1);
	const last = firstOf(await call('Generate_an_Image', { prompt: 'A ship' }));
	expect(last.status).toBe('completed');
	const next = firstOf(await call('Generate_an_Image', { prompt: 'A second ship' }));
	expect(next.status).toBe('not sent');
	expect(await charges()).toHaveLength(1);
});
