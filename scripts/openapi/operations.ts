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
import * as example from './examples';
import * as wire from './responses';

const models = wire.listOf(wire.modelSchema);
const generations = wire.listOf(wire.generationSchema);
const agentRuns = wire.listOf(wire.agentRunSchema);
const voices = wire.listOf(wire.voiceSchema);
const personas = wire.listOf(wire.personaSchema);
const webhooks = wire.listOf(wire.webhookSchema);
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

/** Groups of operations by how their paths begin, in the order of the endpoint table. */
export const TAGS: Record<string, { name: string; description: string }> = {
	models: { name: 'Models', description: 'What can be generated with' },
	files: { name: 'Files', description: 'Media of your own, as input of other operations' },
	generations: { name: 'Generations', description: 'Images, videos and audio' },
	speech: { name: 'Speech', description: 'Up to 50 blocks of speech in one audio file' },
	jobs: { name: 'Jobs', description: 'Whatever is made asynchronously, by its id' },
	agents: {
		name: 'Agent Runs',
		description: 'Productions of several steps: plan, approval, execution, review',
	},
	voices: { name: 'Voices', description: 'Custom voices and the catalogue of preset ones' },
	personas: { name: 'Personas', description: 'Visual identities that can be used again' },
	credits: { name: 'Workspace', description: 'Credits and usage' },
	usage: { name: 'Workspace', description: 'Credits and usage' },
	webhooks: { name: 'Webhooks', description: 'Where events are sent to' },
	events: { name: 'Events', description: 'What the service sends to a webhook' },
};

/** What an operation takes and answers, and an example of both. */
interface Described {
	description: string;
	body?: z.ZodType;
	sent?: object;
	query?: z.ZodObject;
	answer: z.ZodType;
	example: object;
}

const get = (description: string, answer: z.ZodType, example: object, query?: z.ZodObject) => ({
	...{ description, answer, example, query },
});

const list = (
	description: string,
	answer: z.ZodType,
	entry: object,
	query: z.ZodObject = listQuery,
) => get(description, answer, example.listOf(entry), query);

const send = (
	description: string,
	[body, sent]: [z.ZodType, object],
	answer: z.ZodType,
	example: object,
) => ({ description, body, sent, answer, example });

const remove = ({ id, object }: { id: string; object: string }) =>
	get('The body of the answer is not specified.', open, { id, object, deleted: true });

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

const UNSHOWN = 'The fields are not specified; the example shows those of the sandbox.';

const { generation, speech, plan, agentRun, voice, presetVoice, persona, webhook } = example;

/**
 * What each operation of the endpoint table takes and answers: the same schemas that the routes
 * use. Specification: Endpoints; Operation details.
 */
export const OPERATIONS: Record<EndpointName, Described> = {
	listModels: list(
		'Models with their capabilities and defaults. Audio speech models include their preset voices.',
		models,
		example.model,
		listModelsQuery,
	),
	createFile: send(
		'Send the file by PUT to `upload_url` with exactly the headers of `upload_headers`, then pass `url` as media input.',
		[createFileSchema, { filename: 'cat.png', content_type: 'image/png', size: 48_213 }],
		wire.fileSchema,
		example.upload,
	),
	createGeneration: send(
		'The quoted credits are reserved before the generation is queued. Poll it or wait for its event.',
		[createGenerationSchema, example.newGeneration],
		wire.generationSchema,
		example.queuedGeneration,
	),
	listGenerations: list('A page of the generations of the workspace.', generations, generation),
	getGeneration: get(
		`${ENDS} Reading it again yields fresh signed links.`,
		wire.generationSchema,
		generation,
	),
	createSpeech: send(
		'Renders the blocks into one audio file. `estimated_credits` is the most that is reserved; what is not used is returned.',
		[createSpeechSchema, example.newSpeech],
		wire.speechSchema,
		{ ...speech, status: 'queued', duration_seconds: null, output: null },
	),
	getSpeech: get('The states are `queued`, `completed` and `failed`.', wire.speechSchema, speech),
	getJob: get('Whichever resource the id names; `object` says which.', job, generation),
	createAgentRun: send(
		'201: a plan is proposed, which costs 1 credit. 202: it was approved at once. An approval that could not be applied is explained by `auto_approval_error`.',
		[createAgentRunSchema, { brief: 'A spot for a bakery', priority: 'balanced', max_credits: 50 }],
		wire.agentRunSchema,
		agentRun,
	),
	listAgentRuns: list('The agent runs of the workspace.', agentRuns, agentRun),
	getAgentRun: get('The plan, its state and what it has spent.', wire.agentRunSchema, agentRun),
	approveAgentRun: send(
		'Executes the plan, or the edited one that is sent, with at most `max_credits`. The media steps reserve their maximum budget.',
		[approveAgentRunSchema, { max_credits: 50, plan }],
		wire.agentRunSchema,
		{ ...agentRun, status: 'queued', max_credits: 50, reserved_credits: 4 },
	),
	reviewAgentRun: send(
		'Assembles the production, or keeps the assets only.',
		[reviewAgentRunSchema, { decision: 'assemble' }],
		wire.agentRunSchema,
		{ ...agentRun, status: 'completed', max_credits: 50, spent_credits: 5 },
	),
	createVoice: send(
		'Charged are the voice and the synthesis of its preview. It may take long: allow a generous timeout and repeat uncertain requests with the same idempotency key.',
		[
			createVoiceSchema,
			{ kind: 'design', name: voice.name, description: 'Low and a little hoarse' },
		],
		wire.voiceSchema,
		voice,
	),
	listVoices: list('Only voices that the workspace owns.', voices, voice),
	listPresetVoices: get(
		'The whole catalogue of a speech model, without pages.',
		wire.voiceCatalogSchema,
		{ object: 'list', model: 'service/speech-lite', data: [presetVoice] },
		voiceCatalogQuery,
	),
	getVoice: get('A voice that the workspace owns.', wire.voiceSchema, voice),
	renameVoice: send(
		'Changes the name and nothing else.',
		[renameVoiceSchema, { name: 'Old narrator' }],
		wire.voiceSchema,
		{ ...voice, name: 'Old narrator' },
	),
	deleteVoice: remove(voice),
	createPersona: send(
		'201: made from images, ready at once. 202: made from a description, pending until its portrait is generated, which costs credits.',
		[createPersonaSchema, example.newPersona],
		wire.personaSchema,
		persona,
	),
	listPersonas: list('The personas of the workspace.', personas, persona),
	getPersona: get('The states are `pending`, `ready` and `failed`.', wire.personaSchema, persona),
	updatePersona: send(
		'Changes its name, or whether it is shared.',
		[updatePersonaSchema, { name: 'Nia', shared: false }],
		wire.personaSchema,
		{ ...persona, name: 'Nia' },
	),
	deletePersona: remove(persona),
	getCredits: get(UNSHOWN, open, example.credits),
	getUsage: get(UNSHOWN, open, example.usage, usageQuery),
	createWebhook: send(
		'The answer has the signing secret, which is revealed only now. The name of its field is not specified.',
		[createWebhookSchema, example.newWebhook],
		wire.webhookSchema,
		example.createdWebhook,
	),
	listWebhooks: list('The webhooks of the workspace.', webhooks, webhook),
	getWebhook: get(
		'Its address and its events, without the signing secret.',
		wire.webhookSchema,
		webhook,
	),
	updateWebhook: send(
		'Request and answer are not specified; the sandbox takes any field of a new one.',
		[updateWebhookSchema, { url: webhook.url }],
		wire.webhookSchema,
		webhook,
	),
	deleteWebhook: remove(webhook),
	listDeliveries: list(UNSHOWN, wire.listOf(open), example.delivery),
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
