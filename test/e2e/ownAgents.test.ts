import type { INodeParameters, IBinaryData } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { callerOf } from '../../lab/demo/otherProgram';
import { ModelServer } from '../../lab/model/server';
import type { FaultRules } from '../../lab/sandbox/admin';
import { byId } from './support/fixtures';
import { rest } from './support/harness';
import { createParameters, sniff } from './support/media';
import { makeAgent, type AgentTool } from './support/ownAgent';
import { closing, ownSandbox } from './support/ownSandbox';

/*
 * n8n's own Agents, a module that is on by default in 2.41, with our nodes as their tools. There n8n runs a
 * node without an execution, without a workflow and without contexts.
 */

/** How n8n stores a field that the AI fills in. */
const fromAI = (key: string) =>
	`={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${key}', \`\`, 'string') }}`;

const picture = (options: object = {}): AgentTool => ({
	name: 'picture',
	node: 'mediaGen',
	parameters: createParameters({ prompt: fromAI('prompt'), options }),
});

interface Row {
	json: Record<string, unknown>;
	binary?: Record<string, IBinaryData>;
}

/** A service, a model and an agent with these tools. */
async function startWorld(...tools: AgentTool[]) {
	const own = await ownSandbox({ jobSeconds: { image: 1 } });
	const model = await ModelServer.start();
	closing.push(model.close);
	const openAi = { apiKey: 'none', url: model.baseUrl };
	const saved = await rest.credentials.create('openAiApi', `Model ${randomUUID()}`, openAi);
	const agent = await makeAgent(saved, own.credential, tools);
	/** What the model is answered by a tool. */
	const hear = async (about: string, args: Record<string, unknown> = {}, conversation?: string) => {
		await agent.say({ rounds: [[{ about, args }]] }, conversation);
		return model.takeCalls()[0]?.answer ?? '';
	};
	const rows = async (about: string, args: Record<string, unknown> = {}): Promise<Row[]> => {
		const heard = await hear(about, args);
		if (!heard.startsWith('{')) throw new Error(`${about}: ${heard}`);
		return (JSON.parse(heard) as { data: Row[] }).data;
	};
	const charged = async () => (await own.charged()).length;
	const faults = async (...all: FaultRules[number][]) => await own.sandbox.setFaults(all);
	return { ...own, model, hear, rows, charged, faults };
}

const idOf = (heard: string) => /"id":"([^"]+)"/.exec(heard)?.[1];

const id = byId(fromAI('id'));
const photo = 'https://example.com/a.png';
const lite = byId('service/speech-lite');
const custom = { resource: 'customVoice' };
const hook = { resource: 'webhook' };

/** Each operation: its node, its parameters, and which of the things that were made before its id is of. */
const OPERATIONS: Array<[name: string, node: string, parameters: INodeParameters, of?: string]> = [
	['Generate Image', 'mediaGen', createParameters({ prompt: fromAI('prompt') })],
	[
		'Generate Video',
		'mediaGen',
		createParameters({ mode: 'video', model: 'studio/video-1', prompt: fromAI('prompt') }),
	],
	[
		'Generate Audio',
		'mediaGen',
		createParameters({ mode: 'audio', model: 'studio/music-1', prompt: fromAI('prompt') }),
	],
	['Get Generation', 'mediaGen', { operation: 'get', generationId: id }, 'Generate Image'],
	['List Generations', 'mediaGen', { operation: 'getAll', limit: 2 }],
	['Speak', 'mediaGenSpeech', { operation: 'create', model: lite, text: fromAI('prompt') }],
	['Get Speech', 'mediaGenSpeech', { operation: 'get', speechId: fromAI('id') }, 'Speak'],
	['Plan', 'mediaGenAgentRun', { operation: 'create', brief: fromAI('prompt') }],
	[
		'Approve',
		'mediaGenAgentRun',
		{ operation: 'approve', agentRunId: id, maxCredits: 1_000 },
		'Plan',
	],
	[
		'Review',
		'mediaGenAgentRun',
		{ operation: 'review', agentRunId: id, decision: 'assemble' },
		'Plan',
	],
	['Get Run', 'mediaGenAgentRun', { operation: 'get', agentRunId: id }, 'Plan'],
	['List Runs', 'mediaGenAgentRun', { operation: 'getAll' }],
	[
		'Persona of Pictures',
		'mediaGenPersona',
		{ operation: 'createFromImages', name: 'Nia', referenceImages: photo },
	],
	[
		'Describe Persona',
		'mediaGenPersona',
		{ operation: 'createFromDescription', name: 'Mara', description: fromAI('prompt') },
	],
	[
		'Update Persona',
		'mediaGenPersona',
		{ operation: 'update', personaId: id, updateFields: { name: 'Ada' } },
		'Describe Persona',
	],
	['Get Persona', 'mediaGenPersona', { operation: 'get', personaId: id }, 'Describe Persona'],
	['List Personas', 'mediaGenPersona', { operation: 'getAll' }],
	['Delete Persona', 'mediaGenPersona', { operation: 'delete', personaId: id }, 'Describe Persona'],
	[
		'Clone Voice',
		'mediaGenVoice',
		{ ...custom, operation: 'clone', name: 'Mine', audioUrl: 'https://example.com/a.wav' },
	],
	[
		'Design Voice',
		'mediaGenVoice',
		{ ...custom, operation: 'design', name: 'Narrator', description: fromAI('prompt') },
	],
	[
		'Rename Voice',
		'mediaGenVoice',
		{ ...custom, operation: 'rename', voiceId: id, name: 'Yours' },
		'Clone Voice',
	],
	['Get Voice', 'mediaGenVoice', { ...custom, operation: 'get', voiceId: id }, 'Clone Voice'],
	['List Voices', 'mediaGenVoice', { ...custom, operation: 'getAll' }],
	['Delete Voice', 'mediaGenVoice', { ...custom, operation: 'delete', voiceId: id }, 'Clone Voice'],
	['List Preset Voices', 'mediaGenVoice', { resource: 'presetVoice', operation: 'getAll' }],
	['Get Job', 'mediaGenJob', { operation: 'get', jobId: fromAI('id') }, 'Generate Image'],
	['Wait for Job', 'mediaGenJob', { operation: 'wait', jobId: fromAI('id') }, 'Generate Image'],
	[
		'Create Webhook',
		'mediaGenWebhook',
		{
			...hook,
			operation: 'create',
			url: 'https://example.com/hook',
			events: ['voice.created'],
		},
	],
	[
		'Update Webhook',
		'mediaGenWebhook',
		{ ...hook, operation: 'update', webhookId: id, updateFields: { events: ['agent.failed'] } },
		'Create Webhook',
	],
	[
		'Get Webhook',
		'mediaGenWebhook',
		{ ...hook, operation: 'get', webhookId: id },
		'Create Webhook',
	],
	['List Webhooks', 'mediaGenWebhook', { ...hook, operation: 'getAll' }],
	[
		'Delete Webhook',
		'mediaGenWebhook',
		{ ...hook, operation: 'delete', webhookId: id },
		'Create Webhook',
	],
	['Get Credits', 'mediaGenWorkspace', { operation: 'getCredits' }],
	['Get Usage', 'mediaGenWorkspace', { operation: 'getUsage' }],
	['List Models', 'mediaGenWorkspace', { operation: 'getModels', mode: 'image' }],
];

test('each operation of each node works as a tool', async () => {
	const tools = OPERATIONS.map(([name, node, parameters]) => ({ name, node, parameters }));
	const { access, rows } = await startWorld(...tools);
	const made = new Map<string, unknown>();
	for (const [name, , , of] of OPERATIONS) {
		const args = of === undefined ? { prompt: 'A boat' } : { id: made.get(of) };
		const [row] = await rows(name, args);
		expect([name, row?.json]).toEqual([name, expect.any(Object)]);
		expect([name, row?.json.status]).not.toEqual([name, 'failed']);
		made.set(name, row?.json.id);
		if (of !== undefined) expect([name, row?.json.id]).toEqual([name, made.get(of)]);
	}
	const job = await callerOf(access)('GET', `/jobs/${String(made.get('Generate Image'))}`);
	expect(job.status).toBe('completed');
});

test('a file is stored where n8n finds it', async () => {
	const { rows } = await startWorld(picture({ downloadOutputs: true }));
	const [row] = await rows('picture', { prompt: 'a cat' });
	const [link] = row?.json.files as string[];
	const file = await fetch(String(link));
	expect(sniff(Buffer.from(await file.arrayBuffer()))).toBe('image/png');
});

test('a call that has not finished is gone on with by the same call, in another conversation too, and paid for once; after a good one the same call makes a new picture', async () => {
	const { hear, charged, sandbox } = await startWorld(picture({ waitTimeout: 0.04 }));
	await sandbox.settings({ jobSeconds: { image: 300 }, jobJitter: 0 });
	const first = await hear('picture', { prompt: 'a cat' });
	expect(first).toMatch(/call this tool again with exactly the same arguments/);
	await sandbox.settings({ jobSeconds: { image: 1 } });
	let second = first;
	for (let time = 0; time < 10 && !second.includes('"completed"'); time += 1)
		second = await hear('picture', { prompt: 'a cat' });
	expect(idOf(second)).toBe(idOf(first));
	expect(await charged()).toBe(1);
	const third = await hear('picture', { prompt: 'a cat' });
	expect(idOf(third)).not.toBe(idOf(first));
	expect(await charged()).toBe(2);
});

/** What goes wrong at first, what the model hears of it, and what the same call costs then. */
const FAILURES: Array<[name: string, fault: FaultRules[number], heard: RegExp]> = [
	[
		'credits that run out',
		{ kind: 'status_before', operations: ['createGeneration'], status: 402, times: 1 },
		/^Error: Not enough credits.*then call this tool again with exactly the same arguments.*no credits were spent/,
	],
	[
		'a job that may not be read',
		{ kind: 'status_before', operations: ['getGeneration'], status: 403, times: 1 },
		/^Error: .*has reserved 2 credits.*call this tool again with exactly the same arguments.*instead of paying again/,
	],
];

test.each(FAILURES)('after %s the same call goes on, and pays once', async (_, fault, said) => {
	const { hear, charged, faults } = await startWorld(picture());
	await faults(fault);
	const conversation = randomUUID();
	expect(await hear('picture', { prompt: 'a cat' }, conversation)).toMatch(said);
	expect(await hear('picture', { prompt: 'a cat' }, conversation)).toMatch(/"completed"/);
	expect(await charged()).toBe(1);
});

test.each<[string, FaultRules[number]]>([
	['a status 500', { kind: 'status_after', operations: ['createGeneration'], status: 500 }],
	['a cut connection', { kind: 'lost_after', operations: ['createGeneration'] }],
])('after %s, although the work is done, the same call goes on and pays once', async (_, fault) => {
	const { hear, charged, faults } = await startWorld(picture({ waitTimeout: 0.04 }));
	await faults(fault);
	const first = await hear('picture', { prompt: 'a cat' });
	expect(first).toMatch(/"sent".*nothing is paid for twice/);
	await faults();
	let heard = first;
	for (let time = 0; time < 20 && !heard.includes('"completed"'); time += 1)
		heard = await hear('picture', { prompt: 'a cat' });
	expect(heard).toMatch(/"completed"/);
	expect(await charged()).toBe(1);
});

test('Same Request gives the same picture again; Max Credits says that it counts each call by itself', async () => {
	const { hear, charged } = await startWorld(picture({ idempotency: 'content', maxCredits: 5 }));
	const first = await hear('picture', { prompt: 'a cat' });
	expect(first).toMatch(/counts each call by itself/);
	expect(idOf(await hear('picture', { prompt: 'a cat' }))).toBe(idOf(first));
	expect(await charged()).toBe(1);
});
