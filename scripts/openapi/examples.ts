/* eslint-disable @n8n/community-nodes/no-hardcoded-secrets -- not published */
/** Requests and answers as a reader of the document sees them; the linters hold them to the schemas. */

export const listOf = (...data: object[]) => ({
	object: 'list',
	data,
	has_more: false,
	next_cursor: null,
});

const files = 'https://media.example.com';

const job = {
	id: 'gen_123195b9e35fbe8a39ac8caa',
	object: 'generation',
	status: 'completed',
	mode: 'image',
	model: 'studio/image-1',
};

export const generation = {
	...job,
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

export const queuedGeneration = { ...job, estimated_credits: 2, status: 'queued' };

export const speech = {
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

export const plan = {
	title: 'A spot for a bakery',
	steps: [{ id: 'step_1', kind: 'image', prompt: 'A loaf on a table', estimated_credits: 4 }],
};

export const agentRun = {
	id: 'run_f6404e8abc9827c22af87ede',
	object: 'agent_run',
	status: 'plan_proposed',
	plan,
	estimated_credits: 4,
	reserved_credits: 0,
	spent_credits: 1,
	outputs: [],
};

export const voice = {
	id: 'voc_b567dd0c3d88dab4ec4907f1',
	object: 'voice',
	name: 'Calm narrator',
	kind: 'design',
	preview_url: `${files}/out_2696d2723520bf032efdeb18.wav`,
};

export const presetVoice = {
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

export const persona = {
	id: 'be62526b-99d4-40b7-bcc0-16acdb1a4457',
	object: 'persona',
	name: 'Mara',
	status: 'ready',
	preview_url: null,
	reference_images: [`${files}/mara.png`],
};

export const newWebhook = {
	url: 'https://example.com/hook',
	description: 'For the site',
	events: ['generation.completed', 'generation.failed'],
};

export const webhook = { id: 'wh_57548f8482f2bdad01df8023', object: 'webhook', ...newWebhook };

export const createdWebhook = { ...webhook, secret: 'whsec_853fa7b4749127559272' };

export const newGeneration = {
	mode: 'image',
	model: 'studio/image-1',
	prompt: 'A lighthouse at dusk, oil on canvas',
	parameters: { count: 1, aspect_ratio: '16:9' },
};

export const newSpeech = {
	model: 'service/speech-lite',
	blocks: [
		{ text: 'Good evening, and welcome back.', voice: 'en-US-Marin' },
		{ text: 'Tonight we talk about bread.' },
	],
};

export const newPersona = {
	source: 'upload',
	name: 'Mara',
	reference_images: [`${files}/mara.png`],
};

export const model = {
	id: 'service/speech-lite',
	label: 'Speech Lite',
	mode: 'audio',
	capabilities: { voices: [presetVoice] },
};

export const upload = {
	upload_url: `${files}/uploads/file_33974a6bc8063cd4d4ebe67b`,
	upload_headers: { 'content-type': 'image/png' },
	url: `${files}/files/file_33974a6bc8063cd4d4ebe67b/cat.png`,
};

export const credits = { object: 'credits', balance: 9966, available: 9961, reserved: 5 };

export const usage = {
	object: 'usage',
	data: [{ mode: 'image', jobs: 1, outputs: 1, credits: 2 }],
};

export const delivery = {
	id: 'dlv_1',
	event: 'generation.completed',
	attempt: 1,
	state: 'succeeded',
};
