import type { IDataObject, INodeType } from 'n8n-workflow';
import { MediaGenAgentRun } from '../../nodes/AgentRun/MediaGenAgentRun.node';
import { MediaGenFile } from '../../nodes/File/MediaGenFile.node';
import { MediaGenJob } from '../../nodes/Job/MediaGenJob.node';
import { MediaGen } from '../../nodes/MediaGen/MediaGen.node';
import { MediaGenPersona } from '../../nodes/Persona/MediaGenPersona.node';
import { MediaGenSpeech } from '../../nodes/Speech/MediaGenSpeech.node';
import { MediaGenVoice } from '../../nodes/Voice/MediaGenVoice.node';
import { MediaGenWebhook } from '../../nodes/Webhook/MediaGenWebhook.node';
import { MediaGenWorkspace } from '../../nodes/Workspace/MediaGenWorkspace.node';
import { ENDPOINTS, type EndpointName } from '../../src/api';
import { errorBody } from '../model/answers';
import { endpointNames } from '../support/operations';
import type * as Instant from '../support/instantSystemClock';
import { locator } from '../support/nodeCall';
import { takesKey } from '../support/shapes';
import { at, BASE_URL, keyOfThisTest, overTheWire, runNode, sent, service } from './support/wire';

// So that a request that finds no answer is not waited for.
jest.mock('../../src/base/clock', () =>
	jest.requireActual<typeof Instant>('../support/instantSystemClock'),
);

overTheWire();

/** What a node is given for an operation of the contract, and what then goes out. */
interface Row {
	node: new () => INodeType;
	parameters: IDataObject;
	/** The request, without the base URL. */
	line: string;
	body?: IDataObject;
	answer: IDataObject;
	/** The answer, where several are possible. */
	status?: number;
	/** What is sent besides: what it is answered. */
	besides?: () => unknown;
	/** What comes out, where that is something else than the answer. */
	output?: IDataObject;
}

const id = (value: string) => locator(value, 'id');
const list = (...data: IDataObject[]): IDataObject => ({ object: 'list', data });
const noWait = { waitForCompletion: false };
const picture = 'https://files.example/a.png';

/** The names of a webhook's fields are those of the specification; what is answered is made up. */
const WEBHOOK = { id: 'wh_1', url: 'https://n8n.example/hook', events: ['voice.created'] };

/** A row for each operation of the contract, in its order. */
const ROWS: Record<EndpointName, Row> = {
	listModels: {
		node: MediaGenWorkspace,
		parameters: { operation: 'getModels', mode: 'video', simplify: false },
		line: 'GET /models?mode=video',
		answer: list({ id: 'studio/video-1' }),
		output: { id: 'studio/video-1' },
	},
	createFile: {
		node: MediaGenFile,
		parameters: { operation: 'upload', inputBinaryField: 'data' },
		line: 'POST /files',
		body: { filename: 'cat.txt', content_type: 'text/plain', size: 9 },
		answer: { upload_url: 'https://storage.example/put', upload_headers: {}, url: picture },
		besides: () => at('https://storage.example').put('/put').reply(200),
		output: { url: picture, size: 9 },
	},
	createGeneration: {
		node: MediaGen,
		parameters: {
			operation: 'generateImage',
			model: id('studio/image-1'),
			prompt: 'Ein Boot „ä" 😀',
			parameters: { count: 2 },
			input: { image_refs: locator(picture, 'url') },
			options: { ...noWait, delivery: 'public_url' },
		},
		line: 'POST /generations',
		body: {
			mode: 'image',
			model: 'studio/image-1',
			prompt: 'Ein Boot „ä" 😀',
			parameters: { count: 2 },
			input: { image_refs: [picture] },
			delivery: 'public_url',
		},
		answer: { id: 'gen_1', object: 'generation', status: 'queued' },
	},
	listGenerations: {
		node: MediaGen,
		parameters: { operation: 'getAll', limit: 7 },
		line: 'GET /generations?limit=7',
		answer: list({ id: 'gen_1' }),
		output: { id: 'gen_1' },
	},
	getGeneration: {
		node: MediaGen,
		parameters: { operation: 'get', generationId: id('gen:1') },
		line: 'GET /generations/gen%3A1',
		answer: { id: 'gen:1', object: 'generation', status: 'queued' },
	},
	createSpeech: {
		node: MediaGenSpeech,
		parameters: {
			operation: 'create',
			model: id('service/speech-lite'),
			blocksFrom: 'text',
			text: 'Guten Morgen!',
			options: noWait,
		},
		line: 'POST /speech',
		body: { model: 'service/speech-lite', blocks: [{ text: 'Guten Morgen!' }] },
		answer: { id: 'speech_1', object: 'speech_generation', status: 'queued' },
	},
	getSpeech: {
		node: MediaGenSpeech,
		parameters: { operation: 'get', speechId: 'speech_1' },
		line: 'GET /speech/speech_1',
		answer: { id: 'speech_1', object: 'speech_generation', status: 'queued' },
	},
	getJob: {
		node: MediaGenJob,
		parameters: { operation: 'get', jobId: 'job_1' },
		line: 'GET /jobs/job_1',
		answer: { id: 'job_1', object: 'generation', status: 'queued' },
	},
	createAgentRun: {
		node: MediaGenAgentRun,
		parameters: {
			operation: 'create',
			brief: 'A spot for a bakery',
			additionalFields: { priority: 'cost' },
			options: noWait,
		},
		line: 'POST /agents/runs',
		body: { brief: 'A spot for a bakery', auto_approve: false, priority: 'cost' },
		answer: { id: 'run_1', object: 'agent_run', status: 'plan_proposed' },
	},
	listAgentRuns: {
		node: MediaGenAgentRun,
		parameters: { operation: 'getAll', simplify: false },
		line: 'GET /agents/runs',
		answer: list({ id: 'run_1' }),
		output: { id: 'run_1' },
	},
	getAgentRun: {
		node: MediaGenAgentRun,
		parameters: { operation: 'get', agentRunId: id('run_1') },
		line: 'GET /agents/runs/run_1',
		answer: { id: 'run_1', object: 'agent_run', status: 'running' },
	},
	approveAgentRun: {
		node: MediaGenAgentRun,
		parameters: {
			operation: 'approve',
			agentRunId: id('run_1'),
			maxCredits: 40,
			plan: '{"title": "Edited"}',
			options: noWait,
		},
		line: 'POST /agents/runs/run_1/approve',
		body: { max_credits: 40, plan: { title: 'Edited' } },
		// The estimate of its plan.
		besides: () => service().get('/agents/runs/run_1').reply(200, { id: 'run_1' }),
		answer: { id: 'run_1', object: 'agent_run', status: 'queued' },
	},
	reviewAgentRun: {
		node: MediaGenAgentRun,
		parameters: {
			operation: 'review',
			agentRunId: id('run_1'),
			decision: 'assets_only',
			options: noWait,
		},
		line: 'POST /agents/runs/run_1/review',
		body: { decision: 'assets_only' },
		answer: { id: 'run_1', object: 'agent_run', status: 'completed' },
	},
	createVoice: {
		node: MediaGenVoice,
		parameters: {
			resource: 'customVoice',
			operation: 'design',
			name: 'Narrator',
			description: 'Calm',
		},
		line: 'POST /voices',
		body: { kind: 'design', name: 'Narrator', description: 'Calm' },
		answer: { id: 'voice_1', object: 'voice' },
	},
	listVoices: {
		node: MediaGenVoice,
		parameters: { resource: 'customVoice', operation: 'getAll' },
		line: 'GET /voices',
		answer: list({ id: 'voice_1' }),
		output: { id: 'voice_1' },
	},
	listPresetVoices: {
		node: MediaGenVoice,
		parameters: {
			resource: 'presetVoice',
			operation: 'getAll',
			model: 'vendor/partner/speech-2.8-turbo',
			filters: { language: 'pt-BR', search: 'Ávila & Söhne' },
			simplify: false,
		},
		line: 'GET /voices/catalog?model=vendor%2Fpartner%2Fspeech-2.8-turbo&language=pt-BR&search=%C3%81vila%20%26%20S%C3%B6hne',
		answer: list({ id: 'ava' }),
		output: { id: 'ava' },
	},
	getVoice: {
		node: MediaGenVoice,
		parameters: { resource: 'customVoice', operation: 'get', voiceId: id('voice_1') },
		line: 'GET /voices/voice_1',
		answer: { id: 'voice_1' },
	},
	renameVoice: {
		node: MediaGenVoice,
		parameters: {
			resource: 'customVoice',
			operation: 'rename',
			voiceId: id('voice_1'),
			name: 'Yours',
		},
		line: 'PATCH /voices/voice_1',
		body: { name: 'Yours' },
		answer: { id: 'voice_1', name: 'Yours' },
	},
	deleteVoice: {
		node: MediaGenVoice,
		parameters: { resource: 'customVoice', operation: 'delete', voiceId: id('voice_1') },
		line: 'DELETE /voices/voice_1',
		answer: {},
		output: { id: 'voice_1', deleted: true },
	},
	createPersona: {
		node: MediaGenPersona,
		parameters: {
			operation: 'createFromDescription',
			name: 'Mara',
			description: 'Silver braid',
			options: noWait,
		},
		line: 'POST /personas',
		body: { source: 'describe', name: 'Mara', description: 'Silver braid', shared: true },
		answer: { id: 'persona_1', object: 'persona', status: 'pending' },
		status: 202,
	},
	listPersonas: {
		node: MediaGenPersona,
		parameters: { operation: 'getAll' },
		line: 'GET /personas',
		answer: list({ id: 'persona_1' }),
		output: { id: 'persona_1' },
	},
	getPersona: {
		node: MediaGenPersona,
		parameters: { operation: 'get', personaId: id('persona_1') },
		line: 'GET /personas/persona_1',
		answer: { id: 'persona_1', status: 'ready' },
	},
	updatePersona: {
		node: MediaGenPersona,
		parameters: {
			operation: 'update',
			personaId: id('persona_1'),
			updateFields: { shared: false },
		},
		line: 'PATCH /personas/persona_1',
		body: { shared: false },
		answer: { id: 'persona_1', shared: false },
	},
	deletePersona: {
		node: MediaGenPersona,
		parameters: { operation: 'delete', personaId: id('persona_1') },
		line: 'DELETE /personas/persona_1',
		answer: {},
		output: { id: 'persona_1', deleted: true },
	},
	getCredits: {
		node: MediaGenWorkspace,
		parameters: { operation: 'getCredits' },
		line: 'GET /credits',
		answer: { balance: 7 },
	},
	getUsage: {
		node: MediaGenWorkspace,
		parameters: { operation: 'getUsage', since: '2026-01-31T00:00:00.000Z' },
		line: 'GET /usage?since=2026-01-31T00%3A00%3A00.000Z',
		answer: { image: 3 },
	},
	createWebhook: {
		node: MediaGenWebhook,
		parameters: {
			resource: 'webhook',
			operation: 'create',
			url: WEBHOOK.url,
			events: WEBHOOK.events,
		},
		line: 'POST /webhooks',
		body: { url: WEBHOOK.url, events: WEBHOOK.events },
		answer: { ...WEBHOOK, secret: 'whsec_canary' },
		output: WEBHOOK,
	},
	listWebhooks: {
		node: MediaGenWebhook,
		parameters: { resource: 'webhook', operation: 'getAll' },
		line: 'GET /webhooks',
		answer: list(WEBHOOK),
		output: WEBHOOK,
	},
	getWebhook: {
		node: MediaGenWebhook,
		parameters: { resource: 'webhook', operation: 'get', webhookId: id('wh_1') },
		line: 'GET /webhooks/wh_1',
		answer: WEBHOOK,
	},
	updateWebhook: {
		node: MediaGenWebhook,
		parameters: {
			resource: 'webhook',
			operation: 'update',
			webhookId: id('wh_1'),
			updateFields: { description: '' },
		},
		line: 'PATCH /webhooks/wh_1',
		body: { description: '' },
		answer: WEBHOOK,
	},
	deleteWebhook: {
		node: MediaGenWebhook,
		parameters: { resource: 'webhook', operation: 'delete', webhookId: id('wh_1') },
		line: 'DELETE /webhooks/wh_1',
		answer: {},
		output: { id: 'wh_1', deleted: true },
	},
	listDeliveries: {
		node: MediaGenWebhook,
		parameters: { resource: 'delivery', operation: 'getAll', webhookId: id('wh_1') },
		line: 'GET /webhooks/wh_1/deliveries',
		answer: list({ id: 'delivery_1' }),
		output: { id: 'delivery_1' },
	},
};

const FILE = {
	data: Buffer.from('Some text').toString('base64'),
	mimeType: 'text/plain',
	fileName: 'cat.txt',
};

/** What Node and n8n's HTTP client add to every request. */
const ADDED = {
	'accept-encoding': 'gzip, compress, deflate, br',
	connection: 'close',
	host: 'api.example',
	'user-agent': 'n8n',
};

describe.each(endpointNames)('%s', (name) => {
	const row = ROWS[name];
	const { method, path, success } = ENDPOINTS[name];

	test('has a row here, whose request is that of the contract', () => {
		const [asked, target = ''] = (row?.line ?? 'no row').split(' ');
		expect(asked).toBe(method);
		const pattern = path.split('{id}').map((part) => part.replaceAll('/', '\\/'));
		expect(target.split('?')[0]).toMatch(new RegExp(`^${pattern.join('[^/]+')}$`));
	});

	test('goes out with this method, path, query, headers and body, and nothing else does', async () => {
		const [, target = ''] = row.line.split(' ');
		const status = row.status ?? success?.[0] ?? 200;
		service().intercept(target, method).reply(status, row.answer);
		row.besides?.();
		const items = [{ json: {}, binary: { data: FILE } }];
		const output = await runNode(row.node, row.parameters, { items });
		expect(output.map(({ json }) => json)).toEqual([
			expect.objectContaining(row.output ?? row.answer),
		]);

		const line = `${method} ${BASE_URL}${target}`;
		const requests = sent().filter((one) => `${one.method} ${one.url}` === line);
		expect(requests).toHaveLength(1);
		const [request] = requests;
		const { 'idempotency-key': key, ...headers } = request?.headers ?? {};
		const ofBody = row.body && {
			'content-type': 'application/json',
			'content-length': String(Buffer.byteLength(request?.body ?? '')),
		};
		expect(headers).toEqual({
			...ADDED,
			accept: 'application/json',
			authorization: `Bearer ${keyOfThisTest()}`,
			...ofBody,
		});
		if (row.body) expect(JSON.parse(request?.body ?? '')).toEqual(row.body);
		else expect(request?.body).toBe('');
		if (takesKey(name)) expect(key).toMatch(/^[\x21-\x7e]{16,255}$/);
		else expect(key).toBeUndefined();
	});
});

const costsCredits = endpointNames.filter((name) =>
	ENDPOINTS[name].extra.some((one) => one === 402),
);

test.each(costsCredits)('%s without enough credits is sent once, and says so', async (name) => {
	const { node, parameters, line, besides } = ROWS[name];
	const [method = '', target = ''] = line.split(' ');
	service().intercept(target, method).reply(402, errorBody('Too few credits'));
	besides?.();
	const failed = runNode(node, parameters);
	await expect(failed).rejects.toMatchObject({ httpCode: '402' });
	await expect(failed).rejects.toThrow(/credits/i);
	expect(sent().filter((request) => request.method === method)).toHaveLength(1);
});

test('each endpoint of the contract has one row', () => {
	expect(Object.keys(ROWS)).toEqual(endpointNames);
});
