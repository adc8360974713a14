import type { Clock } from '../clock';
import { ApiError } from '../errors';

/** A service minute. */
const WINDOW_SECONDS = 60;

/** Requests of a workspace in any minute; what is refused does not count. */
export class RateLimiter {
	/** Instants of the requests let through, oldest first. */
	private readonly passed = new Map<string, number[]>();

	constructor(private readonly clock: Clock) {}

	/** Lets a request through, or throws 429. */
	pass(workspace: string, limit: number): void {
		const now = this.clock.now();
		const length = this.clock.milliseconds(WINDOW_SECONDS);
		const passed = this.passed.get(workspace) ?? [];
		const inside = passed.findIndex((instant) => instant > now - length);
		passed.splice(0, inside < 0 ? passed.length : inside);
		this.passed.set(workspace, passed);
		if (passed.length < limit) {
			passed.push(now);
			return;
		}
		const message = `This workspace has used its ${limit} requests a minute.`;
		const wait = (passed[0] ?? now) + length - now;
		throw new ApiError(429, 'rate_limit', message, undefined, wait);
	}
}
