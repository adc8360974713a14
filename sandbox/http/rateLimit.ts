import { ApiError } from '../errors';
import type { Workspace } from '../store';

/** A service minute. */
const WINDOW_SECONDS = 60;

/** Lets a request through, or throws 429: so many in any minute, not counting those that are refused. */
export function limitRate({ passed, service: { clock, settings } }: Workspace): void {
	const limit = settings.requestsPerMinute;
	const now = clock.now();
	const length = clock.milliseconds(WINDOW_SECONDS);
	const inside = passed.findIndex((instant) => instant > now - length);
	passed.splice(0, inside < 0 ? passed.length : inside);
	if (passed.length < limit) {
		passed.push(now);
		return;
	}
	const message = `This workspace has used its ${limit} requests a minute.`;
	throw new ApiError(429, 'rate_limit', message, undefined, (passed[0] ?? now) + length - now);
}
