import { z } from 'zod/v4';

import type { EndpointName } from '../../contract';
import { usageQuery } from '../schemas/usage';
import {
	approveAgentRunSchema,
	createAgentRunSchema,
	reviewAgentRunSchema,
} from '../schemas/agentRun';
import { createFileSchema } from '../schemas/file';
import { createGenerationSchema } from '../schemas/generation';
import { listQuery } from '../schemas/list';
import { listModelsQuery } from '../schemas/model';
import { createPersonaSchema, updatePersonaSchema } from '../schemas/persona';
import * as wire from '../schemas/responses';
import { createSpeechSchema } from '../schemas/speech';
import { createVoiceSchema, renameVoiceSchema, voiceCatalogQuery } from '../schemas/voice';
import { createWebhookSchema, updateWebhookSchema } from '../schemas/webhook';

/** Schemas that have a name of their own in the document. */
export const COMPONENTS: Record<string, z.ZodType> = {
	Error: wire.errorSchema,
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
};

interface Described {
	summary: string;
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

const open = wire.openObjectSchema;

/**
 * What each operation of the endpoint table takes and answers: the same schemas that the routes
 * use.
 */
export const OPERATIONS: Record<EndpointName, Described> = {
	listModels: {
		summary: 'list models',
		query: listModelsQuery,
		answer: wire.listOf(wire.modelSchema),
	},
	createFile: {
		summary: 'create presigned upload',
		body: createFileSchema,
		answer: wire.fileSchema,
	},
	createGeneration: {
		summary: 'create image, video, audio',
		body: createGenerationSchema,
		answer: wire.generationSchema,
	},
	listGenerations: {
		summary: 'list API generations',
		query: listQuery,
		answer: wire.listOf(wire.generationSchema),
	},
	getGeneration: { summary: 'get generation', answer: wire.generationSchema },
	createSpeech: {
		summary: 'create multi-block speech',
		body: createSpeechSchema,
		answer: wire.speechSchema,
	},
	getSpeech: { summary: 'get speech generation', answer: wire.speechSchema },
	getJob: { summary: 'poll any asynchronous job', answer: job },
	createAgentRun: {
		summary: 'create Agent plan',
		body: createAgentRunSchema,
		answer: wire.agentRunSchema,
	},
	listAgentRuns: {
		summary: 'list Agent runs',
		query: listQuery,
		answer: wire.listOf(wire.agentRunSchema),
	},
	getAgentRun: { summary: 'get Agent run', answer: wire.agentRunSchema },
	approveAgentRun: {
		summary: 'approve plan',
		body: approveAgentRunSchema,
		answer: wire.agentRunSchema,
	},
	reviewAgentRun: {
		summary: 'complete review gate',
		body: reviewAgentRunSchema,
		answer: wire.agentRunSchema,
	},
	createVoice: {
		summary: 'clone or design voice',
		body: createVoiceSchema,
		answer: wire.voiceSchema,
	},
	listVoices: {
		summary: 'list custom voices',
		query: listQuery,
		answer: wire.listOf(wire.voiceSchema),
	},
	listPresetVoices: {
		summary: 'list preset voices',
		query: voiceCatalogQuery,
		answer: wire.voiceCatalogSchema,
	},
	getVoice: { summary: 'get custom voice', answer: wire.voiceSchema },
	renameVoice: {
		summary: 'rename custom voice',
		body: renameVoiceSchema,
		answer: wire.voiceSchema,
	},
	deleteVoice: { summary: 'delete custom voice', answer: open },
	createPersona: {
		summary: 'create persona',
		body: createPersonaSchema,
		answer: wire.personaSchema,
	},
	listPersonas: {
		summary: 'list personas',
		query: listQuery,
		answer: wire.listOf(wire.personaSchema),
	},
	getPersona: { summary: 'get persona', answer: wire.personaSchema },
	updatePersona: {
		summary: 'update persona',
		body: updatePersonaSchema,
		answer: wire.personaSchema,
	},
	deletePersona: { summary: 'delete persona', answer: open },
	getCredits: { summary: 'workspace credits', answer: open },
	getUsage: { summary: 'usage by mode', query: usageQuery, answer: open },
	createWebhook: {
		summary: 'create webhook',
		body: createWebhookSchema,
		answer: wire.webhookSchema,
	},
	listWebhooks: {
		summary: 'list webhooks',
		query: listQuery,
		answer: wire.listOf(wire.webhookSchema),
	},
	getWebhook: { summary: 'get webhook', answer: wire.webhookSchema },
	updateWebhook: {
		summary: 'update webhook',
		body: updateWebhookSchema,
		answer: wire.webhookSchema,
	},
	deleteWebhook: { summary: 'delete webhook', answer: open },
	listDeliveries: {
		summary: 'list delivery attempts',
		query: listQuery,
		answer: wire.listOf(open),
	},
};
