/* eslint-disable @n8n/community-nodes/no-hardcoded-secrets -- not published */
import type { EndpointName } from '../../src/contract';

/** Requests and answers as a reader of the document sees them; the linters hold them to the schemas. */

const listOf = (...data: object[]) => ({
	object: 'list',
	data,
	has_more: false,
	next_cursor: null,
});

const files = 'https://media.example.com';

const generation = {
	id: 'gen_123195b9e35fbe8a39ac8caa',
	object: 'generation',
	status: 'completed',
	mode: 'image',
	model: 'studio/image-1',
	output_ids: ['out_130a41b27d888235c205f851'],
	outputs: [
		{
			id: 'out_130a41b27d888235c205f851',
			media_type: 'image/png',
			url: `${files}/out_130a41b27d888235c205f851.png`,
		},
	],
	estimated_credits: 2,
};

const queuedGeneration = {
	id: generation.id,
	object: 'generation',
	status: 'queued',
	mode: 'image',
	model: 'studio/image-1',
	estimated_credits: 2,
};

const speech = {
	id: 'spc_efbf915257db4ad5b86d84b5',
	object: 'speech_generation',
	status: 'completed',
	model: 'service/speech-lite',
	line_count: 2,
	character_count: 58,
	estimated_credits: 1,
	duration_seconds: 4.2,
	output: { media_type: 'audio/wav', url: `${files}/out_c37360e9b3e7da6a7850a484.wav` },
};

const plan = {
	title: 'A spot for a bakery',
	steps: [{ id: 'step_1', kind: 'image', prompt: 'A loaf on a table', estimated_credits: 4 }],
};

const agentRun = {
	id: 'run_f6404e8abc9827c22af87ede',
	object: 'agent_run',
	status: 'plan_proposed',
	plan,
	estimated_credits: 4,
	reserved_credits: 0,
	spent_credits: 1,
	outputs: [],
};

const voice = {
	id: 'voc_b567dd0c3d88dab4ec4907f1',
	object: 'voice',
	name: 'Calm narrator',
	kind: 'design',
	preview_url: `${files}/out_2696d2723520bf032efdeb18.wav`,
};

const presetVoice = {
	id: 'en-US-Marin',
	label: 'Marin (English, United States)',
	name: 'Marin',
	gender: 'female',
	language_code: 'en-US',
	language_name: 'English (United States)',
	is_neural: true,
	sample_url: null,
	styles: ['calm'],
};

const persona = {
	id: 'be62526b-99d4-40b7-bcc0-16acdb1a4457',
	object: 'persona',
	name: 'Mara',
	status: 'ready',
	preview_url: null,
	reference_images: [`${files}/mara.png`],
};

const newWebhook = {
	url: 'https://example.com/hook',
	description: 'For the site',
	events: ['generation.completed', 'generation.failed'],
};

const webhook = { id: 'wh_57548f8482f2bdad01df8023', object: 'webhook', ...newWebhook };

const deleted = (resource: { id: string; object: string }) => ({
	id: resource.id,
	object: resource.object,
	deleted: true,
});

const newGeneration = {
	mode: 'image',
	model: 'studio/image-1',
	prompt: 'A lighthouse at dusk, oil on canvas',
	parameters: { count: 1, aspect_ratio: '16:9' },
};

const newSpeech = {
	model: 'service/speech-lite',
	blocks: [
		{ text: 'Good evening, and welcome back.', voice: 'en-US-Marin' },
		{ text: 'Tonight we talk about bread.' },
	],
};

/** By operation: what it answers and, where it has a body, what is sent. */
export const EXAMPLES: Record<EndpointName, { sent?: object; answer: object }> = {
	listModels: {
		answer: listOf({
			id: 'service/speech-lite',
			label: 'Speech Lite',
			mode: 'audio',
			capabilities: { voices: [presetVoice] },
		}),
	},
	createFile: {
		sent: { filename: 'cat.png', content_type: 'image/png', size: 48_213 },
		answer: {
			upload_url: `${files}/uploads/file_33974a6bc8063cd4d4ebe67b`,
			upload_headers: { 'content-type': 'image/png' },
			url: `${files}/files/file_33974a6bc8063cd4d4ebe67b/cat.png`,
		},
	},
	createGeneration: { sent: newGeneration, answer: queuedGeneration },
	listGenerations: { answer: listOf(generation) },
	getGeneration: { answer: generation },
	createSpeech: {
		sent: newSpeech,
		answer: { ...speech, status: 'queued', duration_seconds: null, output: null },
	},
	getSpeech: { answer: speech },
	getJob: { answer: generation },
	createAgentRun: {
		sent: { brief: 'A spot for a bakery', priority: 'balanced', max_credits: 50 },
		answer: agentRun,
	},
	listAgentRuns: { answer: listOf(agentRun) },
	getAgentRun: { answer: agentRun },
	approveAgentRun: {
		sent: { max_credits: 50, plan },
		answer: { ...agentRun, status: 'queued', max_credits: 50, reserved_credits: 4 },
	},
	reviewAgentRun: {
		sent: { decision: 'assemble' },
		answer: { ...agentRun, status: 'completed', max_credits: 50, spent_credits: 5 },
	},
	createVoice: {
		sent: { kind: 'design', name: 'Calm narrator', description: 'Low, calm and a little hoarse' },
		answer: voice,
	},
	listVoices: { answer: listOf(voice) },
	listPresetVoices: {
		answer: { object: 'list', model: 'service/speech-lite', data: [presetVoice] },
	},
	getVoice: { answer: voice },
	renameVoice: { sent: { name: 'Old narrator' }, answer: { ...voice, name: 'Old narrator' } },
	deleteVoice: { answer: deleted(voice) },
	createPersona: {
		sent: {
			source: 'upload',
			name: 'Mara',
			reference_images: [`${files}/mara.png`],
		},
		answer: persona,
	},
	listPersonas: { answer: listOf(persona) },
	getPersona: { answer: persona },
	updatePersona: { sent: { name: 'Nia', shared: false }, answer: { ...persona, name: 'Nia' } },
	deletePersona: { answer: deleted(persona) },
	getCredits: { answer: { object: 'credits', balance: 9966, available: 9961, reserved: 5 } },
	getUsage: {
		answer: { object: 'usage', data: [{ mode: 'image', jobs: 1, outputs: 1, credits: 2 }] },
	},
	createWebhook: { sent: newWebhook, answer: { ...webhook, secret: 'whsec_853fa7b4749127559272' } },
	listWebhooks: { answer: listOf(webhook) },
	getWebhook: { answer: webhook },
	updateWebhook: { sent: { url: newWebhook.url }, answer: webhook },
	deleteWebhook: { answer: deleted(webhook) },
	listDeliveries: {
		answer: listOf({ id: 'dlv_1', event: 'generation.completed', attempt: 1, state: 'succeeded' }),
	},
};

/** What the sandbox sends for an event. */
export const EVENT_RESOURCES = {
	generation,
	agent: agentRun,
	voice,
	persona,
};
