/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { credentialData } from '../../../lab/n8n/credential';
import { inputName } from '../../../lab/n8n/nodeWorkflow';
import { runNode, type NodeRun } from '../../../lab/n8n/runNode';
import { projectRoot } from '../../../lab/process/paths';
import { SandboxAdmin } from '../../../lab/sandbox/admin';
import { agentWorkflow, triggerName } from '../../e2e/support/agentWorkflow';
import type { EventInstance } from '../../e2e/support/eventInstance';
import { bytesOf, createParameters } from '../../e2e/support/media';
import { ModelServer } from '../../../lab/model/server';
import { signedHeaders } from '../../e2e/support/signed';
import { until } from '../../e2e/support/until';

const PACKAGE = 'n8n-nodes-mediagen';

const CREATED = ['generation.completed'];

/** Names of our node types, such as `mediaGen`, as the manifest lists them. */
function nodeNames(): string[] {
	const text = readFileSync(path.join(projectRoot, 'package.json'), 'utf8');
	const { nodes } = (JSON.parse(text) as { n8n: { nodes: string[] } }).n8n;
	return nodes.map((file) => path.basename(file, '.node.js').replace(/^M/, 'm'));
}

const eventOf = (id: string, job: string) =>
	JSON.stringify({
		id,
		type: 'generation.completed',
		data: { object: { id: job, object: 'generation', status: 'completed' } },
	});

/**
 * What every n8n of the supported range has to do with our package: load it, test the credential, run a
 * batch, take and give files, start a workflow by an event, use a node as a tool.
 */
export function smoke(instanceOf: () => EventInstance): void {
	let instance: EventInstance;
	let sandbox: SandboxAdmin;

	beforeAll(() => {
		instance = instanceOf();
		sandbox = new SandboxAdmin(instance.sandbox.adminUrl);
	});

	beforeEach(async () => await sandbox.reset());

	const run = async (node: string, more: Omit<NodeRun, 'type'>) =>
		await runNode(instance.rest, {
			type: `${PACKAGE}.${node}`,
			credential: instance.credential,
			...more,
		});

	const charges = async () => {
		const { lines } = await sandbox.ledger(instance.sandbox.keys[0]?.workspace ?? '');
		return lines.filter(({ movement }) => movement === 'reserve').length;
	};

	it('loads every node, and all but the triggers as tools of agents too', async () => {
		const loaded = (await instance.rest.nodes.types())
			.map(({ name }) => name)
			.filter((name) => name.startsWith(`${PACKAGE}.`));
		const nodes = nodeNames();
		const tools = nodes.filter((name) => !name.endsWith('Trigger')).map((name) => `${name}Tool`);
		expect([nodes.length, tools.length]).toEqual([11, 9]);
		expect([...new Set(loaded)].sort()).toEqual(
			[...nodes, ...tools].map((name) => `${PACKAGE}.${name}`).sort(),
		);
	});

	it('tests the credential: a good key passes, a wrong one is reported', async () => {
		const { rest, credential } = instance;
		expect(await rest.credentials.test(credential)).toMatchObject({ status: 'OK' });
		const wrong = credentialData({ apiKey: 'not-a-key', baseUrl: instance.sandbox.baseUrl });
		expect(await rest.credentials.test(credential, wrong)).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/^The API key is invalid/) as string,
		});
	});

	it('a batch with one bad item makes the others, each once, with its file', async () => {
		const prompts = ['Boat 0', 'Boat 1', '', 'Boat 3'];
		const made = await run('mediaGen', {
			items: prompts.map((prompt) => ({ json: { prompt } })),
			parameters: createParameters({ prompt: '={{ $json.prompt }}', downloadOutputs: true }),
			onError: 'continueRegularOutput',
		});
		expect(made.status).toBe('success');
		expect(made.items.map(({ pairedItem }) => pairedItem)).toEqual(
			prompts.map((_, item) => ({ item })),
		);
		const files = await Promise.all(
			made.items.map(async ({ binary: { data } }) => {
				// Behind the beginning of a PNG.
				return data && (await instance.rest.download(data)).subarray(8).toString();
			}),
		);
		expect(files).toEqual(prompts.map((prompt) => (prompt ? `image 0: ${prompt}` : undefined)));
		expect(made.items[2]?.json.error).toMatch(/Prompt is empty/);
		expect(await charges()).toBe(3);
	});

	it('a file of an item is uploaded to the byte, by itself and as the input of a video', async () => {
		const photo = {
			data: bytesOf('image/png', 300_000),
			fileName: 'photo.png',
			mimeType: 'image/png',
		};
		const items = [{ binary: { photo } }];
		const stored = async (url: unknown) =>
			Buffer.from(await (await fetch(String(url))).arrayBuffer()).equals(photo.data);
		const sent = await run('mediaGenFile', {
			items,
			parameters: { operation: 'upload', inputBinaryField: 'photo' },
		});
		expect(sent.error).toBeUndefined();
		expect(sent.items[0]?.json).toMatchObject({ fileName: 'photo.png', size: 300_000 });
		expect(await stored(sent.items[0]?.json.url)).toBe(true);
		const made = await run('mediaGen', {
			items,
			parameters: createParameters({
				mode: 'video',
				model: 'studio/video-1',
				input: { start_frame: 'binary:photo' },
			}),
		});
		expect(made.error).toBeUndefined();
		const created = (await sandbox.requests()).find(
			({ operation }) => operation === 'createGeneration',
		);
		const { input } = created?.body as { input: { start_frame: string[] } };
		expect(await stored(input.start_frame[0])).toBe(true);
	});

	it('a file of an earlier node is uploaded by expression, and one that only text names is not', async () => {
		const photo = {
			data: bytesOf('image/png', 3_000),
			fileName: 'photo.png',
			mimeType: 'image/png',
		};
		const upload = async (inputBinaryField: string, more: Partial<NodeRun>) =>
			await run('mediaGenFile', {
				parameters: { operation: 'upload', inputBinaryField },
				...more,
			});
		const between = 'return $input.all().map(() => ({ json: { isLeft: true } }));';
		const items = [{ binary: { photo } }];
		// By `$()`, n8n 1.123 gives nothing of what a Code node has put out.
		const ofInput = `={{ $node["${inputName}"].binary.photo }}`;
		const sent = await upload(ofInput, { items, between });
		expect(sent.error).toBeUndefined();
		expect(sent.items[0]?.json).toMatchObject({ fileName: 'photo.png', size: 3_000 });
		const stored = await fetch(String(sent.items[0]?.json.url));
		expect(Buffer.from(await stored.arrayBuffer()).equals(photo.data)).toBe(true);
		const { runData } = sent.execution.data.resultData;
		const foreign = runData[inputName]?.[0]?.data?.main?.[0]?.[0]?.binary?.photo;
		expect(foreign?.mimeType).toBe('image/png');
		const refused = await upload('={{ $json.photo }}', {
			items: [{ json: { photo: { ...foreign } } }],
		});
		expect(refused.error?.message).toMatch(
			/which is not one file of this item or of a node before/,
		);
	});

	it('an agent makes a picture with a node as its tool', async () => {
		const model = await ModelServer.start();
		try {
			const openAi = { apiKey: 'none', url: model.baseUrl };
			const saved = await instance.rest.credentials.create('openAiApi', 'Scripted model', openAi);
			const prompt =
				"={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('prompt', ``, 'string') }}";
			const workflow = agentWorkflow({
				caller: 'Agent 2.2',
				scripts: [{ rounds: [[{ args: { prompt: 'a red car' } }]] }],
				parameters: createParameters({ prompt }),
				model: saved,
				mediaGen: instance.credential,
			});
			const { id } = await instance.rest.workflows.create(workflow);
			const started = await instance.rest.workflows.run(id, triggerName);
			expect(await instance.rest.executions.wait(started)).toMatchObject({ status: 'success' });
			expect(model.takeCalls()[0]?.answer).toContain('"status":"completed"');
			expect((await sandbox.jobs()).map(({ text }) => text)).toEqual(['a red car']);
		} finally {
			await model.close();
		}
	});

	it('the trigger is started by a signed event and by the service, not by a forged call', async () => {
		const workflow = await instance.ourTrigger({ events: CREATED });
		await instance.rest.workflows.publish(workflow);
		const url = instance.urlOf(workflow);
		const { secret = '' } = instance.registered(url)[0] ?? {};
		const body = eventOf('evt_smoke', 'gen_smoke');
		const call = async (headers: Record<string, string>) =>
			(await instance.call(url, { headers }, body)).status;
		expect(await call({ 'content-type': 'application/json' })).toBe(401);
		expect(await call(signedHeaders(`${secret}x`, body))).toBe(401);
		expect(await call(signedHeaders(secret, body))).toBe(200);
		const { id } = await instance.api('POST', '/generations', {
			mode: 'image',
			model: 'studio/image-1',
			prompt: 'A lighthouse',
		});
		const started = await instance.items(workflow, 2);
		expect(started.map(({ event }) => event)).toEqual([...CREATED, ...CREATED]);
		expect(JSON.stringify(started)).toContain('gen_smoke');
		expect(JSON.stringify(started)).toContain(String(id));
		await instance.rest.workflows.unpublish(workflow.id);
		await until(() => instance.registered(url).length === 0);
		expect(instance.registered(url)).toEqual([]);
	});
}
