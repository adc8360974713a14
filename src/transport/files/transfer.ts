import type { Clock, Random } from '../base/types';
import { hintedDelay } from '../http/client';
import type { StreamedResponse } from '../http/host';

/** How often a file is sent or fetched. */
export const MAX_ATTEMPTS = 4;

/** Upper bound of the jittered delay before the second attempt; doubles with each further one. */
const INITIAL_DELAY_MS = 2_000;

/** Milliseconds until the next attempt: as the headers of the last response ask, or with full jitter. */
export const transferDelay = (
	headers: Record<string, string> = {},
	attempt: number,
	{ clock, random }: { clock: Clock; random: Random },
): number =>
	hintedDelay(headers, clock.now(), random) ?? random() * INITIAL_DELAY_MS * 2 ** (attempt - 1);

/** The content length of a response in bytes; `undefined` if it states none that is usable. */
export function contentLength({ headers }: Pick<StreamedResponse, 'headers'>): number | undefined {
	const length = headers['content-length'] ?? '';
	return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}
