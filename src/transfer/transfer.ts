import type { ApiResponse, Clock, NoResponse, Random } from '../base/types';
import { hintedDelay } from '../service/client';
import { ofStorage } from '../service/statuses';

/** How often a file is sent or fetched. */
export const MAX_ATTEMPTS = 4;

/** Most that the second attempt waits; doubles with each further one. */
const INITIAL_DELAY_MS = 2_000;

/** Why a file was not sent or fetched, and whether it is tried again, at the same or another address. */
export interface Fault {
	problem: string;
	next: 'again' | 'newAddress' | 'never';
	/** Of the response, if there was one. */
	headers?: Record<string, string>;
}

/** What a response of the storage means that is not the one hoped for. */
export function faultOf(response: Pick<ApiResponse, 'status' | 'headers'> | NoResponse): Fault {
	if ('noResponse' in response) {
		const { noResponse: problem, unsent } = response;
		return { problem, next: unsent && unsent !== 'connection' ? 'never' : 'again' };
	}
	const { status, headers } = response;
	return { problem: `the storage answered ${status}`, next: ofStorage(status), headers };
}

/** Until the next attempt, in ms: as the headers of the last response ask, or with full jitter. */
export const transferDelay = (
	headers: Record<string, string> = {},
	attempt: number,
	{ clock, random }: { clock: Clock; random: Random },
): number =>
	hintedDelay(headers, clock.now(), random) ?? random() * INITIAL_DELAY_MS * 2 ** (attempt - 1);

/** In bytes; `undefined` if the response states none that is usable. */
export function contentLength({ headers }: Pick<ApiResponse, 'headers'>): number | undefined {
	const length = headers['content-length'] ?? '';
	return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}
