import { z } from 'zod/v4';

import type { EndpointName, EventKind } from '../../src/contract';
import {
	approveAgentRunSchema,
	createAgentRunSchema,
	createFileSchema,
	createGenerationSchema,
	createPersonaSchema,
	createSpeechSchema,
	createVoiceSchema,
	createWebhookSchema,
	listModelsQuery,
	listQuery,
	renameVoiceSchema,
	reviewAgentRunSchema,
	updatePersonaSchema,
	updateWebhookSchema,
	usageQuery,
	voiceCatalogQuery,
} from '../../src/sandbox/schemas';
import * as wire from './responses';

const models = wire.listOf(wire.modelSchema);
const generations = wire.listOf(wire.generationSchema);
const agentRuns = wire.listOf(wire.agentRunSchema);
const voices = wire.listOf(wire.voiceSchema);
const personas = wire.listOf(wire.personaSchema);
const webhooks = wire.listOf(wire.webhookSchema);
const deliveries = wire.listOf(wire.openObjectSchema);
const open = wire.openObjectSchema;

/** The shape of an event is not shown. */
const event = z.looseObject({});

/** Schemas that have a name of their own in the document. */
export const COMPONENTS: Record<string, z.ZodType> = {
	Error: wire.errorSchema,
	Event: event,
	PresetVoice: wire.presetVoiceSchema,
	Model: wire.modelSchema,
	CreateFile: createFileSchema,
	FileUpload: wire.fileSchema,
	CreateGeneration: createGenerationSchema,
	Generation: wire.generationSchema,
	CreateSpeechGeneration: createSpeechSchema,
	SpeechGeneration: wire.speechSchema,
	CreateAgentRun: createAgentRunSchema,
	ApproveAgentRun: approveAgentRunSchema,
	ReviewAgentRun: reviewAgentRunSchema,
	AgentRun: wire.agentRunSchema,
	CreateVoice: createVoiceSchema,
	RenameVoice: renameVoiceSchema,
	Voice: wire.voiceSchema,
	VoiceCatalog: wire.voiceCatalogSchema,
	CreatePersona: createPersonaSchema,
	UpdatePersona: updatePersonaSchema,
	Persona: wire.personaSchema,
	CreateWebhook: createWebhookSchema,
	UpdateWebhook: updateWebhookSchema,
	Webhook: wire.webhookSchema,
	ModelList: models,
	GenerationList: generations,
	AgentRunList: agentRuns,
	VoiceList: voices,
	PersonaList: personas,
	WebhookList: webhooks,
};

/** Components of which the specification says that they have further fields, but not which. */
export const OPEN: readonly string[] = ['FileUpload', 'Model', 'Webhook'];

/** Groups of operations, in the order of the endpoint table. */
export const TAGS = {
	Models: 'What can be generated with',
	Files: 'Media of your own, as input of other operations',
	Generations: 'Images, videos and audio',
	Speech: 'Up to 50 blocks of speech in one audio file',
	Jobs: 'Whatever is made asynchronously, by its id',
	'Agent Runs': 'Productions of several steps: plan, approval, execution, review',
	Voices: 'Custom voices and the catalogue of preset ones',
	Personas: 'Visual identities that can be used again',
	Workspace: 'Credits and usage',
	Webhooks: 'Where events are sent to',
	Events: 'What the service sends to a webhook',
} as const;

interface Described {
	tag: keyof typeof TAGS;
	summary: string;
	description: string;
	body?: z.ZodType;
	query?: z.ZodObject;
	answer: z.ZodType;
}

const job = z.union([
	wire.generationSchema,
	wire.speechSchema,
	wire.agentRunSchema,
	wire.personaSchema,
]);

/** What the fields of queries and paths mean. */
export const PARAMETERS: Record<string, string> = {
	id: 'The id of the resource',
	mode: 'Only models of this mode',
	limit: 'How many to return at most, 20 by default',
	cursor: '`next_cursor` of the page before',
	model: 'The speech model that the voices belong to, `service/speech-lite` by default',
	language: 'A locale or base language in any case',
	gender: 'Only voices of this gender',
	search: 'A part of the id or the name, in any case',
	since: 'Only what was used from this time on',
};

const ENDS = 'The states are `queued`, `completed`, `partially_completed` and `failed`.';

/**
 * What each operation of the endpoint table takes and answers: the same schemas that the routes
 * use. Specification: Endpoints; Operation details.
 */
export const OPERATIONS: Record<EndpointName, Described> = {
	listModels: {
		tag: 'Models',
		summary: 'List models',
		description:
			'Models with their capabilities and defaults. Audio speech models include their preset voices.',
		query: listModelsQuery,
		answer: models,
	},
	createFile: {
		tag: 'Files',
		summary: 'Create a presigned upload',
		description:
			'Send the file by PUT to `upload_url` with exactly the headers of `upload_headers`, then pass `url` as media input.',
		body: createFileSchema,
		answer: wire.fileSchema,
	},
	createGeneration: {
		tag: 'Generations',
		summary: 'Create an image, a video or audio',
		description:
			'The quoted credits are reserved before the generation is queued. Poll it or wait for its event.',
		body: createGenerationSchema,
		answer: wire.generationSchema,
	},
	listGenerations: {
		tag: 'Generations',
		summary: 'List API generations',
		description: 'A page of the generations of the workspace.',
		query: listQuery,
		answer: generations,
	},
	getGeneration: {
		tag: 'Generations',
		summary: 'Get a generation',
		description: `${ENDS} Reading it again yields fresh signed links.`,
		answer: wire.generationSchema,
	},
	createSpeech: {
		tag: 'Speech',
		summary: 'Create multi-block speech',
		description:
			'Renders the blocks into one audio file. `estimated_credits` is the most that is reserved; what is not used is returned.',
		body: createSpeechSchema,
		answer: wire.speechSchema,
	},
	getSpeech: {
		tag: 'Speech',
		summary: 'Get a speech generation',
		description: 'The states are `queued`, `completed` and `failed`.',
		answer: wire.speechSchema,
	},
	getJob: {
		tag: 'Jobs',
		summary: 'Poll any asynchronous job',
		description: 'Whichever resource the id names; `object` says which.',
		answer: job,
	},
	createAgentRun: {
		tag: 'Agent Runs',
		summary: 'Create an agent plan',
		description:
			'201: a plan is proposed, which costs 1 credit. 202: it was approved at once. An approval that could not be applied is explained by `auto_approval_error`.',
		body: createAgentRunSchema,
		answer: wire.agentRunSchema,
	},
	listAgentRuns: {
		tag: 'Agent Runs',
		summary: 'List agent runs',
		description: 'The agent runs of the workspace.',
		query: listQuery,
		answer: agentRuns,
	},
	getAgentRun: {
		tag: 'Agent Runs',
		summary: 'Get an agent run',
		description: 'The plan, its state and what it has spent.',
		answer: wire.agentRunSchema,
	},
	approveAgentRun: {
		tag: 'Agent Runs',
		summary: 'Approve a plan',
		description:
			'Executes the plan, or the edited one that is sent, with at most `max_credits`. The media steps reserve their maximum budget.',
		body: approveAgentRunSchema,
		answer: wire.agentRunSchema,
	},
	reviewAgentRun: {
		tag: 'Agent Runs',
		summary: 'Complete the review gate',
		description: 'Assembles the production, or keeps the assets only.',
		body: reviewAgentRunSchema,
		answer: wire.agentRunSchema,
	},
	createVoice: {
		tag: 'Voices',
		summary: 'Clone or design a voice',
		description:
			'Charged are the voice and the synthesis of its preview. It may take long: allow a generous timeout and repeat uncertain requests with the same idempotency key.',
		body: createVoiceSchema,
		answer: wire.voiceSchema,
	},
	listVoices: {
		tag: 'Voices',
		summary: 'List custom voices',
		description: 'Only voices that the workspace owns.',
		query: listQuery,
		answer: voices,
	},
	listPresetVoices: {
		tag: 'Voices',
		summary: 'List preset voices',
		description: 'The whole catalogue of a speech model, without pages.',
		query: voiceCatalogQuery,
		answer: wire.voiceCatalogSchema,
	},
	getVoice: {
		tag: 'Voices',
		summary: 'Get a custom voice',
		description: 'A voice that the workspace owns.',
		answer: wire.voiceSchema,
	},
	renameVoice: {
		tag: 'Voices',
		summary: 'Rename a custom voice',
		description: 'Changes the name and nothing else.',
		body: renameVoiceSchema,
		answer: wire.voiceSchema,
	},
	deleteVoice: {
		tag: 'Voices',
		summary: 'Delete a custom voice',
		description: 'The body of the answer is not specified.',
		answer: open,
	},
	createPersona: {
		tag: 'Personas',
		summary: 'Create a persona',
		description:
			'201: made from images, ready at once. 202: made from a description, pending until its portrait is generated, which costs credits.',
		body: createPersonaSchema,
		answer: wire.personaSchema,
	},
	listPersonas: {
		tag: 'Personas',
		summary: 'List personas',
		description: 'The personas of the workspace.',
		query: listQuery,
		answer: personas,
	},
	getPersona: {
		tag: 'Personas',
		summary: 'Get a persona',
		description: 'The states are `pending`, `ready` and `failed`.',
		answer: wire.personaSchema,
	},
	updatePersona: {
		tag: 'Personas',
		summary: 'Update a persona',
		description: 'Changes its name, or whether it is shared.',
		body: updatePersonaSchema,
		answer: wire.personaSchema,
	},
	deletePersona: {
		tag: 'Personas',
		summary: 'Delete a persona',
		description: 'The body of the answer is not specified.',
		answer: open,
	},
	getCredits: {
		tag: 'Workspace',
		summary: 'Get the credits of the workspace',
		description: 'The fields are not specified; the example shows those of the sandbox.',
		answer: open,
	},
	getUsage: {
		tag: 'Workspace',
		summary: 'Get usage by mode',
		description: 'The fields are not specified; the example shows those of the sandbox.',
		query: usageQuery,
		answer: open,
	},
	createWebhook: {
		tag: 'Webhooks',
		summary: 'Create a webhook',
		description:
			'The answer has the signing secret, which is revealed only now. The name of its field is not specified.',
		body: createWebhookSchema,
		answer: wire.webhookSchema,
	},
	listWebhooks: {
		tag: 'Webhooks',
		summary: 'List webhooks',
		description: 'The webhooks of the workspace.',
		query: listQuery,
		answer: webhooks,
	},
	getWebhook: {
		tag: 'Webhooks',
		summary: 'Get a webhook',
		description: 'Its address and its events, without the signing secret.',
		answer: wire.webhookSchema,
	},
	updateWebhook: {
		tag: 'Webhooks',
		summary: 'Update a webhook',
		description: 'Request and answer are not specified; the sandbox takes any field of a new one.',
		body: updateWebhookSchema,
		answer: wire.webhookSchema,
	},
	deleteWebhook: {
		tag: 'Webhooks',
		summary: 'Delete a webhook',
		description: 'The body of the answer is not specified.',
		answer: open,
	},
	listDeliveries: {
		tag: 'Webhooks',
		summary: 'List delivery attempts',
		description: 'The fields are not specified; the example shows those of the sandbox.',
		query: listQuery,
		answer: deliveries,
	},
};

/** When an event is sent. Specification: Events. */
export const EVENT_MEANINGS: Record<EventKind, string> = {
	'generation.completed': 'A generation completes',
	'generation.failed': 'A generation fails',
	'agent.review_required': 'An agent run reaches the review gate',
	'agent.completed': 'An agent run completes',
	'agent.failed': 'An agent run fails',
	'voice.created': 'A custom voice is created',
	'persona.ready': 'A described persona becomes ready',
	'persona.failed': 'A described persona fails',
};
