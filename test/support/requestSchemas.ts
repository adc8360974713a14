import type { z } from 'zod/v4';
import type { EndpointName } from '../../src/contract';
import * as request from '../../src/sandbox/schemas';

/**
 * What the service accepts as the body of an operation: the schemas that docs/openapi.json is made
 * from.
 */
export const BODIES: Partial<Record<EndpointName, z.ZodType>> = {
	createGeneration: request.createGenerationSchema,
	createSpeech: request.createSpeechSchema,
	createAgentRun: request.createAgentRunSchema,
	approveAgentRun: request.approveAgentRunSchema,
	reviewAgentRun: request.reviewAgentRunSchema,
	createVoice: request.createVoiceSchema,
	renameVoice: request.renameVoiceSchema,
	createPersona: request.createPersonaSchema,
	updatePersona: request.updatePersonaSchema,
	createWebhook: request.createWebhookSchema,
	updateWebhook: request.updateWebhookSchema,
};

/** What it accepts in the query; every value is text there. */
export const QUERIES: Partial<Record<EndpointName, z.ZodType>> = {
	listModels: request.listModelsQuery,
	listGenerations: request.listQuery,
	listAgentRuns: request.listQuery,
	listVoices: request.listQuery,
	listPresetVoices: request.voiceCatalogQuery,
	listPersonas: request.listQuery,
	listWebhooks: request.listQuery,
	listDeliveries: request.listQuery,
	getUsage: request.usageQuery,
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
	// What the list offers is taken, and `Persona.id` is any string.
	if (code === 'invalid_format' && field === 'persona_id') return true;
	return name === 'renameVoice' && field === 'name';
}
