import { z } from 'zod/v4';

import type { CreateVoice, RenameVoice } from '../../contract';
import { LIMITS, SPEECH_MODELS } from '../../contract';
import { text, uri } from './common';

const { voiceCloneName, voiceClonePreviewText } = LIMITS;

/** Specification: CreateVoice. The limits of the design fields are settings (open point 5). */
export const createVoiceSchema: z.ZodType<CreateVoice> = z.discriminatedUnion('kind', [
	z.strictObject({
		kind: z.literal('clone'),
		name: text(1, voiceCloneName.max),
		audio_url: uri,
		preview_text: text(0, voiceClonePreviewText.max).optional(),
		noise_reduction: z.boolean().optional(),
		volume_normalization: z.boolean().optional(),
	}),
	z.strictObject({
		kind: z.literal('design'),
		name: text(1),
		description: text(1),
		preview_text: z.string().optional(),
	}),
]);

/** Specification: Operation details, PATCH /voices/{id}. */
export const renameVoiceSchema: z.ZodType<RenameVoice> = z.strictObject({
	name: text(1, voiceCloneName.max),
});

/** Specification: Operation details, GET /voices/catalog. */
export const voiceCatalogQuery = z.strictObject({
	model: z.enum(SPEECH_MODELS).optional(),
	language: z.string().optional(),
	gender: z.string().optional(),
	search: z.string().optional(),
});
