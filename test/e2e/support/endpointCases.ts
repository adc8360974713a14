import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { EVENTS, INPUT_SLOTS, type EndpointName } from '../../../src/contract';
import type { InputItem } from '../../../lab/n8n/runNode';
import { byId, call, make, until } from './fixtures';

/** A run of a node, and the one request of the contract that it must make of it. */
export interface EndpointCase {
	endpoint: EndpointName;
	node: string;
	parameters: IDataObject;
	/** The value of `{id}` in the path. */
	id?: string;
	query?: Record<string, string>;
	body?: unknown;
	items?: InputItem[];
	/** What else this run is about. */
	variant?: string;
}

const url = (name: string) => `https://example.com/${name}`;
const done = { waitForCompletion: false };
const slots = INPUT_SLOTS.map((slot) => [slot, url(slot)] as const);
const speechModel = 'vendor/partner/speech-2.8-turbo';
const voice = 'en-US-MarinTurbo';

const parameters = {
	count: 2,
	size: '640x384',
	aspect_ratio: '16:9',
	quality: 'high',
	duration: '4',
	resolution: '480p',
	speed: '1.2',
	loop: true,
};

const ofAudio = { voice: 'en-US-AvaLite', lyrics: 'We set out', language_boost: 'English' };

const settings = {
	volume: 2,
	speed: 1.5,
	loudness_normalization: false,
	text_normalization: true,
	tag_compatible: false,
};

function generations(ids: { generation: string; persona: string }): EndpointCase[] {
	const node = 'mediaGen';
	return [
		{
			endpoint: 'createGeneration',
			variant: 'audio',
			node,
			parameters: {
				operation: 'generateAudio',
				model: byId('service/speech-lite'),
				...done,
				prompt: 'A boat',
				parameters: ofAudio,
			},
			body: {
				mode: 'audio',
				model: 'service/speech-lite',
				prompt: 'A boat',
				parameters: ofAudio,
			},
		},
		{
			endpoint: 'createGeneration',
			variant: 'video',
			node,
			parameters: {
				operation: 'generateVideo',
				model: byId('studio/video-1'),
				...done,
				prompt: 'A boat',
				options: { personaId: byId(ids.persona), delivery: 'signed_url' },
				input: Object.fromEntries(slots),
				parameters,
			},
			body: {
				mode: 'video',
				model: 'studio/video-1',
				prompt: 'A boat',
				persona_id: ids.persona,
				input: Object.fromEntries(slots.map(([slot, address]) => [slot, [address]])),
				parameters,
				delivery: 'signed_url',
			},
		},
		{
			endpoint: 'listGenerations',
			node,
			parameters: { operation: 'getAll', limit: 7 },
			query: { limit: '7' },
		},
		{
			endpoint: 'getGeneration',
			node,
			parameters: { operation: 'get', generationId: byId(ids.generation) },
			id: ids.generation,
		},
	];
}

function speech(ids: { speech: string }): EndpointCase[] {
	const node = 'mediaGenSpeech';
	const own = { operation: 'create', model: byId(speechModel), ...done };
	return [
		{
			endpoint: 'createSpeech',
			variant: 'form',
			node,
			parameters: {
				...own,
				settings,
				options: { delivery: 'signed_url' },
				blocksFrom: 'fields',
				blocks: {
					block: [
						{ text: 'Good morning', voice: { __rl: true, mode: 'list', value: voice } },
						{ text: '={{ "Good" }} evening', voice: { __rl: true, mode: 'list', value: '' } },
					],
				},
			},
			body: {
				model: speechModel,
				blocks: [{ text: 'Good morning', voice }, { text: 'Good evening' }],
				settings,
				delivery: 'signed_url',
			},
		},
		{
			endpoint: 'createSpeech',
			variant: 'JSON of all incoming items',
			node,
			items: [{ json: { text: 'One', other: 1 } }],
			parameters: {
				...own,
				blocksFrom: 'json',
				blocksJson: '={{ $input.all().map((item) => item.json ?? item) }}',
			},
			body: { model: speechModel, blocks: [{ text: 'One' }] },
		},
		{
			endpoint: 'getSpeech',
			node,
			parameters: { operation: 'get', speechId: ids.speech },
			id: ids.speech,
		},
	];
}

function agentRuns(ids: { run: string; proposed: string; ready: string }): EndpointCase[] {
	const node = 'mediaGenAgentRun';
	const plan = {
		title: 'Mine',
		steps: [{ id: 'a', kind: 'image', prompt: 'A loaf', estimated_credits: 1 }],
	};
	return [
		{
			endpoint: 'createAgentRun',
			node,
			parameters: {
				operation: 'create',
				brief: 'A spot',
				autoApprove: false,
				...done,
				additionalFields: {
					directionStrategy: 'multiple',
					maxCredits: 500,
					priority: 'cost',
					sourceImages: `${url('a.png')}\n${url('b.png')}`,
				},
			},
			body: {
				brief: 'A spot',
				auto_approve: false,
				max_credits: 500,
				priority: 'cost',
				direction_strategy: 'multiple',
				source_images: [url('a.png'), url('b.png')],
			},
		},
		{ endpoint: 'listAgentRuns', node, parameters: { operation: 'getAll', returnAll: true } },
		{
			endpoint: 'getAgentRun',
			node,
			parameters: { operation: 'get', agentRunId: byId(ids.run) },
			id: ids.run,
		},
		{
			endpoint: 'approveAgentRun',
			node,
			parameters: {
				operation: 'approve',
				agentRunId: byId(ids.proposed),
				maxCredits: 50,
				...done,
				plan: JSON.stringify(plan),
			},
			id: ids.proposed,
			body: { max_credits: 50, plan },
		},
		{
			endpoint: 'reviewAgentRun',
			node,
			parameters: {
				operation: 'review',
				agentRunId: byId(ids.ready),
				decision: 'assets_only',
				...done,
			},
			id: ids.ready,
			body: { decision: 'assets_only' },
		},
	];
}

function voices(ids: { voice: string; voiceToDelete: string }): EndpointCase[] {
	const node = 'mediaGenVoice';
	const custom = { resource: 'customVoice' };
	const voiceId = byId(ids.voice);
	return [
		{
			endpoint: 'createVoice',
			variant: 'clone',
			node,
			parameters: {
				...custom,
				operation: 'clone',
				name: 'Mine',
				audioUrl: url('voice.mp3'),
				additionalFields: {
					previewText: 'Hello',
					noiseReduction: true,
					volumeNormalization: true,
				},
			},
			body: {
				kind: 'clone',
				name: 'Mine',
				audio_url: url('voice.mp3'),
				preview_text: 'Hello',
				noise_reduction: true,
				volume_normalization: true,
			},
		},
		{
			endpoint: 'createVoice',
			variant: 'design',
			node,
			parameters: {
				...custom,
				operation: 'design',
				name: 'Mine',
				description: 'Calm',
				additionalFields: { previewText: 'Hello' },
			},
			body: { kind: 'design', name: 'Mine', description: 'Calm', preview_text: 'Hello' },
		},
		{ endpoint: 'listVoices', node, parameters: { ...custom, operation: 'getAll' } },
		{
			endpoint: 'listPresetVoices',
			node,
			parameters: {
				resource: 'presetVoice',
				operation: 'getAll',
				model: speechModel,
				filters: { language: 'en', gender: 'female', search: 'a' },
			},
			query: { model: speechModel, language: 'en', gender: 'female', search: 'a' },
		},
		{
			endpoint: 'getVoice',
			node,
			parameters: { ...custom, operation: 'get', voiceId },
			id: ids.voice,
		},
		{
			endpoint: 'renameVoice',
			node,
			parameters: { ...custom, operation: 'rename', voiceId, name: 'Yours' },
			id: ids.voice,
			body: { name: 'Yours' },
		},
		{
			endpoint: 'deleteVoice',
			node,
			parameters: { ...custom, operation: 'delete', voiceId: byId(ids.voiceToDelete) },
			id: ids.voiceToDelete,
		},
	];
}

function personas(ids: { persona: string; personaToDelete: string }): EndpointCase[] {
	const node = 'mediaGenPersona';
	const personaId = byId(ids.persona);
	return [
		{
			endpoint: 'createPersona',
			variant: 'images',
			node,
			parameters: {
				operation: 'createFromImages',
				name: 'Mara',
				shared: false,
				referenceImages: [url('a.png'), url('b.png'), url('c.png')],
			},
			body: {
				source: 'upload',
				name: 'Mara',
				shared: false,
				reference_images: [url('a.png'), url('b.png'), url('c.png')],
			},
		},
		{
			endpoint: 'createPersona',
			variant: 'description',
			node,
			parameters: {
				operation: 'createFromDescription',
				name: 'Mara',
				...done,
				description: 'Silver braid',
			},
			body: { source: 'describe', name: 'Mara', description: 'Silver braid', shared: true },
		},
		{ endpoint: 'listPersonas', node, parameters: { operation: 'getAll', limit: 3 } },
		{ endpoint: 'getPersona', node, parameters: { operation: 'get', personaId }, id: ids.persona },
		{
			endpoint: 'updatePersona',
			node,
			parameters: { operation: 'update', personaId, updateFields: { name: 'Nia', shared: false } },
			id: ids.persona,
			body: { name: 'Nia', shared: false },
		},
		{
			endpoint: 'deletePersona',
			node,
			parameters: { operation: 'delete', personaId: byId(ids.personaToDelete) },
			id: ids.personaToDelete,
		},
	];
}

function webhooks(ids: { webhook: string; webhookToDelete: string }): EndpointCase[] {
	const node = 'mediaGenWebhook';
	const own = { resource: 'webhook' };
	const webhookId = byId(ids.webhook);
	const given = { url: url('hook'), description: 'For the site', events: [...EVENTS] };
	return [
		{
			endpoint: 'createWebhook',
			node,
			parameters: { ...own, operation: 'create', ...given },
			body: given,
		},
		{ endpoint: 'listWebhooks', node, parameters: { ...own, operation: 'getAll' } },
		{
			endpoint: 'getWebhook',
			node,
			parameters: { ...own, operation: 'get', webhookId },
			id: ids.webhook,
		},
		{
			endpoint: 'updateWebhook',
			node,
			parameters: { ...own, operation: 'update', webhookId, updateFields: given },
			id: ids.webhook,
			body: given,
		},
		{
			endpoint: 'deleteWebhook',
			node,
			parameters: { ...own, operation: 'delete', webhookId: byId(ids.webhookToDelete) },
			id: ids.webhookToDelete,
		},
		{
			endpoint: 'listDeliveries',
			node,
			parameters: { resource: 'delivery', operation: 'getAll', webhookId },
			id: ids.webhook,
		},
	];
}

function others(ids: { generation: string }): EndpointCase[] {
	const data = Buffer.from('RIFF not really');
	return [
		{
			endpoint: 'createFile',
			node: 'mediaGenFile',
			items: [{ binary: { data: { data, fileName: 'a.wav', mimeType: 'audio/wav' } } }],
			parameters: { operation: 'upload' },
			body: { filename: 'a.wav', content_type: 'audio/wav', size: data.length },
		},
		{
			endpoint: 'getJob',
			node: 'mediaGenJob',
			parameters: { operation: 'get', jobId: ids.generation },
			id: ids.generation,
		},
		{
			endpoint: 'listModels',
			node: 'mediaGenWorkspace',
			parameters: { operation: 'getModels', mode: 'agent' },
			query: { mode: 'agent' },
		},
		{ endpoint: 'getCredits', node: 'mediaGenWorkspace', parameters: { operation: 'getCredits' } },
		{
			endpoint: 'getUsage',
			node: 'mediaGenWorkspace',
			parameters: { operation: 'getUsage', since: '2026-01-31T12:00:00Z' },
			query: { since: '2026-01-31T12:00:00.000Z' },
		},
	];
}

/** One or more cases for each operation; together they fill in every field of every request. */
export async function endpointCases(): Promise<EndpointCase[]> {
	const ready = await make.agentRun();
	await call('POST', `/agents/runs/${ready}/approve`, { max_credits: 1_000 });
	await until(`/agents/runs/${ready}`, 'awaiting_review');
	const ids = {
		generation: await make.generation(),
		speech: await make.speech(),
		run: await make.agentRun(),
		proposed: await make.agentRun(),
		ready,
		voice: await make.voice(),
		voiceToDelete: await make.voice(),
		persona: await make.persona(),
		personaToDelete: await make.persona(),
		webhook: await make.webhook(),
		webhookToDelete: await make.webhook(),
	};
	return [generations, speech, agentRuns, voices, personas, webhooks, others].flatMap((group) =>
		group(ids),
	);
}

export const parametersOf = ({ parameters: given }: EndpointCase): INodeParameters =>
	given as INodeParameters;
