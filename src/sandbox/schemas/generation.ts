import { z } from 'zod/v4';

import {
	GENERATION_MODES,
	LIMITS,
	MULTI_ITEM_SLOTS,
	SINGLE_ITEM_SLOTS,
	type CreateGeneration,
	type InputSlot,
} from '../../contract';
import { delivery, text, uri } from './common';

const many = z.array(uri).optional();
const single = z.array(uri).max(LIMITS.singleItemSlot.max).optional();

type Slots = Record<InputSlot, typeof many>;

const input = z.strictObject({
	...Object.fromEntries(MULTI_ITEM_SLOTS.map((slot) => [slot, many])),
	...Object.fromEntries(SINGLE_ITEM_SLOTS.map((slot) => [slot, single])),
} as Slots);

const parameters = z.strictObject({
	count: z.number().int().min(LIMITS.count.min).max(LIMITS.count.max).optional(),
	size: z.string().optional(),
	aspect_ratio: z.string().optional(),
	quality: z.string().optional(),
	duration: z.string().optional(),
	resolution: z.string().optional(),
	voice: z.string().optional(),
	speed: z.string().optional(),
	loop: z.boolean().optional(),
	lyrics: z.string().optional(),
	language_boost: z.string().optional(),
});

/** Specification: CreateGeneration. */
export const createGenerationSchema: z.ZodType<CreateGeneration> = z.strictObject({
	mode: z.enum(GENERATION_MODES),
	model: text(1),
	prompt: text(LIMITS.promptLength.min, LIMITS.promptLength.max),
	persona_id: z.guid().optional(),
	input: input.optional(),
	parameters: parameters.optional(),
	delivery: delivery.optional(),
});
