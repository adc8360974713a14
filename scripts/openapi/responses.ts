import { z } from 'zod/v4';

import { EVENTS, GENERATION_MODES, GENERATION_STATUSES } from '../../src/contract';
import { PERSONA_STATUSES, SPEECH_STATUSES, VOICE_KINDS } from '../../src/sandbox/bodies';
import { dateTime, uri } from '../../src/sandbox/schemas';

/**
 * What goes over the wire, as the specification shows it. Objects are open, because it leaves
 * fields unshown almost everywhere; what it shows is binding.
 */
const credits = z.number().int().min(0);

export const errorSchema = z.strictObject({
	error: z.strictObject({
		type: z.string(),
		message: z.string(),
		request_id: z.string().optional(),
		details: z.unknown().optional(),
	}),
});

export const presetVoiceSchema = z.looseObject({
	id: z.string(),
	label: z.string(),
	name: z.string().optional(),
	gender: z.string().nullable().optional(),
	language_code: z.string().optional(),
	language_name: z.string().optional(),
	is_neural: z.boolean().optional(),
	sample_url: uri.nullable().optional(),
	styles: z.array(z.string()).optional(),
});

export const modelSchema = z.looseObject({
	id: z.string(),
	capabilities: z.looseObject({ voices: z.array(presetVoiceSchema).optional() }).optional(),
});

export const fileSchema = z.looseObject({
	upload_url: uri,
	upload_headers: z.record(z.string(), z.string()),
	url: uri,
});

export const generationSchema = z.looseObject({
	id: z.string(),
	object: z.literal('generation'),
	status: z.enum(GENERATION_STATUSES),
	mode: z.enum(GENERATION_MODES),
	model: z.string(),
	output_ids: z.array(z.string()).optional(),
	outputs: z
		.array(
			z.looseObject({
				id: z.string(),
				url: uri,
				media_type: z.string(),
				expires_at: dateTime.optional(),
			}),
		)
		.optional(),
	estimated_credits: credits.optional(),
});

export const speechSchema = z.looseObject({
	id: z.string(),
	object: z.literal('speech_generation'),
	status: z.enum(SPEECH_STATUSES),
	model: z.string().optional(),
	line_count: z.number().int().optional(),
	character_count: z.number().int().optional(),
	estimated_credits: credits.optional(),
	duration_seconds: z.number().nullable().optional(),
	output: z
		.looseObject({ url: uri, media_type: z.string(), expires_at: dateTime.optional() })
		.nullable()
		.optional(),
});

export const agentRunSchema = z.looseObject({
	id: z.string(),
	object: z.literal('agent_run'),
	status: z.string(),
	plan: z.looseObject({}),
	estimated_credits: credits.optional(),
	max_credits: z.number().int().min(1).optional(),
	reserved_credits: credits.optional(),
	spent_credits: credits.optional(),
	auto_approval_error: z.string().optional(),
	outputs: z.array(z.looseObject({})).optional(),
});

export const voiceSchema = z.looseObject({
	id: z.string(),
	object: z.literal('voice'),
	name: z.string(),
	kind: z.enum(VOICE_KINDS),
	preview_url: uri.nullable().optional(),
});

export const voiceCatalogSchema = z.looseObject({
	object: z.literal('list'),
	model: z.string(),
	data: z.array(presetVoiceSchema),
});

export const personaSchema = z.looseObject({
	id: z.string(),
	object: z.literal('persona'),
	name: z.string(),
	status: z.enum(PERSONA_STATUSES),
	preview_url: uri.nullable().optional(),
	reference_images: z.array(uri).optional(),
});

export const webhookSchema = z.looseObject({
	id: z.string(),
	url: uri,
	description: z.string().optional(),
	events: z.array(z.enum(EVENTS)).min(1),
});

/** Shapes that the specification does not show at all. */
export const openObjectSchema = z.looseObject({});

/** Specification: List. */
export const listOf = (item: z.ZodType) =>
	z.looseObject({
		object: z.literal('list'),
		data: z.array(item),
		has_more: z.boolean().optional(),
		next_cursor: z.string().nullable().optional(),
	});
