import type { z } from 'zod/v4';
import type { EndpointName } from '../../src/contract';
import * as agentRun from '../../src/sandbox/schemas/agentRun';
import { createGenerationSchema } from '../../src/sandbox/schemas/generation';
import { listQuery } from '../../src/sandbox/schemas/list';
import { listModelsQuery } from '../../src/sandbox/schemas/model';
import { createPersonaSchema, updatePersonaSchema } from '../../src/sandbox/schemas/persona';
import { createSpeechSchema } from '../../src/sandbox/schemas/speech';
import { usageQuery } from '../../src/sandbox/schemas/usage';
import {
	createVoiceSchema,
	renameVoiceSchema,
	voiceCatalogQuery,
} from '../../src/sandbox/schemas/voice';
import { createWebhookSchema, updateWebhookSchema } from '../../src/sandbox/schemas/webhook';

/**
 * What the service accepts as the body of an operation: the schemas that docs/openapi.json is made
 * from.
 */
export const BODIES: Partial<Record<EndpointName, z.ZodType>> = {
	createGeneration: createGenerationSchema,
	createSpeech: createSpeechSchema,
	createAgentRun: agentRun.createAgentRunSchema,
	approveAgentRun: agentRun.approveAgentRunSchema,
	reviewAgentRun: agentRun.reviewAgentRunSchema,
	createVoice: createVoiceSchema,
	renameVoice: renameVoiceSchema,
	createPersona: createPersonaSchema,
	updatePersona: updatePersonaSchema,
	createWebhook: createWebhookSchema,
	updateWebhook: updateWebhookSchema,
};

/** What it accepts in the query; every value is text there. */
export const QUERIES: Partial<Record<EndpointName, z.ZodType>> = {
	listModels: listModelsQuery,
	listGenerations: listQuery,
	listAgentRuns: listQuery,
	listVoices: listQuery,
	listPresetVoices: voiceCatalogQuery,
	listPersonas: listQuery,
	listWebhooks: listQuery,
	listDeliveries: listQuery,
	getUsage: usageQuery,
};

/**
 * Limits that the sandbox had to choose and the specification does not state: the service decides,
 * not the nodes.
 */
export function isFiction(name: EndpointName, { code, path }: z.core.$ZodIssue): boolean {
	const [field] = path;
	if (code === 'too_big' && ['url', 'audio_url', 'reference_images'].includes(String(field)))
		return true;
	if (code === 'too_big' && name.endsWith('Webhook')) return field === 'description';
	return name === 'renameVoice' && field === 'name';
}
