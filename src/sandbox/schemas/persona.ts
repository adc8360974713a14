import { z } from 'zod/v4';

import type { CreatePersona, UpdatePersona } from '../../contract';
import { LIMITS } from '../../contract';
import { text, uri } from './common';

const name = text(1, LIMITS.personaName.max);
const shared = z.boolean().optional();

/** Specification: CreatePersona. The bounds of the images are a setting (open point 6). */
export const createPersonaSchema: z.ZodType<CreatePersona> = z.discriminatedUnion('source', [
	z.strictObject({
		source: z.literal('upload'),
		name,
		reference_images: z.array(uri),
		shared,
	}),
	z.strictObject({
		source: z.literal('describe'),
		name,
		description: text(1, LIMITS.personaDescription.max),
		shared,
	}),
]);

/** Specification: Operation details, PATCH /personas/{id}. */
export const updatePersonaSchema: z.ZodType<UpdatePersona> = z.strictObject({
	name: name.optional(),
	shared,
});
