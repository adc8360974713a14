import { z } from 'zod/v4';

import type { CreateSpeechGeneration } from '../../contract';
import { LIMITS, SPEECH_MODELS } from '../../contract';
import { delivery, text } from './common';

const { speechBlocks, speechSpeed, speechVolume } = LIMITS;

/** Specification: CreateSpeechGeneration. */
export const createSpeechSchema: z.ZodType<CreateSpeechGeneration> = z.strictObject({
	model: z.enum(SPEECH_MODELS),
	blocks: z
		.array(z.strictObject({ text: text(1), voice: z.string().optional() }))
		.min(speechBlocks.min)
		.max(speechBlocks.max),
	settings: z
		.strictObject({
			volume: z.number().min(speechVolume.min).max(speechVolume.max).optional(),
			speed: z.number().min(speechSpeed.min).max(speechSpeed.max).optional(),
			loudness_normalization: z.boolean().optional(),
			text_normalization: z.boolean().optional(),
			tag_compatible: z.boolean().optional(),
		})
		.optional(),
	delivery: delivery.optional(),
});
