import { z } from 'zod/v4';

import type { CreateFile } from '../../contract';
import { text } from './common';

const LONGEST_NAME = 255;

/** Specification: Operation details, POST /files. Bounds are fiction (open point 7). */
export const createFileSchema: z.ZodType<CreateFile> = z.strictObject({
	filename: text(1, LONGEST_NAME).refine(isPlainName, {
		error: 'must be a name without a path or control characters',
	}),
	content_type: z
		.string()
		.max(255)
		.regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7e]*)?$/, {
			error: 'must be a media type such as image/png',
		}),
	size: z.number().int().min(1),
});

function isPlainName(name: string): boolean {
	return !/[/\\\p{Cc}]/u.test(name) && name !== '.' && name !== '..';
}
